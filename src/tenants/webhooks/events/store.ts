import type { Sql } from '../../../kernel/db/database';
import { beginOf } from '../../../kernel/db/page-begin';
import type { EventPlace } from '../../../kernel/outbox/event-id';
import { REGISTRATIONS, type Registration } from '../../../kernel/outbox/events';
import { OF_RECORDS } from '../../../kernel/outbox/told-events';
import type { AttemptMade } from '../delivery/attempts';
import { AGAIN } from '../delivery/moves';
import { type DeliveryStatus, deliveryTransition } from '../delivery/record';

/** An event with the state of its delivery. */
export interface StoredEvent {
  number: string;
  tenantId: string;
  registration: Registration;
  event: string;
  dataId: string;
  /** The reference of a transaction, else the record that the event is about. */
  recordId: string;
  createdAt: Date;
  /** Exact text of the envelope's data. */
  data: string;
  delivery: DeliveryStatus;
  /** Oldest first, at most 20. */
  attemptsMade: AttemptMade[] | null;
  /** The URLs of the attempts by their ids. */
  urls: Record<number, string> | null;
  /** Present URL of its type. */
  url: string | null;
}

const COLUMNS = `e.number, e.tenant_id as "tenantId", e.registration, e.event, e.data_id as "dataId",
  coalesce(e.reference_id, event_record(e.data, e.data_id)) as "recordId", e.created_at as "createdAt", e.data, e.delivery,
  e.attempts_made as "attemptsMade", w.url,
  (select jsonb_object_agg(u.id, u.url) from webhook_urls u
    where u.id in (select (made->'url')::int from jsonb_array_elements(e.attempts_made) made)) as urls`;

const FROM = `events e left join webhook_endpoints w on w.tenant_id = e.tenant_id and w.registration = e.registration`;

export interface EventsPage {
  tenantId: string;
  registration?: Registration | undefined;
  recordId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** The last event of the previous page. */
  after?: { number: string; createdAt: Date } | undefined;
  rows: number;
}

/** Conditions of the two indexes that hold all events of a tenant. */
const STATES = [`delivery in ('recorded', 'failed', 'parked')`, `delivery in ('due', 'delivered')`];

/**
 * Newest events of a tenant. Raw: `rows` of each type and each of the two indexes are read in the order of the index, so
 * that the cost does not grow with the number of events.
 */
export async function findEvents(sql: Sql, page: EventsPage): Promise<StoredEvent[]> {
  if (page.recordId !== undefined) return findEventsAbout(sql, page, page.recordId);
  const newest = STATES.map(
    (state) => `(select number, created_at from events
      where tenant_id = $1 and registration = r.registration and ${state} and ${IN_PAGE}
      order by created_at desc, number desc limit $5)`,
  );
  return sql.query<StoredEvent>(
    `with page as (
       select n.number from unnest($6::text[]) as r(registration) cross join lateral (${newest.join(' union all ')}) n
        order by n.created_at desc, n.number desc limit $5)
     select ${COLUMNS} from ${FROM} where e.number = any (array(select number from page))
      order by e.created_at desc, e.number desc`,
    [...valuesOf(page), page.registration ? [page.registration] : REGISTRATIONS],
  );
}

/** A record and a reference have few events, which two indexes find. */
async function findEventsAbout(sql: Sql, page: EventsPage, recordId: string): Promise<StoredEvent[]> {
  return sql.query<StoredEvent>(
    `with about as (
       select number from events where reference_id = $6
       union
       select number from events where ${OF_RECORDS} and event_record(data, data_id) = $6)
     select ${COLUMNS} from ${FROM}
      where e.number = any (array(select number from about)) and e.tenant_id = $1 and e.registration = any ($7)
        and (e.created_at, e.number) < ($3, $4) and e.created_at >= $2
      order by e.created_at desc, e.number desc limit $5`,
    [...valuesOf(page), recordId, page.registration ? [page.registration] : REGISTRATIONS],
  );
}

const IN_PAGE = `created_at >= $2 and (created_at, number) < ($3, $4)`;

const valuesOf = ({ tenantId, from, to, after, rows }: EventsPage) => [
  tenantId,
  from ?? '-infinity',
  ...beginOf(after && [after.createdAt.toISOString(), after.number], to, ['infinity', '0']),
  rows,
];

/** @param reach the tenant of the event; null for any */
export async function findEvent(
  sql: Sql,
  reach: string | null,
  place: EventPlace,
): Promise<StoredEvent | undefined> {
  const [where, values] =
    'dataId' in place
      ? [`${OF_RECORDS} and e.data_id = $2`, [place.dataId]]
      : ['e.number = $2 and e.created_at = $3', [place.number, place.createdAt]];
  const [found] = await sql.query<StoredEvent>(
    `select ${COLUMNS} from ${FROM} where ($1::text is null or e.tenant_id = $1) and ${where}`,
    [reach, ...values],
  );
  return found;
}

/**
 * Makes an event due, with a new retry schedule, whatever became of its delivery. An attempt under way goes on.
 * @returns false when its type has no URL, or the endpoint is disabled
 */
export async function makeDue(sql: Sql, number: string): Promise<boolean> {
  const { from, to } = deliveryTransition('resent_alone');
  const rows = await sql.query(
    `update events e set delivery = $2, ${AGAIN}, delivered_at = null
      where number = $1 and delivery = any ($3)
        and exists (select from webhook_endpoints w where w.tenant_id = e.tenant_id and w.registration = e.registration
                       and w.status <> 'disabled')
     returning number`,
    [number, to, from],
  );
  return rows.length > 0;
}

/** Deletes the URLs that every endpoint left more than a number of days ago, because all events with attempts there are gone. */
export async function deleteOldUrls(sql: Sql, days: number): Promise<void> {
  await sql.query(
    `delete from webhook_urls u
      where left_at < product_now() - make_interval(days => $1::int)
        and not exists (select from webhook_endpoints w where w.tenant_id = u.tenant_id and w.url_id = u.id)`,
    [days],
  );
}

/**
 * Deletes at most `limit` events that are older than a number of days. Rows are numbered in the order of their insertion, so
 * the primary key finds the oldest. Twice as many rows are read, because a younger one may stand among them.
 * @param after number of the last event of the portion before, so that its index entries are not read again
 * @returns the number of deleted events, and the number of the last one
 */
export async function deleteOldEvents(
  sql: Sql,
  { days, limit, after }: { days: number; limit: number; after: string },
): Promise<{ deleted: number; last: string }> {
  const [row] = await sql.query<{ deleted: number; last: string }>(
    `with gone as (
       delete from events
        where number = any (array(
          select number from (select number, created_at from events where number > $3 order by number limit 2 * $1::int) as oldest
           where created_at < product_now() - make_interval(days => $2::int) limit $1::int))
       returning number)
     select count(*)::int as deleted, coalesce(max(number), $3) as last from gone`,
    [limit, days, after],
  );
  return row ?? { deleted: 0, last: after };
}
