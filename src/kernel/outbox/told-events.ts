import { anyOf, raw, table } from '../db/build';
import type { Sql } from '../db/database';

/** A recorded webhook with the state of its delivery. */
export interface ToldEvent {
  /** `id` of its data. */
  id: string;
  tenantId: string;
  registration: string;
  event: string;
  type: string | null;
  subtype: string | null;
  referenceId: string | null;
  at: Date;
  /** recorded: no endpoint was registered. parked: the endpoint was deleted or is disabled. */
  delivery: 'recorded' | 'due' | 'delivered' | 'failed' | 'parked';
  attempts: number;
  dueAt: Date | null;
  deliveredAt: Date | null;
  lastError: string | null;
}

const told = () =>
  table('events')
    .select('data_id as id', 'tenantId', 'registration', 'event', 'type', 'subtype', 'referenceId')
    .select('created_at as at', 'delivery', 'attempts', 'dueAt', 'deliveredAt', 'lastError');

/** Condition of the partial indexes, which leave out transactions of cards and accounts. */
export const OF_RECORDS = `event not in ('card_transaction', 'account_transaction')`;

/**
 * The newest events about a record and about its references, oldest first.
 * @param of.references of account and card transactions
 */
export async function eventsAbout(
  sql: Sql,
  of: { record: string; references?: readonly string[] },
  limit: number,
): Promise<ToldEvent[]> {
  const newest = (query: ReturnType<typeof told>) =>
    sql.run<ToldEvent & { number: string }>(query.select('number').orderBy('number', 'desc').limit(limit));
  const statuses = await newest(
    told()
      .whereRaw(OF_RECORDS)
      .where(raw('event_record(data, data_id) = ?', [of.record])),
  );
  const movements = of.references?.length
    ? await newest(told().where(anyOf('reference_id', of.references)))
    : [];
  return [...statuses, ...movements]
    .sort((one, other) => Number(one.number) - Number(other.number))
    .slice(-limit)
    .map(({ number: _, ...event }) => event);
}

/** Finds a status event by its id. Events of movements are found by their reference. */
export async function findToldEvent(
  sql: Sql,
  id: string,
): Promise<(ToldEvent & { data: unknown; record: string }) | undefined> {
  const [found] = await sql.run<ToldEvent & { data: string; record: string }>(
    told()
      .select('data', raw('event_record(data, data_id) as record'))
      .whereRaw(OF_RECORDS)
      .where({ dataId: id })
      .orderBy('number', 'desc')
      .limit(1),
  );
  return found && { ...found, data: JSON.parse(found.data) as unknown };
}

/**
 * Idempotency keys of the API calls that caused movements, by reference. A reference has at most one event of each
 * type. References without a key are left out.
 */
export async function keysOfEvents(
  sql: Sql,
  of: { event: string; type: string },
  references: readonly string[],
): Promise<Map<string, string>> {
  if (references.length === 0) return new Map();
  const rows = await sql.run<{ referenceId: string; idempotencyKey: string }>(
    table('events')
      .select('referenceId', 'idempotencyKey')
      .where(anyOf('reference_id', references))
      .where(of)
      .whereNotNull('idempotencyKey'),
  );
  return new Map(rows.map(({ referenceId, idempotencyKey }) => [referenceId, idempotencyKey]));
}
