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
  /** What was concluded of it last when this was asked for: another one since has ended what was seen. Absent: whichever. */
  over?: string | null;
  /** What the operator has seen: a bank's confirmation, a letter. */
  evidence: string;
  decidedBy: string;
}

/**
 * Ends what a party never ends: what its word leaves open has come or gone as it is, or has failed, and what it has settled
 * stays. Books and status go as if the party had said so, while it says what this was decided on, under whatever version
 * (decisions part 2).
 * @throws Problem 404; 409 `invalid_transition` where nothing is open, or another was concluded since `over`
 */
export async function concludeTransfer(
  services: Deps,
  tx: Tx,
  { transferId: id, as, over, evidence: reason, decidedBy }: Conclude,
): Promise<Decided> {
  const kind = await requireKind(tx, id);
  return decide(services, tx, kind, {
    ...{ id, noun: 'transfer', decidedBy },
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
  conflict('invalid_transition', 'It was concluded since this was asked for: ask for it again.');

/** @returns the situation as it would be concluded @throws Problem 409 `invalid_transition` where nothing is open */
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
 * How much money the conclusion is about, by the rules of now: the most that the books hold of it before or after. Nothing is
 * done.
 * @returns with what was concluded of it last, as {@link concludeTransfer} takes it
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

/** No word raises it until the transaction ends. @throws Problem 404 */
export async function holdTransfer(tx: Tx, id: string, at: Date): Promise<void> {
  await lockTransfer(tx, await requireKind(tx, id), id, at);
}
