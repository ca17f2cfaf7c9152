import { raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import type { Sign } from '../../../kernel/db/lookout';
import { type EndpointKey } from '../record';
import { attemptsByNumber, type EventAttempt } from './attempts';
import { type FencedShard, fencedValues, HELD_SHARDS } from './leases-store';
import { deliveryTransition } from './record';
import { MAX_ATTEMPTS } from './schedule';

/**
 * SQL of deliveries: due events, claims and outcomes. Mostly raw, because every webhook passes here: claims with `skip
 * locked`, batches over arrays, prepared statements, several steps in one.
 */

/** An endpoint with due events, and its shard. */
export interface DueEndpoint extends EndpointKey {
  shard: number;
}

/** Whether events wait for their delivery, now or later, or a bulk change is under way. Names an index's order (`moves.ts`). */
export const WAITING_EVENTS: Sign = {
  name: 'webhooks',
  sql: `exists (select from webhook_moves) or coalesce((select true from events where delivery = 'due'
          order by shard, tenant_id, registration, due_at limit 1), false)`,
};

/**
 * Endpoints of the given shards with due events. One index step per endpoint, independent of the backlog.
 * @returns also due events without an active endpoint, with its `status` (null: deleted)
 */
export async function endpointsWithDue(
  sql: Sql,
  shards: number[],
): Promise<(DueEndpoint & { status: string | null })[]> {
  return sql.prepared(
    'webhooks-due',
    `with recursive due as (
       (select shard, tenant_id, registration, due_at from events
         where delivery = 'due' order by shard, tenant_id, registration, due_at limit 1)
       union all
       select n.shard, n.tenant_id, n.registration, n.due_at from due d cross join lateral (
         select e.shard, e.tenant_id, e.registration, e.due_at from events e
          where e.delivery = 'due'
            and (e.shard, e.tenant_id, e.registration) > (d.shard, d.tenant_id, d.registration)
          order by e.shard, e.tenant_id, e.registration, e.due_at limit 1) n)
     select d.shard, d.tenant_id as "tenantId", d.registration, p.status
       from due d left join webhook_endpoints p on p.tenant_id = d.tenant_id and p.registration = d.registration
      where d.shard = any($1::smallint[]) and (d.due_at <= product_now(now()) or p.status is distinct from 'active')`,
    [shards],
  );
}

/** Number of an endpoint's events to claim now. */
export interface Want extends DueEndpoint {
  room: number;
}

export interface ClaimedEvent extends DueEndpoint {
  number: string;
  createdAt: Date;
  event: string;
  dataId: string;
  /** Exact text of the envelope's data. */
  data: string;
  idempotencyKey: string | null;
  attempts: number;
  /** Trace that caused the event, where traces are on. */
  traceparent: string | null;
  url: string;
  urlId: number;
  dueAt: Date;
  /** The endpoint has failed lately, so its successes are recorded as well. */
  troubled: boolean;
}

/** A claimed event for a probe, sent to the endpoint's present URL. */
export type ProbeEvent = Omit<ClaimedEvent, 'url' | 'urlId' | 'troubled'>;

/** Nobody else claims the event before its lease ends. Each claim sends the same bytes. */
const CLAIMED = `number, shard, tenant_id as "tenantId", registration, event, data_id as "dataId", data,
  idempotency_key as "idempotencyKey", attempts, traceparent, created_at as "createdAt", due_at as "dueAt"`;

/**
 * Claims due events of active endpoints, at most `room` of each, earliest due time first. Numbers are gathered first,
 * so that the update uses the primary key. A shard whose number is old yields none.
 */
export async function claimDue(
  sql: Sql,
  wants: Want[],
  given: { leases: FencedShard[]; leaseMs: number },
): Promise<ClaimedEvent[]> {
  const rows = await sql.prepared<ClaimedEvent>(
    'webhooks-claim',
    `with ${HELD_SHARDS}
     update events e set leased_until = clock_timestamp() + $7 * interval '1 millisecond'
      where e.number = any (array(
        select d.number
          from unnest($3::smallint[], $4::text[], $5::text[], $6::int[]) as w(shard, tenant_id, registration, room)
          join held on held.shard = w.shard
          join webhook_endpoints p
            on p.tenant_id = w.tenant_id and p.registration = w.registration and p.status = 'active'
           and not exists (select from webhook_moves m where m.tenant_id = w.tenant_id and m.registration = w.registration
                              and m.action in ('park', 'park_for_resend'))
         cross join lateral (
           select number from events
            where shard = w.shard and tenant_id = w.tenant_id and registration = w.registration and delivery = 'due'
              and due_at <= product_now(now()) and (leased_until is null or leased_until < clock_timestamp())
            order by due_at, number limit w.room
              for update skip locked) d))
     returning ${CLAIMED}, (select p.url from webhook_endpoints p
                             where p.tenant_id = e.tenant_id and p.registration = e.registration) as url,
               (select p.url_id from webhook_endpoints p
                 where p.tenant_id = e.tenant_id and p.registration = e.registration) as "urlId",
               (select p.recent_failures <> 0 from webhook_endpoints p
                 where p.tenant_id = e.tenant_id and p.registration = e.registration) as troubled`,
    [
      ...fencedValues(given.leases),
      wants.map((want) => want.shard),
      wants.map((want) => want.tenantId),
      wants.map((want) => want.registration),
      wants.map((want) => want.room),
      given.leaseMs,
    ],
  );
  return rows.sort((a, b) => Number(a.dueAt) - Number(b.dueAt) || Number(a.number) - Number(b.number));
}

/**
 * Claims a waiting event of a failing endpoint for a probe. Takes the last event again, or after its turn the next due
 * event if there is one.
 */
export async function claimProbe(
  sql: Sql,
  given: EndpointKey & { last: string | null; tryLastAgain: boolean; leaseMs: number },
): Promise<ProbeEvent | undefined> {
  const { tenantId, registration, last, tryLastAgain, leaseMs } = given;
  const [row] = await sql.query<ProbeEvent>(
    `update events set leased_until = clock_timestamp() + $3 * interval '1 millisecond'
      where delivery = 'due' and (leased_until is null or leased_until < clock_timestamp()) and number = any (array(
        select number from (
          (select number, due_at from events
            where number = $4 and tenant_id = $1 and registration = $2 and delivery = 'due')
          union
          (select number, due_at from events
            where shard = webhook_shard($1, $2) and tenant_id = $1 and registration = $2 and delivery = 'due'
            order by due_at, number limit 2)) candidates
         order by coalesce(number = $4, false) = $5 desc, due_at, number limit 1))
     returning ${CLAIMED}`,
    [tenantId, registration, leaseMs, last, last !== null && tryLastAgain],
  );
  return row;
}

export async function hasDue(sql: Sql, { tenantId, registration }: EndpointKey): Promise<boolean> {
  const rows = await sql.run(
    table('events')
      .select('number')
      .where({ tenantId, registration, shard: raw('webhook_shard(?, ?)', [tenantId, registration]) })
      .whereRaw(`delivery = 'due'`) // the condition of the partial index
      .limit(1),
  );
  return rows.length > 0;
}

/** @param state parameter of the new state @param made parameter of the attempts by number */
const delivered = (state: string, made: string) =>
  `delivery = ${state}, attempts = attempts + 1, delivered_at = product_now(), due_at = null,
   leased_until = null, last_error = null, attempts_made = webhook_attempts(attempts_made, ${made}::jsonb -> number::text)`;

/** Records successful attempts with their deliveries, in one statement. */
export async function recordDelivered(sql: Sql, attempts: readonly EventAttempt[]): Promise<void> {
  const { from, to } = deliveryTransition('attempt_succeeded');
  await sql.query(
    `update events set ${delivered('$2', '$4')} where number = any ($1::bigint[]) and delivery = any ($3)`,
    [attempts.map(({ number }) => number), to, from, attemptsByNumber(attempts)],
  );
}

/** Records successful attempts of a dispatcher. A shard whose number is old records none. */
export async function recordDispatched(
  sql: Sql,
  attempts: readonly EventAttempt[],
  leases: readonly FencedShard[],
): Promise<void> {
  const { from, to } = deliveryTransition('attempt_succeeded');
  await sql.prepared(
    'webhooks-delivered',
    `with ${HELD_SHARDS}
     update events set ${delivered('$4', '$6')}
      where number = any ($3::bigint[]) and delivery = any ($5) and shard = any (array(select shard from held))`,
    [...fencedValues(leases), attempts.map(({ number }) => number), to, from, attemptsByNumber(attempts)],
  );
}

/** Gives back claimed events that were not sent. No attempt is counted. A shard whose number is old gives none back. */
export async function releaseClaims(
  sql: Sql,
  numbers: readonly string[],
  leases: readonly FencedShard[],
): Promise<void> {
  await sql.prepared(
    'webhooks-release',
    `with ${HELD_SHARDS}
     update events set leased_until = null
      where number = any ($3::bigint[]) and delivery <> 'delivered' and shard = any (array(select shard from held))`,
    [...fencedValues(leases), numbers],
  );
}

/** A failed attempt. */
export interface FailedAttempt extends EventAttempt {
  code: string;
  /** Milliseconds until the retry, unless the schedule is used up. Null: an extra probe, which uses up no attempt. */
  retryMs: number | null;
}

/** Counts an attempt and sets the next due time. A delivery whose schedule is used up becomes `failed`. Idempotent. */
export async function recordFailures(sql: Sql, failures: FailedAttempt[]): Promise<void> {
  const { from, to } = deliveryTransition('schedule_used_up');
  await sql.query(
    `update events e
        set attempts = e.attempts + (f.ms is not null)::int, leased_until = null, last_error = f.code,
            attempts_made = webhook_attempts(e.attempts_made, $7::jsonb -> e.number::text),
            delivery = case when f.ms is not null and e.delivery = any ($5) and e.attempts + 1 >= $4 then $6 else e.delivery end,
            due_at = case when f.ms is not null and e.delivery = 'due' then product_now() + f.ms * interval '1 millisecond'
                          else e.due_at end
       from unnest($1::bigint[], $2::text[], $3::bigint[]) as f(number, code, ms)
      where e.number = f.number and e.delivery <> 'delivered' and e.leased_until is not null`,
    [
      failures.map(({ number }) => number),
      failures.map(({ code }) => code),
      failures.map(({ retryMs }) => retryMs),
      MAX_ATTEMPTS,
      from,
      to,
      attemptsByNumber(failures),
    ],
  );
}
