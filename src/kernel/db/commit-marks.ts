import type { Sql } from './database';

/**
 * Notices by itself that commits were lost. A process marks Postgres each second and remembers each mark that Postgres has confirmed.
 * After a fail-over to a standby that lagged, or after a restore, the mark in Postgres is older than the remembered one, or the
 * server counts another timeline.
 */

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

/** Finds the mark of a process, the newest of all, and the place of the server. */
export async function findMarks(sql: Sql, process: string): Promise<FoundMarks> {
  const [row] = await sql.query<{ number: string | null; at: Date | null; newest: Date | null }>(
    `select m.number, m.at, (select max(at) from commit_marks) as newest
       from (select 1) one left join commit_marks m on m.process = $1`,
    [process],
  );
  const { number = null, at = null, newest = null } = row ?? {};
  return { number: number === null ? null : Number(number), at, newest, ...(await placeOf(sql)) };
}

/** A managed Postgres may lack these functions, and then tells nothing about its place. */
async function placeOf(sql: Sql): Promise<Pick<KnownMark, 'cluster' | 'timeline'>> {
  try {
    const [row] = await sql.query<{ cluster: string; wal: string }>(
      'select system_identifier::text as cluster, pg_walfile_name(pg_current_wal_lsn()) as wal from pg_control_system()',
    );
    return {
      cluster: row?.cluster ?? null,
      timeline: Number.parseInt(row?.wal.slice(0, 8) ?? '', 16) || null,
    };
  } catch (error) {
    const { code = '' } = error as { code?: string };
    // Insufficient privilege, unknown function, not supported.
    if (['42501', '42883', '0A000', '55000'].includes(code)) return { cluster: null, timeline: null };
    throw error;
  }
}
