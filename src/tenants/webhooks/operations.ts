import type { Sql, Tx } from '../../kernel/db/database';
import { Problem } from '../../kernel/errors';
import type { Commands } from '../../kernel/outbox/commands';
import { REGISTRATIONS, type Registration, tellWhenCommitted } from '../../kernel/outbox/events';
import { keepParked, parkDue, requeue, retryAtOnce } from './delivery/moves';
import type { Endpoint, EndpointKey, EndpointStatus } from './record';
import { recoveryCommand } from './recovery-command';
import {
  deleteEndpoints,
  findEndpoints,
  lockEndpoints,
  probeNow,
  putEndpoints,
  takeResendTurn,
} from './store';
import { type Webhook, webhookView } from './view';

/**
 * Types that a registration without `type` means for ever (`interface.md 4.4`, decisions part 4). Others are registered
 * one by one.
 */
const UNNAMED: readonly Registration[] = ['card', 'account', 'cardholder', 'kyc'];
const RESEND_EVERY_MS = 10_000;

export async function listWebhooks(sql: Sql, tenantId: string): Promise<Webhook[]> {
  return (await findEndpoints(sql, { tenantId })).map(webhookView);
}

/**
 * Sets the URL of one type, or of all unnamed types, replacing the former URL. A failing or disabled endpoint becomes
 * active and its waiting events are sent. The recovery makes events due again that were parked while it was disabled.
 * The caller has checked the URL (`checkUrl`).
 * @returns all webhooks of the tenant
 */
export async function setWebhook(
  tx: Tx,
  commands: Commands,
  given: { tenantId: string; url: string; type?: Registration; now: Date },
): Promise<Webhook[]> {
  const registrations = given.type ? [given.type] : UNNAMED;
  const before = await lockEndpoints(tx, given.tenantId, registrations);
  await putEndpoints(tx, { ...given, registrations });
  await retryAtOnce(tx, before);
  commands.append(tx, recoveriesOf(before, ['failing', 'disabled']));
  tellWhenCommitted(tx);
  return listWebhooks(tx, given.tenantId);
}

/** Deletes one registration or all. Due events are parked for a resend. */
export async function deleteWebhook(
  tx: Tx,
  commands: Commands,
  given: { tenantId: string; type?: Registration },
): Promise<void> {
  const registrations = given.type ? [given.type] : REGISTRATIONS;
  const before = await lockEndpoints(tx, given.tenantId, registrations);
  await parkDue(tx, await deleteEndpoints(tx, given.tenantId, registrations));
  await keepParked(tx, before);
  commands.append(tx, recoveriesOf(before, ['failing']));
}

/** Recoveries of the endpoints with one of these statuses, which must read the changed endpoint. */
function recoveriesOf(endpoints: Endpoint[], statuses: EndpointStatus[]) {
  return endpoints
    .filter(({ status }) => statuses.includes(status))
    .map((endpoint) => recoveryCommand(endpoint));
}

export type ResendCounters = Record<Registration | 'total', number>;

const NOTHING: ResendCounters = {
  account: 0,
  card: 0,
  deposit: 0,
  cardholder: 0,
  kyc: 0,
  payout: 0,
  transfer: 0,
  total: 0,
};

/**
 * Queues undelivered events from `fromDate` to `toDate` again: failed, parked, waiting, or recorded without an
 * endpoint. They are sent in order of creation, at most eight at a time. Failing endpoints are probed at once.
 * @throws Problem 429 for a second call of a tenant within 10 s
 */
export async function resendWebhooks(
  tx: Tx,
  commands: Commands,
  given: { tenantId: string; fromDate: Date; toDate?: Date; now: Date },
): Promise<ResendCounters> {
  const waitMs = await takeResendTurn(tx, given.tenantId, given.now, RESEND_EVERY_MS);
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    throw new Problem(429, 'rate_limited', 'Only one replay in 10 seconds is allowed.', undefined, seconds);
  }
  return queueAgain(tx, commands, given);
}

export async function queueAgain(
  tx: Tx,
  commands: Commands,
  given: {
    tenantId: string;
    fromDate: Date;
    toDate?: Date;
    now: Date;
    registration?: Registration | undefined;
    only?: 'failed'[];
  },
): Promise<ResendCounters> {
  const counters: ResendCounters = { ...NOTHING };
  const failing: EndpointKey[] = await probeNow(tx, given);
  for (const { registration, count } of await requeue(tx, given)) {
    counters[registration] = count;
    counters.total += count;
  }
  commands.append(
    tx,
    failing.map((endpoint) => recoveryCommand(endpoint)),
  );
  tellWhenCommitted(tx);
  return counters;
}
