import type { Tx } from '../kernel/db/database';
import { conflict } from '../kernel/errors';
import type { Services } from '../services';
import { type Conclusion, conclusionData, ifConcluded } from './engine/conclusion';
import { type Decided, decide } from './engine/decide';
import { requireKind } from './kinds';

type Deps = Pick<Services, 'commands' | 'now'>;

export interface Conclude {
  transferId: string;
  as: Conclusion;
  /** What the operator has seen: a bank's confirmation, a letter. */
  evidence: string;
  decidedBy: string;
}

/**
 * Ends what a party never ends: what its word leaves open has come or gone as it is, or has failed, and what it has settled
 * stays. Books and status go as if the party had said so, until it says something else than what this was decided on
 * (decisions part 2).
 * @throws Problem 404; 409 `invalid_transition` where nothing is open
 */
export async function concludeTransfer(
  services: Deps,
  tx: Tx,
  { transferId: id, as, evidence: reason, decidedBy }: Conclude,
): Promise<Decided> {
  const kind = await requireKind(tx, id);
  return decide(services, tx, kind, {
    ...{ id, noun: 'transfer', decidedBy },
    judge(situation, heard) {
      const conclusion = { kind: 'conclude', data: conclusionData(as, heard), reason };
      const concluded = kind.concluded?.(ifConcluded(heard, conclusion, decidedBy), as);
      if (!kind.isOpen(situation) || concluded === undefined)
        throw conflict(
          'invalid_transition',
          `A ${kind.name} that is ${situation.transfer.status} cannot be concluded as ${as}.`,
        );
      return [conclusion];
    },
  });
}

/**
 * Takes over a transfer of an earlier release whose books are not what they should be: the difference is posted
 * (docs/architecture.md), whatever the balance, for a party's word demands it. What it will be stands in its breaks.
 * @throws Problem 404; 409 `invalid_transition` for one that has been adopted
 */
export async function adoptTransfer(
  services: Deps,
  tx: Tx,
  { transferId: id, reason, decidedBy }: { transferId: string; reason: string; decidedBy: string },
): Promise<Decided> {
  const kind = await requireKind(tx, id);
  return decide(services, tx, kind, {
    ...{ id, noun: 'transfer', decidedBy, adopts: true },
    judge({ transfer }) {
      if (transfer.adopted) throw conflict('invalid_transition', 'It has been adopted.');
      return [{ kind: 'adopt', reason }];
    },
  });
}
