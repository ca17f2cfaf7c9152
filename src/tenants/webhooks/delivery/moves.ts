import type { Database, Sql } from '../../../kernel/db/database';
import type { EndpointKey, EndpointStatus } from '../record';
import { deliveryTransition } from './record';

/**
 * Bulk changes of waiting events. A change is first recorded in `webhook_moves`, in the transaction that requires it,
 * and then carried out in portions that survive the end of the process. The first portion runs at once, so that small
 * changes need no dispatcher. SQL is raw, because each step is one statement of several parts. Existence checks name an
 * index's order, else Postgres may scan the table.
 */

/** Events per portion. */
export const PORTION = 2_000;

/** Parks due events of endpoints that were deleted or disabled, until the endpoint is set again or for a resend. */
export async function parkDue(sql: Sql, endpoints: readonly EndpointKey[]): Promise<void> {
  await sql.query(
    `insert into webhook_moves (action, tenant_id, registration, last_number)
     select case when exists (select from webhook_endpoints w where w.tenant_id = p.tenant_id and w.registration = p.registration)
                 then 'park' else 'park_for_resend' end,
            p.tenant_id, p.registration, (select max(number) from events)
       from unnest($1::text[], $2::text[]) as p(tenant_id, registration)
      where not exists (select from webhook_endpoints w
                         where w.tenant_id = p.tenant_id and w.registration = p.registration and w.status <> 'disabled')
        and not exists (select from webhook_moves m
                         where m.tenant_id = p.tenant_id and m.registration = p.registration
                           and (m.action = 'park_for_resend' or (m.action = 'park' and exists (
                             select from webhook_endpoints w where w.tenant_id = p.tenant_id and w.registration = p.registration))))
        and (select true from events e
              where e.shard = webhook_shard(p.tenant_id, p.registration) and e.tenant_id = p.tenant_id
                and e.registration = p.registration and e.delivery = 'due' order by e.due_at, e.number limit 1)`,
    namesOf(endpoints),
  );
  await moveSomeOf(sql, endpoints);
}

/**
 * Keeps events for a resend that were parked while their endpoint was disabled and has now been deleted. Does not check
 * for such events, because the index still holds entries of all events that lately became due again.
 * @param endpoints as they were before the deletion
 */
export async function keepParked(
  sql: Sql,
  endpoints: readonly (EndpointKey & { status: EndpointStatus })[],
): Promise<void> {
  const marked = await sql.query<EndpointKey>(
    `with p as (
       select * from unnest($1::text[], $2::text[], $3::bool[]) as p(tenant_id, registration, is_disabled)
     ), no_longer as (
       delete from webhook_moves m using p
        where m.tenant_id = p.tenant_id and m.registration = p.registration and m.action = 'unpark'
     )
     insert into webhook_moves (action, tenant_id, registration, last_number)
     select 'keep_for_resend', p.tenant_id, p.registration, (select max(number) from events) from p
      where p.is_disabled or exists (select from webhook_moves m where m.tenant_id = p.tenant_id
                                        and m.registration = p.registration and m.action in ('park', 'unpark'))
     returning tenant_id as "tenantId", registration`,
    [...namesOf(endpoints), endpoints.map(({ status }) => status === 'disabled')],
  );
  await moveSomeOf(sql, marked);
}

/** Makes parked events due again after their endpoint was set. The parking may still be under way. */
export async function unpark(sql: Sql, endpoint: EndpointKey): Promise<void> {
  await sql.query(
    `insert into webhook_moves (action, tenant_id, registration, last_number)
     select 'unpark', p.tenant_id, p.registration, (select max(number) from events)
       from webhook_endpoints p
      where p.tenant_id = $1 and p.registration = $2 and p.status <> 'disabled'
        and (exists (select from webhook_moves m where m.tenant_id = $1 and m.registration = $2 and m.action = 'park')
             or (select true from events e where e.tenant_id = $1 and e.registration = $2
                    and e.delivery = 'parked' and e.due_at is not null order by e.created_at, e.number limit 1))
        and not exists (select from webhook_moves m where m.tenant_id = $1 and m.registration = $2 and m.action = 'unpark')`,
    [endpoint.tenantId, endpoint.registration],
  );
  await moveSomeOf(sql, [endpoint]);
}

