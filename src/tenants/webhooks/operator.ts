import type { Sql, Tx } from '../../kernel/db/database';
import type { WaitingFilter, WaitingPlace } from '../../kernel/db/waiting';
import type { Commands } from '../../kernel/outbox/commands';
import type { Registration } from '../../kernel/outbox/events';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { countFailedEvents } from './delivery/moves';
import { queueAgain, type ResendCounters } from './operations';
import type { EndpointStatus } from './record';
import { type Endpoint, type EndpointKey } from './record';
import { recoveryCommand } from './recovery-command';
import {
  countDeliveries,
  type EndpointsPage,
  faultyEndpoints,
  findEndpoints,
  findEndpointsPage,
  overdueProbes,
} from './store';

export { countFaultyEndpoints } from './store';

/** Webhook operations of operators. */

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

/** A page of the endpoints, in the order of {@link placeOfEndpoint}. */
export async function endpointsPage(
  sql: Sql,
  { tenantId, ...page }: EndpointsPage,
): Promise<ListedEndpoint[]> {
  return withCounts(sql, await findEndpointsPage(sql, { tenantId, ...page }), tenantId);
}

/** All endpoints have this moment in their place, because their keys order them. */
const ONE_MOMENT = new Date(0);

export const placeOfEndpoint = ({ tenantId, registration }: EndpointKey): WaitingPlace => ({
  since: ONE_MOMENT,
  id: `${tenantId}/${registration}`,
});

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

interface Failed {
  tenantId: string;
  registration?: Registration | undefined;
  fromDate?: Date | undefined;
}

/** The number of deliveries that {@link retryFailed} queues again. */
export const countFailed = (sql: Sql, { fromDate = new Date(0), ...given }: Failed): Promise<number> =>
  countFailedEvents(sql, { fromDate, ...given });

/** Queues failed deliveries again: all, or those of events since `fromDate`. @returns counts by type */
export function retryFailed(
  tx: Tx,
  commands: Commands,
  { tenantId, registration, fromDate = new Date(0) }: Failed,
): Promise<ResendCounters> {
  return queueAgain(tx, commands, { tenantId, registration, fromDate, now: new Date(), only: ['failed'] });
}

/** Failing endpoints with an overdue probe: the recovery was lost or missed a signal. */
export const reconcilableEndpoints: Reconcilable = {
  name: 'webhook endpoints',
  async stale(sql, olderThan, limit, exceptWorkflows) {
    return (await overdueProbes(sql, { olderThan, limit, exceptWorkflows })).map(recoveryCommand);
  },
};
