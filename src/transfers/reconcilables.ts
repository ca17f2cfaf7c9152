import { overdueIn, reconcilable } from '../process/overdue';
import type { ProcessSubject } from './engine/kind';
import { subjectOf } from './engine/kind';
import { TRANSFER_KINDS } from './kinds';

type Row = Parameters<typeof subjectOf>[0];

/**
 * Transfers that should have been looked at by now, whether their workflow was lost or the word that something has changed:
 * each is told to look, which begins its workflow where there is none.
 */
export const transferProcesses = TRANSFER_KINDS.map(({ name, process, namedBy = 'id' }) =>
  reconcilable<Row>({
    name: `transfers: ${name}`,
    processes: [process],
    overdue: overdueIn<Row>('transfers', {
      columns: ['id', 'tenantId', 'partyRef'],
      dueBy: 'due_by',
      open: `kind = '${name}'`,
      key: namedBy,
    }),
    drive: (row) => process.look(subjectOf(row) satisfies ProcessSubject),
  }),
);
