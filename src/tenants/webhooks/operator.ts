import type { Sql, Tx } from '../../kernel/db/database';
import type { WaitingFilter } from '../../kernel/db/waiting';
import type { Commands } from '../../kernel/outbox/commands';
import type { Registration } from '../../kernel/outbox/events';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { queueAgain, type ResendCounters } from './operations';
import type { EndpointStatus } from './record';
import { type Endpoint } from './record';
import { recoveryCommand } from './recovery-command';
import { countDeliveries, faultyEndpoints, findEndpoints, overdueProbes } from './store';

export { countFaultyEndpoints } from './store';

/** Webhook operations of the command line. */

export interface ListedEndpoint extends Endpoint {
  /** Deliveries that wait, have failed, or are parked. */
  due: number;
  failed: number;
  parked: number;
}

export async function listEndpoints(
  sql: Sql,
  given: { tenantId?: string; status?: EndpointStatus } = {},
): Promise<ListedEndpoint[]> {
  return withCounts(sql, await findEndpoints(sql, given), given.tenantId);
}

/** Failing and disabled endpoints, longest first. @throws Problem 400 */
export async function listFaulty(
  sql: Sql,
  filter: WaitingFilter,
): Promise<(ListedEndpoint & { since: Date })[]> {
  return withCounts(sql, await faultyEndpoints(sql, filter), filter.tenantId);
}

async function withCounts<E extends Endpoint>(
  sql: Sql,
  endpoints: readonly E[],
  tenantId: string | undefined,
): Promise<(E & ListedEndpoint)[]> {
  const counts = endpoints.length === 0 ? [] : await countDeliveries(sql, tenantId);
  return endpoints.map((endpoint) => {
    const of = (delivery: string) =>
      counts.find(
        (row) =>
          row.tenantId === endpoint.tenantId &&
          row.registration === endpoint.registration &&
          row.delivery === delivery,
      )?.count ?? 0;
    return { ...endpoint, due: of('due'), failed: of('failed'), parked: of('parked') };
  });
}

/** Queues failed deliveries again: all, or those of events since `fromDate`. @returns counts by type */
export function retryFailed(
  tx: Tx,
  commands: Commands,
  given: { tenantId: string; registration?: Registration; fromDate?: Date },
): Promise<ResendCounters> {
  const { tenantId, registration, fromDate = new Date(0) } = given;
  return queueAgain(tx, commands, { tenantId, registration, fromDate, now: new Date(), only: ['failed'] });
}

/** Failing endpoints with an overdue probe: the recovery was lost or missed a signal. */
export const reconcilableEndpoints: Reconcilable = {
  name: 'webhook endpoints',
  async stale(sql, olderThan, limit, exceptWorkflows) {
    return (await overdueProbes(sql, { olderThan, limit, exceptWorkflows })).map(recoveryCommand);
  },
};
