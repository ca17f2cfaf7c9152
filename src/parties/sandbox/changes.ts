import { channel } from 'node:diagnostics_channel';
import { table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import type { SandboxParty } from './options';

/** Published in this process when changes are committed, so that new callbacks go out at once. */
export const changesCommitted = channel('cardwright:sandbox-changes-committed');

/** A record of a party with stored changes. */
export interface ChangingRecord {
  party: SandboxParty;
  /** The name under which the record is read. */
  ref: string;
  /** Receiver of callbacks. Null: no callbacks. */
  callbackUrl: string | null;
  /** Each callback is sent twice, with a forged one beside it. */
  repeats?: boolean;
}

/** A time at which a record changes. */
export interface Moment {
  at: Date;
  /** True: the change sends no callback. */
  quiet?: boolean;
}

/** The distinct times. Null is skipped. */
export const distinct = (times: readonly (Date | null)[]): Moment[] =>
  [...new Set(times.flatMap((at) => (at ? [at.getTime()] : [])))].map((at) => ({ at: new Date(at) }));

const changes = () => table('sandbox_party_changes');

/**
 * Stores that a record changes now, and its planned changes, which replace earlier plans. The caller holds the record's
 * row and has read the time under that lock. No reader has therefore seen a replaced change, and a record's version
 * never falls.
 * @param later planned changes; times before now are dropped
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
    party,
    ref,
    at,
    callbackUrl: quiet ? null : callbackUrl,
    repeats,
    nextAttemptAt: quiet || callbackUrl === null ? null : at,
  }));
  tx.defer(changes().insert(rows));
  tx.afterCommit(() => changesCommitted.publish(undefined));
}

/** The times at which a record has changed or will change. */
export async function changeTimes(sql: Sql, party: SandboxParty, ref: string): Promise<Date[]> {
  return (await sql.run<{ at: Date }>(changes().select('at').where({ party, ref }))).map(({ at }) => at);
}

/** Number of changes up to that time, which is the version of the record's state. */
export const versionAt = (times: readonly Date[], at: Date): number =>
  times.filter((time) => time <= at).length;

/** When the next planned change of a party happens. Null: none is planned. */
export async function nextChangeAt(sql: Sql, party: SandboxParty, after: Date): Promise<Date | null> {
  const [row] = await sql.run<{ at: Date | null }>(
    changes().min({ at: 'at' }).where({ party }).where('at', '>', after),
  );
  return row?.at ?? null;
}

/** A cursor in a party's list. */
export interface Place {
  at: Date;
  number: string;
}

export interface ListedChange extends Place {
  ref: string;
  version: number;
}

/** The changes after `after` and up to `until`, in the order of time. */
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