/** Makes waiting events of endpoints due at once, because the URL was set anew. */
export async function retryAtOnce(sql: Sql, endpoints: readonly EndpointKey[]): Promise<void> {
  await sql.query(
    `insert into webhook_moves (action, tenant_id, registration, last_number, after_at)
     select 'retry', p.tenant_id, p.registration, (select max(number) from events), product_now(now())
       from unnest($1::text[], $2::text[]) as p(tenant_id, registration)
      where (select true from events e
              where e.shard = webhook_shard(p.tenant_id, p.registration) and e.tenant_id = p.tenant_id
                and e.registration = p.registration and e.delivery = 'due' and e.attempts > 0 and e.due_at > product_now(now())
              order by e.due_at, e.number limit 1)`,
    namesOf(endpoints),
  );
  await moveSomeOf(sql, endpoints);
}

/**
 * Makes undelivered events from `fromDate` to `toDate` due again, oldest first and with a new retry schedule, if an
 * endpoint exists.
 * @returns number of events by registration, including events that were waiting already
 */
export async function requeue(
  sql: Sql,
  given: { tenantId: string; fromDate: Date; toDate?: Date; registration?: string; only?: string[] },
): Promise<{ registration: EndpointKey['registration']; count: number }[]> {
  const { from } = deliveryTransition('resent');
  const found = await sql.query<{ registration: EndpointKey['registration']; count: number }>(
    `with open as (
       select tenant_id, registration from webhook_endpoints
        where tenant_id = $1 and status <> 'disabled' and ($3::text is null or registration = $3)
     ), again as (
       select e.registration
         from events e join open using (tenant_id, registration)
        where e.tenant_id = $1 and e.created_at >= $2 and e.created_at <= $5 and e.delivery in ('recorded', 'failed', 'parked')
          and e.delivery = any ($4)
       union all
       select e.registration
         from open p join events e on e.shard = webhook_shard(p.tenant_id, p.registration)
          and e.tenant_id = p.tenant_id and e.registration = p.registration
        where e.created_at >= $2 and e.created_at <= $5 and e.delivery = 'due' and e.delivery = any ($4)
     ), found as (
       select registration, count(*)::int as count from again group by registration
     ), marked as (
       insert into webhook_moves (action, tenant_id, registration, last_number, after_at, from_time, to_time, states)
       select action, $1, registration, (select max(number) from events), '-infinity', $2, $5, $4
         from found cross join (values (1, 'resend_due'), (2, 'resend')) a(place, action) order by registration, place
     )
     select registration, count from found`,
    [
      given.tenantId,
      given.fromDate,
      given.registration ?? null,
      given.only ?? from,
      given.toDate ?? 'infinity',
    ],
  );
  const keys = found.map(({ registration }) => ({ tenantId: given.tenantId, registration }));
  for (const _ of ['resend_due', 'resend']) await moveSomeOf(sql, keys);
  return found;
}

