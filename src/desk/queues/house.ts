import { cardOperationProcesses } from '../../cards/buffered/workflows';
import { cardProcesses, tokenizationProcesses } from '../../cards/cards/workflows';
import { challengeProcesses } from '../../cards/challenges/workflows';
import { processorOrders } from '../../cards/orders/orders';
import { unansweredProcesses } from '../../cards/processor/workflows';
import { gasOperationProcesses } from '../../chain/gas-station/operations/workflows';
import { allocationProcesses } from '../../chain/wallets/allocations/workflows';
import { countParked, listParked } from '../../kernel/outbox/waiting-commands';
import { STALE_MS } from '../../kernel/temporal/stale';
import { reviewOrders } from '../../people/cardholders/review/submission';
import { cardholderProcesses } from '../../people/cardholders/workflows';
import { kycProcesses } from '../../people/kyc/workflows';
import { approvalsToDecide, countApprovals } from '../../process/approvals/operations';
import { approvalView, whatOf } from '../../process/approvals/view';
import { countBreaks, listBreaks } from '../../process/breaks/operations';
import type { Break } from '../../process/breaks/record';
import { breakView } from '../../process/breaks/view';
import type { OverdueRecord, Watched } from '../../process/overdue';
import { countFaultyEndpoints, listFaulty } from '../../tenants/webhooks/operator';
import { transferProcesses } from '../../transfers/reconcilables';
import { type Cell, type Queue, queueOf, shownMoney } from '../queue';

const BREAKS = {
  columns: ['id', 'kind', 'subject', 'detail', 'amount'],
  place: ({ id, tenantId, createdAt }: Break) => ({ id, tenantId, since: createdAt }),
  cells: ({ id, kind, subject, detail, amount, currency }: Break): Cell[] => [
    ...[id, kind, subject, detail, amount && currency ? shownMoney(amount, currency) : null],
  ],
  record: breakView,
};

export const approvals: Queue = queueOf({
  name: 'approvals',
  description: 'decisions of one person that need a second one: approve or reject',
  kind: 'the kind of decision',
  byCurrency: true,
  columns: ['id', 'what', 'about', 'client', 'comes to', 'asked by', 'approved first by', 'why'],
  load: ({ database }, filter) => approvalsToDecide(database, filter),
  count: (sql) => countApprovals(sql),
  place: ({ id, tenantId, requestedAt }) => ({ id, tenantId, since: requestedAt }),
  cells: ({ id, kind, subject, tenantId, requestedBy, firstBy, reason, ...rest }) => [
    ...[id, kind, subject, tenantId, whatOf(rest), requestedBy, firstBy, reason],
  ],
  record: approvalView,
});

export const breaks: Queue = queueOf({
  ...BREAKS,
  name: 'breaks',
  fails: true,
  byCurrency: true,
  description: 'money and messages that match no record; breaks of suspense are resolved by themselves',
  kind: 'the kind of break',
  load: ({ database }, filter) => listBreaks(database, filter),
  count: (sql) => countBreaks(sql),
});

/** Breaks including resolved ones, which nobody has to decide. */
export const allBreaks: Queue = queueOf({
  ...BREAKS,
  name: 'all breaks',
  description: 'open and resolved breaks',
  byCurrency: true,
  kind: 'what went wrong',
  columns: [...BREAKS.columns, 'resolved by'],
  load: ({ database }, filter) => listBreaks(database, { ...filter, all: true }),
  cells: (each) => [...BREAKS.cells(each), each.resolvedBy],
  count: (sql) => countBreaks(sql),
});

export const commands: Queue = queueOf({
  name: 'commands',
  fails: true,
  description: 'workflow commands that Temporal has refused for good (parked after 20 attempts)',
  kind: 'the workflow',
  columns: ['number', 'action', 'workflow', 'tries', 'last error'],
  load: ({ database }, filter) => listParked(database, filter),
  count: (sql) => countParked(sql),
  place: ({ number, tenantId, parkedAt }) => ({ id: number, tenantId, since: parkedAt }),
  cells: ({ number, action, workflowId, attempts, lastError }) => [
    ...[number, action, workflowId, attempts, lastError],
  ],
  record: (command) => command,
});

export const endpoints: Queue = queueOf({
  name: 'endpoints',
  fails: true,
  description:
    'webhook endpoints that fail, or were disabled after a 410 or 7 days of failures: tell the tenant',
  kind: 'the status',
  columns: ['client', 'type', 'status', 'due', 'failed', 'parked', 'url', 'last error'],
  load: ({ database }, filter) => listFaulty(database, filter),
  count: (sql) => countFaultyEndpoints(sql),
  place: ({ tenantId, registration, since }) => ({ id: `${tenantId}/${registration}`, tenantId, since }),
  cells: ({ tenantId, registration, status, due, failed, parked, url, lastError }) => [
    ...[tenantId, registration, status, due, failed, parked, url, lastError],
  ],
  record: (endpoint) => endpoint,
});

/**
 * Records that the reconciler watches. Webhook endpoints have their own queue (`reconcilables` in src/composition.ts).
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

export const overdue: Queue = queueOf<OverdueRecord>({
  name: 'overdue',
  fails: true,
  description:
    'records without progress although they are retried each five minutes: a party or a process is away',
  kind: 'the kind of record',
  columns: ['id', 'what', 'client', 'workflow'],
  async load({ database, now }, { kind, ...filter }) {
    const before = new Date(now().getTime() - STALE_MS);
    const watched = WATCHED.filter(({ name }) => (kind ?? name) === name);
    const found: OverdueRecord[] = [];
    for (const { records } of watched) found.push(...(await records(database, before, filter)));
    return found.sort(byPlace).slice(0, filter.limit);
  },
  async count(sql, now) {
    const all = { count: 0, oldestSeconds: 0 };
    for (const watched of WATCHED) {
      const { count, oldestSeconds } = await watched.count(sql, new Date(now.getTime() - STALE_MS));
      all.count += count;
      all.oldestSeconds = Math.max(all.oldestSeconds, oldestSeconds);
    }
    return all;
  },
  place: (record) => record,
  cells: ({ id, what, tenantId, workflowId }) => [id, what, tenantId, workflowId],
  record: ({ id, what, tenantId, since, workflowId }) => ({ id, what, tenantId, dueBy: since, workflowId }),
});

const byPlace = (one: OverdueRecord, other: OverdueRecord): number =>
  one.since.getTime() - other.since.getTime() || (one.id < other.id ? -1 : 1);
