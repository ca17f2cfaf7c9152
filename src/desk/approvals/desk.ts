import type { Sql } from '../../kernel/db/database';
import { approvalsToDecide, countApprovals, findApproval } from '../../process/approvals/operations';
import type { Approval } from '../../process/approvals/record';
import { approvalView, whatOf } from '../../process/approvals/view';
import { commonLists, line } from '../../process/desk/common-lists';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type DeskDeps, type Story, storyOf } from '../../process/desk/story';
import { waitingFilterOf, waitingFilters } from '../../process/desk/waiting-filters';

const columns = columnsOf<Approval>();

/** The desk of decisions that take two. An approval is decided by routes of its own, because its decision has the rules. */
export const approvalDesk = ({ database, now }: DeskDeps): Desk =>
  defineDesk({
    name: 'approval',
    title: 'What another operator has asked for, and takes two',
    lists: [
      list({
        name: 'approvals',
        title: 'decisions of one person that need a second one: approve or reject',
        filters: waitingFilters({ kind: 'The kind of decision.', currency: true }),
        columns: {
          id: columns.id('id', ({ id }) => id),
          what: columns.text('what', ({ kind }) => kind),
          about: columns.id('about', ({ subject }) => subject),
          client: columns.id('client', ({ tenantId }) => tenantId),
          comesTo: columns.text('comes to', whatOf),
          askedBy: columns.text('asked by', ({ requestedBy }) => requestedBy),
          firstBy: columns.text('approved first by', ({ firstBy }) => firstBy),
          why: columns.text('why', ({ reason }) => reason),
          since: columns.since('since', ({ requestedAt }) => requestedAt),
        },
        rows: (page) => approvalsToDecide(database, waitingFilterOf(page, now())),
        place: ({ id, requestedAt }) => ({ id, since: requestedAt }),
        waitsSince: (sql) => countApprovals(sql),
      }),
    ],
    records: [
      record({
        kind: 'approval',
        title: 'A decision of one operator that needs another',
        story: (id, limit) => storyOfApproval(database, id, limit),
      }),
    ],
  });

async function storyOfApproval(sql: Sql, id: string, limit: number): Promise<Story | undefined> {
  const found = await findApproval(sql, id);
  if (!found) return undefined;
  const { tenantId, status, requestedAt, firstAt, decidedAt } = found;
  const { id: _, tenantId: __, status: ___, ...shown } = approvalView(found);
  return storyOf(
    id,
    {
      what: 'approval',
      tenantId,
      status,
      since: (decidedAt ?? firstAt ?? requestedAt).toISOString(),
      record: line(shown),
    },
    await commonLists(sql, { id }, limit),
    limit,
  );
}
