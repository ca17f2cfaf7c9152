import { channel } from 'node:diagnostics_channel';
import { table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import type { SandboxParty } from './options';

/** Told within this process when changes have been committed, so that callbacks of what has just happened need not wait. */
export const changesCommitted = channel('cardwright:sandbox-changes-committed');

/** A record of a party whose changes are written down. */
export interface ChangingRecord {
  party: SandboxParty;
  /** What the party is asked for. */
  ref: string;
  /** Who is called; null: nobody. */
  callbackUrl: string | null;
  /** Each callback is sent twice, with a forged one beside it. */
  repeats?: boolean;
}

/** A time at which a record changes. */
export interface Moment {
  at: Date;
  /** Absent: whoever ordered it is called. */
  quiet?: boolean;
}

/** Each of those times once; null is none. */
export const distinct = (times: readonly (Date | null)[]): Moment[] =>
  [...new Set(times.flatMap((at) => (at ? [at.getTime()] : [])))].map((at) => ({ at: new Date(at) }));

const changes = () => table('sandbox_party_changes');

/**
 * Writes down that a record changes now, once or more, and when it will change by itself: what was to come before is
 * forgotten. The caller holds the record's row, and has read the time under that lock: so nobody has seen what is forgotten,
 * and a record's version never falls.
 * @param later of which those after now count
 */
export function recordChange(
  tx: Tx,
  { party, ref, callbackUrl, repeats = false }: ChangingRecord,
  now: readonly [Moment, ...Moment[]],
  later: readonly Moment[] = [],
): void {
  const [{ at: present }] = now;
  tx.defer(changes().where({ party, ref }).where('at', '>', present).delete());
  const rows = [...now, ...later.filter(({ at }) => at > present)].map(({ at, quiet = false }) => ({
    ...{ party, ref, at, callbackUrl: quiet ? null : callbackUrl, repeats },
    nextAttemptAt: quiet || callbackUrl === null ? null : at,
  }));
  tx.defer(changes().insert(rows));
  tx.afterCommit(() => changesCommitted.publish(undefined));
}

/** When a record has changed, and will. */
export async function changeTimes(sql: Sql, party: SandboxParty, ref: string): Promise<Date[]> {
  return (await sql.run<{ at: Date }>(changes().select('at').where({ party, ref }))).map(({ at }) => at);
}

/** How often it has changed by then: the version of its word. */
export const versionAt = (times: readonly Date[], at: Date): number =>
  times.filter((time) => time <= at).length;

/** A place in a party's list. */
export interface Place {
  at: Date;
  number: string;
}

export interface ListedChange extends Place {
  ref: string;
  version: number;
}

/** What has happened by then, after that place, in the order of time. */
export function listChanges(
  sql: Sql,
  party: SandboxParty,
  { after, until, limit }: { after: Place | null; until: Date; limit: number },
): Promise<ListedChange[]> {
  // Raw: places are compared as rows, and a version is a rank within its record.
  return sql.query<ListedChange>(
    `select number, ref, at, (select count(*)::int from sandbox_party_changes earlier
                               where earlier.party = listed.party and earlier.ref = listed.ref
                                 and (earlier.at, earlier.number) <= (listed.at, listed.number)) as version
       from sandbox_party_changes listed
      where party = $1 and at <= $2 and (at, number) > (coalesce($3, '-infinity'::timestamptz), coalesce($4, 0))
      order by at, number limit $5`,
    [party, until, after?.at ?? null, after?.number ?? null, limit],
  );
}
