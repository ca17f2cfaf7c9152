import type { Tx } from '../kernel/db/database';
import { conflict } from '../kernel/errors';
import type { Services } from '../services';
import { positionOf } from './engine/books/closed-accounts';
import { type Money, mostOf } from './engine/books/inflow';
import { balanced, componentsOf, differences, type Holding } from './engine/books/position';
import { type Conclusion, conclusionData, effective, ifConcluded } from './engine/conclusion';
import { type Decided, decide } from './engine/decide';
import { follow } from './engine/follow';
import type { AnyKind, NewDecision } from './engine/kind';
import { lockTransfer } from './engine/read';
import type { Situation } from './engine/record';
import { requireKind } from './kinds';

type Deps = Pick<Services, 'commands' | 'now'>;

export interface Conclude {
  transferId: string;
  as: Conclusion;
  /** The operator's evidence, such as a bank's confirmation or a letter. */
  evidence: string;
  decidedBy: string;
}

/**
 * Concludes a transfer that its party never ends, as paid or as failed. Settled amounts stay. Books and status follow
 * as if the party had said so, while the party's word stays the same apart from its version (decisions part 2).
 * @throws Problem 404; 409 `invalid_transition` where nothing is open
 */
export async function concludeTransfer(
  services: Deps,
  tx: Tx,
  { transferId: id, as, evidence: reason, decidedBy }: Conclude,
): Promise<Decided> {
  const kind = await requireKind(tx, id);
  return decide(services, tx, kind, {
    id,
    noun: 'transfer',
    decidedBy,
    judge(situation, reported) {
      const conclusion = { kind: 'conclude', data: conclusionData(as, reported), reason };
      judged(kind, reported, { situation, conclusion, as });
      return [conclusion];
    },
  });
}

/** @returns the situation with the conclusion @throws Problem 409 `invalid_transition` where nothing is open */
function judged(
  kind: AnyKind,
  reported: Situation,
  { situation, conclusion, as }: { situation: Situation; conclusion: NewDecision; as: Conclusion },
): Situation {
  const concluded = ifConcluded(reported, conclusion, '');
  const word = kind.concluded?.(concluded, as);
  if (!kind.isOpen(situation) || word === undefined)
    throw conflict(
      'invalid_transition',
      `A ${kind.name} that is ${situation.transfer.status} cannot be concluded as ${as}.`,
    );
  return { ...concluded, transfer: { ...concluded.transfer, word } };
}

/** The changes that a conclusion would make. */
export interface ConclusionPreview {
  /** The largest holding before or after, for approval limits. */
  money: Money;
  status: string;
  becomes: string;
  /** The postings. */
  moves: Holding[];
}

/** Previews a conclusion by the present rules. Changes nothing. @throws Problem as {@link concludeTransfer} */
export function previewConclusion(kind: AnyKind, reported: Situation, as: Conclusion): ConclusionPreview {
  const situation = effective(kind, reported);
  const conclusion = { kind: 'conclude', data: conclusionData(as, reported) };
  const after = judged(kind, reported, { situation, conclusion, as });
  const { situation: then } = follow(kind, after);
  const [from, to] = [situation, then].map((each) => balanced(positionOf(kind, each), componentsOf(kind)));
  return {
    money: mostOf([...positionOf(kind, situation), ...positionOf(kind, after)]),
    status: situation.transfer.status,
    becomes: then.transfer.status,
    moves: differences(to ?? [], from ?? []),
  };
}

/** Locks a transfer until the end of the transaction, so that its weight cannot grow. @throws Problem 404 */
export async function holdTransfer(tx: Tx, id: string, at: Date): Promise<void> {
  await lockTransfer(tx, await requireKind(tx, id), id, at);
}
