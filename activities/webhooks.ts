import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Composed } from '../src/composition';
import { createEventIds } from '../src/kernel/outbox/event-id';
import { createResolver } from '../src/kernel/security/allowed-addresses';
import { guardedConnector } from '../src/kernel/security/guarded-connector';
import { isTracing } from '../src/kernel/tracing/trace';
import { createDispatcher, type Dispatcher } from '../src/tenants/webhooks/delivery/dispatcher';
import { UNDER_WAY } from '../src/tenants/webhooks/delivery/lane';
import { observedPoster } from '../src/tenants/webhooks/delivery/observed-poster';
import { createPoster } from '../src/tenants/webhooks/delivery/poster';
import {
  beginRecovery,
  type ProbeRequest,
  probeEndpoint,
  type RecoveryState,
} from '../src/tenants/webhooks/delivery/recovery';
import type { Counts } from '../src/tenants/webhooks/delivery/shards';
import { createSigningSecrets } from '../src/tenants/webhooks/delivery/signing-secrets';
import { tracedPoster } from '../src/tenants/webhooks/delivery/traced-poster';
import type { EndpointKey } from '../src/tenants/webhooks/record';
import { sliceOf } from './slice';

export interface WebhookActivities {
  /** Delivers a shard's events for four hours. @returns the number of attempts that succeeded and that failed */
  dispatchWebhooks(shard: number): Promise<Counts>;
  readWebhookRecovery(endpoint: EndpointKey): Promise<RecoveryState>;
  probeWebhookEndpoint(request: ProbeRequest): Promise<RecoveryState>;
}

export interface WebhookOptions {
  /** Allows loopback addresses and plain http. Default: only in the sandbox. */
  allowLoopback?: boolean;
  /** Certificates to trust instead of the system's. Used by tests. */
  ca?: string;
  /** How long one dispatching activity runs, in milliseconds. */
  sliceMs?: number;
  /** Time-out of one attempt, in milliseconds. */
  timeoutMs?: number;
  /** Longest wait between two probes, in milliseconds. Default: 25 s in the sandbox, elsewhere none. */
  maxProbeMs?: number;
}

/** An attempt succeeds when the answer comes within 15 s (decisions part 4, Webhooks). */
const TIMEOUT_MS = 15_000;
const CONNECT_MS = 10_000;
const HEARTBEAT_MS = 4_000;
/** In the sandbox, a developer who repairs an endpoint waits no longer than this for its events. */
const SANDBOX_PROBE_MS = 25_000;

/** Creates the services that deliver webhooks. All activities of a process share them. */
export function createDelivery(services: Composed, options: WebhookOptions = {}) {
  const { allowLoopback = services.mode === 'sandbox', ca, timeoutMs = TIMEOUT_MS } = options;
  const resolve = createResolver();
  const connect = guardedConnector({ allowLoopback, ca, resolve, timeoutMs: CONNECT_MS });
  const plain = createPoster({ connect, timeoutMs, connections: UNDER_WAY });
  const poster = observedPoster(isTracing() ? tracedPoster(plain) : plain, services.observeWebhook);
  const secrets = createSigningSecrets(services);
  const ids = createEventIds(services.keyring);
  const { maxProbeMs = services.mode === 'sandbox' ? SANDBOX_PROBE_MS : Number.POSITIVE_INFINITY } = options;
  return { ...services, poster, secrets, ids, maxProbeMs };
}

/** The delivery of webhooks in a process. */
export interface WebhookDelivery extends Pick<Dispatcher, 'standIn'> {
  activities: WebhookActivities;
}

export const createWebhookActivities = (services: Composed, options?: WebhookOptions): WebhookActivities =>
  createWebhookDelivery(services, options).activities;

export function createWebhookDelivery(services: Composed, options: WebhookOptions = {}): WebhookDelivery {
  const delivery = createDelivery(services, options);
  const dispatcher = createDispatcher(delivery);
  return {
    standIn: dispatcher.standIn,
    activities: activitiesOf(services, { ...options, delivery, dispatcher }),
  };
}

interface ActivitiesOptions extends WebhookOptions {
  delivery: ReturnType<typeof createDelivery>;
  dispatcher: Dispatcher;
}

function activitiesOf(
  services: Composed,
  { delivery, dispatcher, sliceMs }: ActivitiesOptions,
): WebhookActivities {
  const { toWorkflow, fromWorkflow } = services.productClock;
  /** The workflow waits by its own clock. */
  const shown = (state: RecoveryState): RecoveryState => ({
    ...state,
    nextProbeAt: toWorkflow(new Date(state.nextProbeAt)),
  });
  return {
    async dispatchWebhooks(shard) {
      const { cancellationSignal, info } = Context.current();
      const taken = dispatcher.take(shard);
      try {
        await beatFor(sliceOf(info, sliceMs), cancellationSignal);
      } finally {
        taken.release();
      }
      // The worker stops or has lost the shard. Attempts under way end first, so that no event is sent twice.
      if (cancellationSignal.aborted) await taken.drained();
      return taken.counts();
    },
    readWebhookRecovery: async (endpoint) => shown(await beginRecovery(services.database, endpoint)),
    probeWebhookEndpoint: async (request) =>
      shown(await probeEndpoint(delivery, { ...request, now: fromWorkflow(request.now).getTime() })),
  };
}

/** Heartbeats until the time is over or the activity is cancelled. */
async function beatFor(ms: number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + ms;
  while (!signal.aborted) {
    const left = end - performance.now();
    if (left <= 0) return;
    Context.current().heartbeat();
    await sleep(Math.min(HEARTBEAT_MS, left), undefined, { signal }).catch(() => undefined);
  }
}
