import type { Sql } from './database';
import type { Sign } from './lookout';

/**
 * Notices by itself that commits were lost. A process marks Postgres and remembers each mark that Postgres has confirmed.
 * After a fail-over to a standby that lagged, or after a restore, the mark in Postgres is older than the remembered one, or the
 * server counts another timeline.
 */

/**
 * Changes with each request that writes, each event and each audited act, and when another server answers: a standby that was promoted
 * has started at another time. While it stays, a mark may wait.
 */
export const WRITTEN: Sign = {
  name: 'writes to mark',
  sql: `concat_ws(' ', pg_postmaster_start_time(), (select max(number) from events), (select max(id) from audit_log),
          (select max(created_at) from idempotency_keys where not permanent))`,
};

/** The last confirmed mark of a process, which it remembers also over its own restarts. */
export interface KnownMark {
  /** Name of the process. Processes that share the memory may share the name. */
  process: string;
  number: number;
  /** Identifier of the cluster, and its timeline. Null where the server does not tell. */
  cluster: string | null;
  timeline: number | null;
}

export interface LostCommits {
  /** Everything that was committed later may be lost, by the machine's time. */
  since: Date;
  /** `mark`: the mark is older than the remembered one. `restore`: the installation was restored. */
  reason: 'mark' | 'timeline' | 'cluster' | 'restore';
}

/** What Postgres tells of the marks. */
export interface FoundMarks extends Pick<KnownMark, 'cluster' | 'timeline'> {
  /** Null: the process has no mark. */
  number: number | null;
  at: Date | null;
  /** The newest mark of any process. */
  newest: Date | null;
}

/**
 * Compares the mark in Postgres with the remembered one.
 * @returns undefined when no commit is missing
 */
export function lossOf(
  { number, at, newest, cluster, timeline }: FoundMarks,
  known: KnownMark,
): LostCommits | undefined {
  // Without any mark nobody knows the moment, so everything counts.
  const since = at ?? newest ?? new Date(0);
  if (number === null || number < known.number) return { since, reason: 'mark' };
  if (differs(cluster, known.cluster)) return { since, reason: 'cluster' };
  // A promoted standby has the mark, but it may lack commits of the second after it.
  if (differs(timeline, known.timeline)) return { since, reason: 'timeline' };
  return undefined;
}

const differs = <T>(now: T | null, before: T | null): boolean =>
  now !== null && before !== null && now !== before;

/**
 * Sets the next mark.
 * @param before as found just now
 * @returns what to remember, because Postgres has confirmed it
 */
export async function setMark(
  sql: Sql,
  { process, number }: Pick<KnownMark, 'process' | 'number'>,
  before: FoundMarks,
): Promise<KnownMark> {
  const next = Math.max(before.number ?? 0, number) + 1;
  await sql.query(
    `insert into commit_marks (process, number, at) values ($1, $2, clock_timestamp())
     on conflict (process) do update set number = greatest(excluded.number, commit_marks.number + 1), at = excluded.at`,
    [process, next],
  );
  const { cluster, timeline } = before;
  return { process, number: next, cluster, timeline };
}

/** Deletes marks of processes that ended long ago. */
export async function forgetOldMarks(sql: Sql): Promise<void> {
  await sql.query(`delete from commit_marks where at < clock_timestamp() - interval '30 days'`);
}

/** The moment of the newest mark. Undefined when no process has set one. */
export async function newestMark(sql: Sql): Promise<Date | undefined> {
  return (await findMarks(sql, '')).newest ?? undefined;
}

/** Whether a process has set a mark within this time, by the machine's clock. */
export async function isMarkedWithin(sql: Sql, seconds: number): Promise<boolean> {
  const [row] = await sql.query<{ recent: boolean | null }>(
    'select max(at) > clock_timestamp() - make_interval(secs => $1) as recent from commit_marks',
    [seconds],
  );
  return row?.recent ?? false;
}

/** Finds the mark of a process, the newest of all, and the place of the server. */
export async function findMarks(sql: Sql, process: string): Promise<FoundMarks> {
  try {
    return await found(sql, process, PLACE);
  } catch (error) {
    // A managed Postgres may lack these functions, and then tells nothing about its place.
    if (!NO_PLACE.includes((error as { code?: string }).code ?? '')) throw error;
    return found(sql, process, 'select null as cluster, null as wal');
  }
}

const PLACE =
  'select system_identifier::text as cluster, pg_walfile_name(pg_current_wal_lsn()) as wal from pg_control_system()';
/** Insufficient privilege, unknown function, not supported. */
const NO_PLACE = ['42501', '42883', '0A000', '55000'];

async function found(sql: Sql, process: string, place: string): Promise<FoundMarks> {
  const [row] = await sql.query<{
    number: string | null;
    at: Date | null;
    newest: Date | null;
    cluster: string | null;
    wal: string | null;
  }>(
    `select m.number, m.at, (select max(at) from commit_marks) as newest, place.cluster, place.wal
       from (${place}) place left join commit_marks m on m.process = $1`,
    [process],
  );
  const { number = null, at = null, newest = null, cluster = null, wal = null } = row ?? {};
  return {
    number: number === null ? null : Number(number),
    at,
    newest,
    cluster,
    timeline: Number.parseInt(wal?.slice(0, 8) ?? '', 16) || null,
  };
}
