import { createDelivery, type WebhookOptions } from '../../../activities/webhooks';
import { newId } from '../../../src/kernel/ids';
import { appendEvents, type Registration, SHARDS } from '../../../src/kernel/outbox/events';
import {
  createDispatcher,
  type DispatcherDeps,
  type TakenShard,
} from '../../../src/tenants/webhooks/delivery/dispatcher';
import type { Client, TestApi } from '../../support/api';

export interface AppendOptions {
  registration?: Registration;
  count?: number;
  idempotencyKey?: string;
  at?: Date;
  note?: string;
}

/** Records events of a tenant, as a domain does. @returns their data ids, in order */
export async function append(api: TestApi, client: Client, options: AppendOptions = {}): Promise<string[]> {
  const { registration = 'card', count = 1, idempotencyKey, at = new Date(), note = 'Zürich ✓' } = options;
  const ids = Array.from({ length: count }, () => newId('event'));
  await api.database.transaction((tx) =>
    appendEvents(
      tx,
      ids.map((id) => ({
        tenantId: client.clientId,
        registration,
        event: `${registration}_transaction`,
        data: { id, amount: '10.00', note },
        at,
        idempotencyKey,
      })),
    ),
  );
  return ids;
}

export async function register(client: Client, url: string, type?: Registration): Promise<void> {
  const answer = await client.call('POST', '/v1/webhooks', { url, type });
  if (answer.status !== 201) throw new Error(answer.text);
}

export interface EventRow {
  data_id: string;
  delivery: string;
  attempts: number;
  last_error: string | null;
  leased_until: Date | null;
  due_at: Date | null;
}

export function eventsOf(api: TestApi, client: Client): Promise<EventRow[]> {
  return api.database.query<EventRow>(
    'select data_id, delivery, attempts, last_error, leased_until, due_at from events where tenant_id = $1 order by created_at, number',
    [client.clientId],
  );
}

export async function endpointOf(api: TestApi, client: Client, registration = 'card') {
  const [row] = await api.database.query<{
    url_id: number;
    status: string;
    probes: number;
    next_probe_at: Date | null;
    last_error: string | null;
    recent_failures: number;
    failing_since: Date | null;
  }>('select * from webhook_endpoints where tenant_id = $1 and registration = $2', [
    client.clientId,
    registration,
  ]);
  return row;
}

/** One more failure makes the endpoint count as failing, because it has failed four times in a row. */
export async function aboutToFail(api: TestApi, client: Client): Promise<void> {
  await api.database.query('update webhook_endpoints set recent_failures = 15 where tenant_id = $1', [
    client.clientId,
  ]);
}

/** Makes retries due now. */
export async function retryNow(api: TestApi, client: Client): Promise<void> {
  await api.database.query(
    `update events set due_at = now() where tenant_id = $1 and delivery = 'due' and due_at > now()`,
    [client.clientId],
  );
}

export interface RunningDispatcher {
  /** Releases every shard and waits until all outcomes are recorded. */
  stop(): Promise<{ delivered: number; failed: number }>;
}

type DispatcherOptions = WebhookOptions & Partial<Pick<DispatcherDeps, 'leaseMs' | 'standInAfterMs'>>;

/** The dispatcher of a process, without a shard. */
export const newDispatcher = (api: TestApi, options: DispatcherOptions = {}) =>
  createDispatcher({ ...createDelivery(api.services, options), ...options });

export interface ShardRow {
  shard: number;
  fence: number;
  holder: string | null;
  stands_in: boolean;
}

export const shardsOf = (api: TestApi): Promise<ShardRow[]> =>
  api.database.query('select shard, fence, holder, stands_in from webhook_shards order by shard');

/** Makes the lease of every shard old, as after a holder that has stopped. */
export async function ageLeases(api: TestApi): Promise<void> {
  await api.database.query(`update webhook_shards set renewed_at = now() - interval '16 seconds'`);
}

/** The dispatcher of a process with every shard. */
export function dispatching(
  api: TestApi,
  options: WebhookOptions & Partial<Pick<DispatcherDeps, 'leaseMs' | 'maxClaimed' | 'random'>> = {},
): RunningDispatcher {
  const dispatcher = newDispatcher(api, options);
  const shards: TakenShard[] = Array.from({ length: SHARDS }, (_, shard) => dispatcher.take(shard));
  return {
    async stop() {
      for (const shard of shards) shard.release();
      await Promise.all(shards.map((shard) => shard.drained()));
      const counts = shards.map((shard) => shard.counts());
      return {
        delivered: counts.reduce((sum, { delivered }) => sum + delivered, 0),
        failed: counts.reduce((sum, { failed }) => sum + failed, 0),
      };
    },
  };
}
