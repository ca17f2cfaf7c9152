import { channel } from 'node:diagnostics_channel';
import type { Sql, Tx } from '../db/database';
import { type Write, writeTogether } from '../db/writes';

/** What a tenant registers a URL for (`interface.md 4.4`, decisions part 4, Webhooks). */
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

/** How many dispatchers share the endpoints: an endpoint always falls to the same one (`webhook_shard` in the schema). */
export const SHARDS = 16;

/**
 * Told within this process when events have been committed, so that its dispatchers need not wait for their next look.
 * Dispatchers of other processes find them by looking.
 */
export const eventsCommitted = channel('cardwright:events-committed');

/** Tells the dispatchers of this process once the transaction is committed, where there is one. */
export function tellWhenCommitted(tx: Sql | Tx): void {
  if (eventsCommitted.hasSubscribers && 'afterCommit' in tx)
    tx.afterCommit(() => eventsCommitted.publish(undefined));
}

export interface WebhookEvent {
  tenantId: string;
  registration: Registration;
  /** The envelope's `event`: `card_transaction`, `account.deposit.completed` … */
  event: string;
  /** The envelope's `data`, with `id` first. Rendered once: every attempt and replay sends the same bytes. */
  data: { id: string } & Record<string, unknown>;
  at: Date;
  /** Present on ledger events: a second one with the same reference, event, type and subtype is refused (6.1). */
  reference?: { id: string; type: string; subtype?: string };
  /** The key of the API call that caused it, however long ago. */
  idempotencyKey?: string | null;
}

/** Records events in the transaction of what they tell. */
export async function appendEvents(tx: Sql, events: WebhookEvent[]): Promise<void> {
  if (events.length > 0) tellWhenCommitted(tx);
  await writeTogether(tx, [eventsWrite(events)]);
}

/**
 * What records events; {@link tellWhenCommitted} is the caller's. An event is due at once when its tenant has registered
 * an endpoint for its kind, parked when that endpoint is disabled, and else only recorded (a resend can ask for it).
 * Due by the clock of Postgres, which the dispatchers go by: a process whose clock is ahead delays nothing.
 */
export function eventsWrite(events: WebhookEvent[]): Write | undefined {
  if (events.length === 0) return undefined;
  const rows = events.map((event, o) => ({
    o,
    tenant_id: event.tenantId,
    registration: event.registration,
    event: event.event,
    data_id: event.data.id,
    reference_id: event.reference?.id,
    type: event.reference?.type,
    subtype: event.reference?.subtype,
    data: JSON.stringify(event.data),
    idempotency_key: event.idempotencyKey,
    created_at: event.at,
  }));
  return { name: 'events', statement: APPEND, values: [JSON.stringify(rows)] };
}

const APPEND = `
  insert into events (tenant_id, registration, event, data_id, reference_id, type, subtype, data, idempotency_key,
                      created_at, shard, delivery, due_at)
  select e.tenant_id, e.registration, e.event, e.data_id, e.reference_id, e.type, e.subtype, e.data, e.idempotency_key,
         e.created_at, webhook_shard(e.tenant_id, e.registration),
         case when w.status is null then 'recorded' when w.status = 'disabled' then 'parked' else 'due' end,
         case when w.status is not null then least(e.created_at, clock_timestamp()) end
    from json_to_recordset($1::json) as e(o int, tenant_id id, registration text, event text, data_id id, reference_id id,
           type text, subtype text, data text, idempotency_key text, created_at timestamptz)
    left join webhook_endpoints w on w.tenant_id = e.tenant_id and w.registration = e.registration
   order by e.o`;
