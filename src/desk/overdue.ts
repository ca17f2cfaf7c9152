import { cardOperationProcesses } from '../cards/buffered/workflows';
import { cardProcesses, tokenizationProcesses } from '../cards/cards/workflows';
import { challengeProcesses } from '../cards/challenges/workflows';
import { processorOrders } from '../cards/orders/orders';
import { unansweredProcesses } from '../cards/processor/workflows';
import { gasOperationProcesses } from '../chain/gas-station/operations/workflows';
import { allocationProcesses } from '../chain/wallets/allocations/workflows';
import type { Sql } from '../kernel/db/database';
import type { WaitingCount, WaitingFilter } from '../kernel/db/waiting';
import { STALE_MS } from '../kernel/temporal/stale';
import { reviewOrders } from '../people/cardholders/review/submission';
import { cardholderProcesses } from '../people/cardholders/workflows';
import { kycProcesses } from '../people/kyc/workflows';
import { type Desk, defineDesk } from '../process/desk/desk';
import { columnsOf, list } from '../process/desk/list';
import type { DeskDeps } from '../process/desk/story';
import { waitingFilterOf, waitingFilters } from '../process/desk/waiting-filters';
import type { OverdueRecord, Watched } from '../process/overdue';
import { transferProcesses } from '../transfers/reconcilables';

/**
 * Records that the reconciler watches. Webhook endpoints have their own list (`reconcilables` in src/composition.ts).
 */
export const WATCHED: readonly Watched[] = [
  cardProcesses,
  tokenizationProcesses,
  cardOperationProcesses,
  processorOrders.processes,
  unansweredProcesses,
  challengeProcesses,
  cardholderProcesses,
  reviewOrders.processes,
  kycProcesses,
  allocationProcesses,
  gasOperationProcesses,
  ...transferProcesses,
];

const columns = columnsOf<OverdueRecord>();

/** The list of stuck records of every domain, which no decision of one domain moves. */
export const overdueDesk = ({ database, now }: DeskDeps): Desk =>
  defineDesk({
    name: 'overdue',
    title: 'Records without progress',
    lists: [
      list({
        name: 'overdue',
        title:
          'records without progress although they are retried each five minutes: a party or a process is away',
        filters: waitingFilters({
          kind: `The kind of record: ${WATCHED.map(({ name }) => name).join(', ')}.`,
        }),
        columns: {
          id: columns.id('id', ({ id }) => id),
          what: columns.text('what', ({ what }) => what),
          client: columns.id('client', ({ tenantId }) => tenantId),
          workflow: columns.text('workflow', ({ workflowId }) => workflowId),
          since: columns.since('since', ({ since }) => since),
        },
        rows: (page) => overdueRecords(database, waitingFilterOf(page, now()), now()),
        place: ({ since, id }) => ({ since, id }),
        waitsSince: countOverdue,
        fails: true,
      }),
    ],
  });

/** The longest overdue first. Each kind of record gives a page, because any of them may fill it. */
async function overdueRecords(
  sql: Sql,
  { kind, ...filter }: WaitingFilter,
  now: Date,
): Promise<OverdueRecord[]> {
  const before = new Date(now.getTime() - STALE_MS);
  const watched = WATCHED.filter(({ name }) => (kind ?? name) === name);
  const found: OverdueRecord[] = [];
  for (const { records } of watched) found.push(...(await records(sql, before, filter)));
  return found.sort(byPlace).slice(0, filter.limit);
}

async function countOverdue(sql: Sql, now: Date): Promise<WaitingCount> {
  const all = { count: 0, oldestSeconds: 0 };
  for (const watched of WATCHED) {
    const { count, oldestSeconds } = await watched.count(sql, new Date(now.getTime() - STALE_MS));
    all.count += count;
    all.oldestSeconds = Math.max(all.oldestSeconds, oldestSeconds);
  }
  return all;
}

const byPlace = (one: OverdueRecord, other: OverdueRecord): number =>
  one.since.getTime() - other.since.getTime() || (one.id < other.id ? -1 : 1);