/** The number of failed events that {@link requeue} makes due again. The index `events_to_resend` serves it. */
export async function countFailedEvents(
  sql: Sql,
  {
    tenantId,
    registration,
    fromDate,
  }: { tenantId: string; registration?: string | undefined; fromDate: Date },
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count
       from events e join webhook_endpoints p using (tenant_id, registration)
      where e.tenant_id = $1 and e.created_at >= $2 and e.delivery in ('recorded', 'failed', 'parked')
        and e.delivery = 'failed' and p.status <> 'disabled' and ($3::text is null or registration = $3)`,
    [tenantId, fromDate, registration ?? null],
  );
  return row?.count ?? 0;
}

const namesOf = (endpoints: readonly EndpointKey[]) => [
  endpoints.map(({ tenantId }) => tenantId),
  endpoints.map(({ registration }) => registration),
];

async function moveSomeOf(sql: Sql, endpoints: readonly EndpointKey[]): Promise<void> {
  for (const { tenantId, registration } of endpoints)
    await movePortion(sql, 'm.tenant_id = $1 and m.registration = $2', [tenantId, registration]);
}

/** Runs a portion of a bulk change for these shards. @returns false when there are no changes */
export const moveSome = (database: Database, shards: number[]): Promise<boolean> =>
  movePortion(database, 'm.shard = any ($1::smallint[])', [shards]);

const PARKED = deliveryTransition('endpoint_ended');
const RESENT = deliveryTransition('resent');
const UNPARKED = deliveryTransition('endpoint_set');

/** A range of an index, read in the index's order for a bulk change (`m`). */
interface Range {
  at: string;
  where: string;
}

/** Due events. */
const DUE: Range = {
  at: 'e.due_at',
  where: `e.shard = m.shard and e.tenant_id = m.tenant_id and e.registration = m.registration and e.delivery = 'due'`,
};

/** Events in a resend's period that are neither due nor delivered. */
const REST: Range = {
  at: 'e.created_at',
  where: `e.tenant_id = m.tenant_id and e.registration = m.registration and e.delivery in ('recorded', 'failed', 'parked')
          and e.created_at >= m.from_time and e.created_at <= m.to_time`,
};

/** Events that wait for a disabled endpoint. */
const WAITING: Range = {
  at: 'e.created_at',
  where: `e.tenant_id = m.tenant_id and e.registration = m.registration and e.delivery = 'parked' and e.due_at is not null`,
};

/** Begins the retry schedule of an event anew. */
export const AGAIN = `due_at = least(created_at, product_now()), attempts = 0, last_error = null`;

interface Action {
  range: Range;
  /** SQL condition on each event. It is kept out of the range, because a portion ends by the number of events read. */
  only?: string;
  set: string;
  /** Delivery states that the change applies to. Events in another state stay unchanged. */
  from: readonly string[];
}

/** Events and change of each action. Events under way keep their lease. `m.is_open`: the endpoint accepts events. */
const ACTIONS: Record<string, Action> = {
  // Parking stops applying when the endpoint was set again meanwhile.
  park: { range: DUE, only: 'not m.is_open', from: PARKED.from, set: `delivery = '${PARKED.to}'` },
  park_for_resend: { range: DUE, from: PARKED.from, set: `delivery = '${PARKED.to}', due_at = null` },
  unpark: {
    range: WAITING,
    only: 'm.is_open',
    from: UNPARKED.from,
    set: `delivery = '${UNPARKED.to}', ${AGAIN}`,
  },
  keep_for_resend: { range: WAITING, from: ['parked'], set: 'due_at = null' },
  retry: {
    range: DUE,
    only: 'e.attempts > 0',
    from: ['due'],
    set: 'due_at = least(created_at, product_now())',
  },
  resend: {
    range: REST,
    only: 'm.is_open and e.delivery = any (m.states)',
    from: RESENT.from,
    set: `delivery = '${RESENT.to}', ${AGAIN}`,
  },
  resend_due: {
    range: DUE,
    only: `m.is_open and e.attempts > 0 and e.created_at >= m.from_time and e.created_at <= m.to_time
           and e.delivery = any (m.states)`,
    from: RESENT.from,
    set: `delivery = '${RESENT.to}', ${AGAIN}`,
  },
};

/**
 * Runs a portion of the first change of an endpoint, under the lock of its row, so that changes of one endpoint run in
 * order. Each portion reads {@link PORTION} events after the previous portion and changes those that the action
 * concerns.
 */
async function movePortion(sql: Sql, which: string, values: unknown[]): Promise<boolean> {
  const [move] = await sql.query<{ number: string; action: string }>(
    `select m.number, m.action from webhook_moves m
      where ${which} and not exists (select from webhook_moves b where b.tenant_id = m.tenant_id
                                        and b.registration = m.registration and b.number < m.number)
      order by m.number limit 1`,
    values,
  );
  const action = move && ACTIONS[move.action];
  if (!move || !action) return false;
  const { range, only = 'true', set, from } = action;
  const rows = await sql.query(
    `with m as materialized (
       select *, exists (select from webhook_endpoints w where w.tenant_id = m.tenant_id and w.registration = m.registration
                                                           and w.status <> 'disabled') as is_open
         from webhook_moves m where number = $1 for update
     ), portion as materialized (
       select e.number, e.at, e.is_meant from m cross join lateral (
         select e.number, ${range.at} as at, ${only} as is_meant from events e
          where ${range.where} and e.number <= m.last_number and (${range.at}, e.number) > (m.after_at, m.after_number)
          order by ${range.at}, e.number limit $2) e
     ), moved as (
       update events set ${set}
        where number = any (array(select number from portion where is_meant)) and delivery = any ($3)
     ), place as (
       select at, number from portion order by at desc, number desc limit 1
     ), ended as (
       delete from webhook_moves where number = (select number from m) and (select count(*) from portion) < $2
     ), gone_on as (
       update webhook_moves w set after_at = place.at, after_number = place.number from place
        where w.number = (select number from m) and (select count(*) from portion) >= $2
     )
     select 1 from m`,
    [move.number, PORTION, from],
  );
  return rows.length > 0;
}
