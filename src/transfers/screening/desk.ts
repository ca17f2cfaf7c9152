import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { waitingFilterOf, waitingFilters } from '../../process/desk/waiting-filters';
import type { Services } from '../../services';
import type { Screening } from './record';
import { countPending, pendingScreenings } from './store';

const columns = columnsOf<Screening>();

/** The desk of screenings: those that the party has not decided on. A refused deposit stands in suspense. */
export const screeningDesk = ({ database, now }: Pick<Services, 'database' | 'now'>): Desk =>
  defineDesk({
    name: 'screening',
    title: 'Screenings of payments on chains',
    lists: [
      list({
        name: 'screenings',
        title: 'deposits and payouts that wait for the screening party',
        filters: waitingFilters({ kind: 'The direction: inbound, outbound.', currency: true }),
        columns: {
          id: columns.id('transfer', ({ subject }) => subject),
          client: columns.id('client', ({ tenantId }) => tenantId),
          kind: columns.text('direction', ({ direction }) => direction),
          chain: columns.text('chain', ({ chain }) => chain),
          amount: columns.money('amount', ({ amount, asset: currency }) => ({ amount, currency })),
          status: columns.status('status', ({ status }) => status),
          since: columns.since('since', ({ askedAt }) => askedAt),
        },
        rows: (page) => pendingScreenings(database, waitingFilterOf(page, now())),
        place: ({ key, askedAt }) => ({ since: askedAt, id: key }),
        waitsSince: (sql) => countPending(sql),
      }),
    ],
    decisions: [],
    figures: [],
  });
