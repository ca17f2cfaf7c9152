import { channel } from 'node:diagnostics_channel';
import type { Sql, Tx } from '../db/database';
import { compositeArray, jsonLines, type Write, writeTogether } from '../db/writes';
import { presentTrace } from '../tracing/trace';

/** Kinds of webhooks for which a tenant registers a URL (`interface.md 4.4`, decisions part 4, Webhooks). */
export const REGISTRATIONS = [
  'card',
  'account',
  'deposit',
  'cardholder',
  'kyc',
  'payout',
  'transfer',
] as const;
export type Registration = (typeof REGISTRATIONS)[number];

/** Number of webhook dispatchers. An endpoint always belongs to the same one (`webhook_shard` in the schema). */
export const SHARDS = 16;

/**
 * Wakes the dispatchers of this process after events were committed. Dispatchers of other processes find the events by
 * polling.
 */
export const eventsCommitted = channel('cardwright:events-committed');

/** Wakes the dispatchers of this process after the commit. Does nothing outside of a transaction. */
export function tellWhenCommitted(tx: Sql | Tx): void {
  if (eventsCommitted.hasSubscribers && 'afterCommit' in tx)
    tx.afterCommit(() => eventsCommitted.publish(undefined));
}

export interface WebhookEvent {
  tenantId: string;
  registration: Registration;
  /** `event` of the envelope: `card_transaction`, `account.deposit.completed` … */
  event: string;
  /** `data` of the envelope, with `id` first. Rendered once, so that every attempt and replay sends the same bytes. */
  data: { id: string } & Record<string, unknown>;
  at: Date;
  /** Present on ledger events. A second event with the same reference, event, type and subtype is refused (6.1). */
  reference?: { id: string; type: string; subtype?: string };
  /** Idempotency key of the API call that caused the event, however long ago. */
  idempotencyKey?: string | null;
  /** Default: the present trace. */
  traceparent?: string | undefined;
}

/** Records events in the transaction of the change that they report. */
export async function appendEvents(tx: Sql, events: WebhookEvent[]): Promise<void> {
  if (events.length > 0) tellWhenCommitted(tx);
  await writeTogether(tx, [eventsWrite(events)]);
}

/**
 * The write that records events; the caller also calls {@link tellWhenCommitted}. An event is due at once when the
 * tenant has an endpoint for it, parked when that endpoint is disabled, and otherwise only recorded, for a resend. Due
 * times follow the clock of Postgres, as dispatchers do, so that a process whose clock is ahead delays nothing.
 */
export function eventsWrite(events: WebhookEvent[]): Write | undefined {
  if (events.length === 0) return undefined;
  const trace = presentTrace();
  const data = events.map((event) => JSON.stringify(event.data));
  const rows = events.map((event) => [
    event.tenantId,
    event.registration,
    event.event,
    event.data.id,
    event.reference?.id,
    event.reference?.type,
    event.reference?.subtype,
    null, // the data
    event.idempotencyKey,
    event.at,
    event.traceparent ?? trace,
  ]);
  return { name: 'events', statement: APPEND, values: [compositeArray(rows), jsonLines(data)] };
}

const APPEND = `
  insert into events (tenant_id, registration, event, data_id, reference_id, type, subtype, data, idempotency_key,
                      created_at, traceparent, shard, delivery, due_at)
  select e.tenant_id, e.registration, e.event, e.data_id, e.reference_id, e.type, e.subtype, e.json, e.idempotency_key,
         e.created_at, e.traceparent, webhook_shard(e.tenant_id, e.registration),
         case when w.status is null then 'recorded' when w.status = 'disabled' then 'parked' else 'due' end,
         case when w.status is not null then least(e.created_at, product_now()) end
    from unnest($1::new_event[], string_to_array($2, E'\\n')) with ordinality
           as e(tenant_id, registration, event, data_id, reference_id, type, subtype, data, idempotency_key, created_at,
                traceparent, json, o)
    left join webhook_endpoints w on w.tenant_id = e.tenant_id and w.registration = e.registration
   order by e.o`;
