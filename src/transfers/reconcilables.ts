import { MONEY_PARTIES } from '../kernel/outbox/queues';
import { overdueIn, reconcilable } from '../process/overdue';
import { DISCOVERIES } from './discover';
import type { ProcessSubject } from './engine/kind';
import { TRANSFER_KINDS } from './kinds';

/**
 * Transfers past their `due_by`: their workflow or its signal was lost. A signal starts the workflow where there is
 * none.
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

/** Reported names past their `due_by`, whose lookup was lost. */
const reportedNames = MONEY_PARTIES.flatMap((party) => {
  const { process } = DISCOVERIES[party] ?? {};
  if (!process) return [];
  return reconcilable<{ ref: string }>({
    name: `names told: ${party}`,
    processes: [process],
    overdue: overdueIn('reported_names', {
      columns: ['ref'],
      dueBy: 'due_by',
      open: `party = '${party}'`,
      key: 'ref',
    }),
    drive: ({ ref }) => process.look({ partyRef: ref }),
  });
});

export const transferProcesses = [...transfers, ...reportedNames];
