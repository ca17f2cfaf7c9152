import type { Tx } from '../kernel/db/database';
import { conflict, notFound } from '../kernel/errors';
import type { Services } from '../services';
import { positionOf } from './engine/books/closed-accounts';
import { type Money, mostOf } from './engine/books/inflow';
import { type Conclusion, conclusionData, effective, ifConcluded } from './engine/conclusion';
import { type Decided, decide } from './engine/decide';
import type { AnyKind, NewDecision } from './engine/kind';
import { lockTransfer, readSituation } from './engine/read';
import { last, type Situation } from './engine/record';
import { requireKind } from './kinds';

type Deps = Pick<Services, 'commands' | 'now'>;

export interface Conclude {
  transferId: string;
  as: Conclusion;
  /**
   * Id of the last conclusion when the operator asked, or null. A newer one is a 409, because it changed what the
   * operator saw. Absent: not compared.
   */
  over?: string | null;
  /** The operator's evidence, such as a bank's confirmation or a letter. */
  evidence: string;
  decidedBy: string;
}

/**
 * Concludes a transfer that its party never ends, as paid or as failed. Settled amounts stay. Books and status follow
 * as if the party had said so, while the party's word stays the same apart from its version (decisions part 2).
 * @throws Problem 404; 409 `invalid_transition` where nothing is open, or after another conclusion than `over`
 */
export async function concludeTransfer(
  services: Deps,
  tx: Tx,
  { transferId: id, as, over, evidence: reason, decidedBy }: Conclude,
): Promise<Decided> {
  const kind = await requireKind(tx, id);
  return decide(services, tx, kind, {
    id,
    noun: 'transfer',
    decidedBy,
    judge(situation, heard) {
      if (over !== undefined && over !== concludedLast(heard)) throw otherConclusion();
      const conclusion = { kind: 'conclude', data: conclusionData(as, heard), reason };
      judged(kind, heard, { situation, conclusion, as });
      return [conclusion];
    },
  });
}

const concludedLast = (heard: Situation): string | null => last(heard, 'conclude')?.id ?? null;

const otherConclusion = () =>
  conflict('invalid_transition', 'The transfer was concluded after this request: repeat the request.');

/** @returns the situation with the conclusion @throws Problem 409 `invalid_transition` where nothing is open */
function judged(
  kind: AnyKind,
  heard: Situation,
  { situation, conclusion, as }: { situation: Situation; conclusion: NewDecision; as: Conclusion },
): Situation {
  const concluded = ifConcluded(heard, conclusion, '');
  const word = kind.concluded?.(concluded, as);
  if (!kind.isOpen(situation) || word === undefined)
    throw conflict(
      'invalid_transition',
      `A ${kind.name} that is ${situation.transfer.status} cannot be concluded as ${as}.`,
    );
  return { ...concluded, transfer: { ...concluded.transfer, word } };
}

/**
 * Weighs a conclusion by the present rules, for approval limits: the largest holding before or after. Changes
 * nothing.
 * @returns also the last conclusion, as `over` of {@link concludeTransfer}
 * @throws Problem as {@link concludeTransfer}
 */
export async function weighConclusion(
  tx: Tx,
  { transferId: id, as }: Pick<Conclude, 'transferId' | 'as'>,
  at: Date,
): Promise<{ money: Money; tenantId: string | null; over: string | null }> {
  const kind = await requireKind(tx, id);
  const heard = await readSituation(tx, kind, id, at);
  if (!heard) throw notFound('transfer');
  const situation = effective(kind, heard);
  const conclusion = { kind: 'conclude', data: conclusionData(as, heard) };
  const after = judged(kind, heard, { situation, conclusion, as });
  const money = mostOf([...positionOf(kind, situation), ...positionOf(kind, after)]);
  return { money, tenantId: heard.transfer.tenantId, over: concludedLast(heard) };
}

/** Locks a transfer until the end of the transaction, so that its weight cannot grow. @throws Problem 404 */
export async function holdTransfer(tx: Tx, id: string, at: Date): Promise<void> {
  await lockTransfer(tx, await requireKind(tx, id), id, at);
}
