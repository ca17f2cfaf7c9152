import { anyOf, type Locking, locked, raw, table } from '../db/build';
import type { Sql } from '../db/database';
import { countWaiting, type WaitingCount, type WaitingFilter, waitingPage } from '../db/waiting';
import type { NumberedCommand } from './commands';

/** Commands that Temporal has not accepted yet, and what relay, hand-over and operator do with their rows. */

/** Attempts before a command is parked. With the pauses between them, about two hours of refusals by Temporal. */
export const ATTEMPTS = 20;

const COMMAND = `c.number, c.workflow, c.workflow_id as "workflowId", c.task_queue as "taskQueue", c.action, c.args,
  c.tenant_id as "tenantId", c.summary, c.traceparent, c.attempts`;

/**
 * Leases due commands, longest due first. The lease of a relay that dies expires. Leased rows are skipped, so that no
 * two relays take the same command.
 */
export async function leaseDue(sql: Sql, limit: number, seconds: number): Promise<NumberedCommand[]> {
  return sql.prepared<NumberedCommand>(
    'commands-lease',
    `update workflow_commands c set leased_until = clock_timestamp() + make_interval(secs => $2)
      where number in (
        select number from workflow_commands
         where parked_at is null and due_at <= clock_timestamp()
           and (leased_until is null or leased_until <= clock_timestamp())
         order by due_at limit $1 for update skip locked)
     returning ${COMMAND}`,
    [limit, seconds],
  );
}

/** Deletes commands that Temporal has accepted. */
export async function forgetTaken(sql: Sql, numbers: string[]): Promise<void> {
  if (numbers.length === 0) return;
  await sql.prepared('commands-forget', 'delete from workflow_commands where number = any($1::bigint[])', [
    numbers,
  ]);
}

/** Returns commands after Temporal was away. The attempt is not counted. */
export async function release(sql: Sql, numbers: string[], afterMs = 0): Promise<void> {
  if (numbers.length === 0) return;
  await sql.query(
    `update workflow_commands set leased_until = null,
            due_at = greatest(due_at, clock_timestamp() + make_interval(secs => $2 / 1000.0))
      where number = any($1::bigint[])`,
    [numbers, afterMs],
  );
}

export interface Refusal {
  number: string;
  /** Milliseconds until the next attempt. */
  retryInMs: number;
  /** Without personal data. */
  reason: string;
}

/** Counts a failed attempt. The last attempt parks the command. @returns numbers of the commands that are parked now */
export async function recordRefusals(sql: Sql, refusals: Refusal[]): Promise<string[]> {
  if (refusals.length === 0) return [];
  const rows = await sql.query<{ number: string; parked: boolean }>(
    `update workflow_commands c
        set attempts = c.attempts + 1, leased_until = null, last_error = r.reason,
            due_at = clock_timestamp() + make_interval(secs => r.retry_ms / 1000.0),
            parked_at = case when c.attempts + 1 >= $2 then product_now() end
       from json_to_recordset($1::json) as r(number bigint, retry_ms double precision, reason text)
      where c.number = r.number
     returning c.number, c.parked_at is not null as parked`,
    [
      JSON.stringify(
        refusals.map(({ number, retryInMs, reason }) => ({ number, retry_ms: retryInMs, reason })),
      ),
      ATTEMPTS,
    ],
  );
  return rows.filter((row) => row.parked).map((row) => row.number);
}

export interface ParkedCommand {
  number: string;
  workflow: string;
  workflowId: string;
  action: 'start' | 'look';
  tenantId: string | null;
  createdAt: Date;
  parkedAt: Date;
  attempts: number;
  lastError: string | null;
}

const parkedCommands = () => table('workflow_commands').whereNotNull('parkedAt');
const SHOWN = [
  'number',
  'workflow',
  'workflowId',
  'action',
  'tenantId',
  'createdAt',
  'parkedAt',
  'attempts',
  'lastError',
];
const PARKED = { id: 'number::text', since: 'parked_at', tenantId: 'tenant_id', kind: 'workflow' };

/** Commands that Temporal refused for good, longest parked first. `kind` is the workflow. @throws Problem 400 */
export function listParked(sql: Sql, filter: WaitingFilter): Promise<ParkedCommand[]> {
  return sql.run<ParkedCommand>(parkedCommands().select(SHOWN).modify(waitingPage, PARKED, filter));
}

export async function findParked(
  sql: Sql,
  number: string,
  locking: Locking = {},
): Promise<ParkedCommand | undefined> {
  if (!/^\d{1,18}$/.test(number)) return undefined;
  const query = parkedCommands().select(SHOWN).where({ number }).modify(locked, locking);
  const [found] = await sql.run<ParkedCommand>(query);
  return found;
}

export const countParked = (sql: Sql): Promise<WaitingCount> => countWaiting(sql, parkedCommands(), PARKED);

/** Waiting commands of a workflow, parked ones included. */
export function commandsFor(
  sql: Sql,
  workflowId: string,
): Promise<
  {
    number: string;
    action: string;
    createdAt: Date;
    attempts: number;
    parkedAt: Date | null;
    lastError: string | null;
  }[]
> {
  return sql.run(
    table('workflow_commands')
      .select('number', 'action', 'createdAt', 'attempts', 'parkedAt', 'lastError')
      .where({ workflowId })
      .orderBy('number'),
  );
}

/**
 * Retries parked commands, from the first attempt.
 * @param numbers commands to retry, all by default
 * @returns number of commands
 */
export async function retryParked(sql: Sql, numbers?: string[]): Promise<number> {
  const parked = parkedCommands();
  if (numbers) void parked.where(anyOf('number', numbers));
  const rows = await sql.run(
    parked
      .update({ parkedAt: null, attempts: 0, dueAt: raw('clock_timestamp()'), leasedUntil: null })
      .returning('number'),
  );
  return rows.length;
}

export interface CommandCounts {
  /** Not yet accepted by Temporal, including commands that are being handed over. */
  due: number;
  parked: number;
  /** Age in seconds of the oldest command that is not parked, 0 when there is none. */
  oldestSeconds: number;
}

/** Largest count. A larger backlog is reported as this number, because counting millions of rows is slow. */
const COUNTED = 100_000;

/** Counts for metrics. */
export async function countCommands(sql: Sql): Promise<CommandCounts> {
  const [row] = await sql.query<{ due: string; parked: string; oldest: string | null }>(
    `select
       (select count(*) from (select from workflow_commands where parked_at is null limit $1) c) as due,
       (select count(*) from (select from workflow_commands where parked_at is not null limit $1) c) as parked,
       (select extract(epoch from clock_timestamp() - created_at)
          from workflow_commands where parked_at is null order by number limit 1) as oldest`,
    [COUNTED],
  );
  return {
    due: Number(row?.due ?? 0),
    parked: Number(row?.parked ?? 0),
    oldestSeconds: Math.max(0, Number(row?.oldest ?? 0)),
  };
}
