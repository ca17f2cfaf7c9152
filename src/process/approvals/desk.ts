import { type Desk, defineDesk } from '../desk/desk';
import { columnsOf, list } from '../desk/list';
import type { DeskDeps } from '../desk/story';
import { waitingFilterOf, waitingFilters } from '../desk/waiting-filters';
import { approvalsToDecide, countApprovals } from './operations';
import type { Approval } from './record';
import { whatOf } from './view';

const columns = columnsOf<Approval>();

/** The list of decisions that wait for another operator. Routes of the desk approve and reject them. */
export const approvalDesk = ({ database, now }: DeskDeps): Desk =>
  defineDesk({
    name: 'approvals',
    title: 'Decisions of one operator that wait for another',
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
          approvedFirstBy: columns.text('approved first by', ({ firstBy }) => firstBy),
          why: columns.text('why', ({ reason }) => reason),
          since: columns.since('since', ({ requestedAt }) => requestedAt),
        },
        rows: (page) => approvalsToDecide(database, waitingFilterOf(page, now())),
        place: ({ id, requestedAt }) => ({ since: requestedAt, id }),
        waitsSince: (sql) => countApprovals(sql),
      }),
    ],
  });
