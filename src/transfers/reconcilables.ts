import { MONEY_PARTIES } from '../kernel/outbox/queues';
import { overdueIn, reconcilable } from '../process/overdue';
import { DISCOVERIES } from './discover';
import type { ProcessSubject } from './engine/kind';
import { TRANSFER_KINDS } from './kinds';

/**
 * Transfers that should have been looked at by now, whether their workflow was lost or the word that something has changed:
 * each is told to look, which begins its workflow where there is none.
 */
const transfers = TRANSFER_KINDS.map(({ name, process, namedBy = 'id' }) =>
  reconcilable<ProcessSubject>({
    name: `transfers: ${name}`,
    processes: [process],
    overdue: overdueIn<ProcessSubject>('transfers', {
      columns: ['id', 'tenantId', 'partyRef'],
      dueBy: 'due_by',
      open: `kind = '${name}'`,
      key: namedBy,
    }),
    drive: process.look,
  }),
);

/** Names that should have been looked into by now: the same, of what no transfer has. */
const toldNames = MONEY_PARTIES.flatMap((party) => {
  const { process } = DISCOVERIES[party] ?? {};
  if (!process) return [];
  return reconcilable<{ ref: string }>({
    name: `names told: ${party}`,
    processes: [process],
    overdue: overdueIn('told_names', {
      columns: ['ref'],
      dueBy: 'due_by',
      open: `party = '${party}'`,
      key: 'ref',
    }),
    drive: ({ ref }) => process.look({ partyRef: ref }),
  });
});

export const transferProcesses = [...transfers, ...toldNames];
