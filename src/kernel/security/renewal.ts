import type { Database, Sql, Tx } from '../db/database';
import { conflict } from '../errors';
import {
  addVersion,
  dropVersionsBefore,
  type InstallationKey,
  installationKeys,
  keyIdOf,
  LEASE_MS,
  markOfKey,
  openKeyring,
} from './installation-keys';
import { REFRESH_MS } from './keep-keyring';
import type { Keyring } from './keyring';
import type { MasterKeys } from './master-keys/port';
import type { KeyPurpose, SealingPurpose } from './purposes';
import { type HashedPlace, type Renewal, renewalOf, type SealedPlace } from './sealed-columns';

/**
 * Renews the key of a purpose while the product runs, in steps that may be repeated after a break:
 *
 * 1. A new version is stored. The processes read it within seconds, and open with it.
 * 2. After the lead it is in force: the processes seal with it. A process that could not read it seals nothing.
 * 3. Each value under an earlier version is sealed or hashed anew, in portions of one transaction each.
 * 4. After the rest, and once a whole pass has found nothing, the earlier versions are destroyed.
 */

/** From the new version until it is in force. A process that seals has read the keys within the lease. */
export const LEAD_MS = 2 * LEASE_MS;
export const LEAST_LEAD_MS = 2 * REFRESH_MS;
/** From then until the earlier versions are destroyed, for transactions and commands that began before. */
export const REST_MS = 15 * 60_000;
export const LEAST_REST_MS = LEASE_MS;

/** Rows of a transaction. The transaction locks the rows that it seals anew. */
const PORTION = 200;

export interface RenewalDeps {
  /** As the owner of the schema, because the product may neither change all of these rows nor destroy a key. */
  owner: Database;
  masterKeys: MasterKeys;
  /** Runs a transaction of the owner with its entry in the audit log. */
  change<T>(
    work: (tx: Tx) => Promise<T>,
    describe: (result: T) => { action: string; subject: string; after: object },
  ): Promise<T>;
  sleep(milliseconds: number): Promise<unknown>;
  /** Told before each wait and after each portion that has sealed something. */
  onStep?: (step: { waitsMs: number } | { place: string; sealed: number }) => void;
}

export interface Renewed {
  purpose: KeyPurpose;
  /** Number of the version in force. */
  version: number;
  /** Values that this run has sealed, or hashed, anew. */
  sealed: number;
  /** Values under an earlier version that only their next use makes anew. The earlier version stays for them. */
  left: number;
  /** Numbers of the versions that this run has destroyed. */
  destroyed: number[];
  /** From when a further run destroys the earlier versions. Null: there are none, or they are kept. */
  destroysFrom: Date | null;
}

/**
 * Renews the key of a purpose, or goes on with a renewal that has begun.
 * @param leadMs at least {@link LEAST_LEAD_MS}
 * @param restMs at least {@link LEAST_REST_MS}
 * @throws Problem 409 `invalid_transition` for a purpose whose key cannot be renewed
 */
export async function renewKey(
  deps: RenewalDeps,
  purpose: KeyPurpose,
  { leadMs = LEAD_MS, restMs = REST_MS }: { leadMs?: number; restMs?: number } = {},
): Promise<Renewed> {
  const renewal = renewalOf(purpose);
  if (renewal.way === 'fixed')
    throw conflict('invalid_transition', `The key ${purpose} cannot be renewed. ${renewal.because}`);
  const key = await begun(deps, purpose, leadMs, renewal.way === 'kept');
  const done = { purpose, version: key.number, sealed: 0, left: 0, destroyed: [], destroysFrom: null };
  if (renewal.way === 'kept') return done;
  const works = worksOf(renewal);
  const sealed = works.length > 0 ? await makeAnew(deps, key, works) : 0;
  const ownRestMs = renewal.way === 'lapses' ? renewal.hours * 3_600_000 : restMs;
  const from = new Date(key.sealingFrom.getTime() + ownRestMs);
  if ((await clockOf(deps.owner)) < from) return { ...done, sealed, destroysFrom: from };
  const left =
    renewal.way === 'lapses'
      ? await leftFrom(deps.owner, renewal.left, key.sealingFrom)
      : await leftUnderEarlier(deps, key, works);
  if (left > 0) return { ...done, sealed, left };
  return { ...done, sealed, destroyed: await destroy(deps, key) };
}

/** The versions of a purpose's key, the oldest first. */
const versionsOf = async (sql: Sql, purpose: KeyPurpose): Promise<InstallationKey[]> =>
  (await installationKeys(sql)).filter((key) => key.purpose === purpose);

/** The newest version: of the renewal that goes on, else a new one. */
async function begun(
  { owner, masterKeys, change }: RenewalDeps,
  purpose: KeyPurpose,
  leadMs: number,
  keepsVersions: boolean,
): Promise<InstallationKey> {
  const versions = await versionsOf(owner, purpose);
  const [newest, earlier] = versions.toReversed();
  const goesOn = newest && (keepsVersions ? !newest.isInForce : earlier !== undefined);
  if (goesOn) return newest;
  const number = (newest?.number ?? 0) + 1;
  await change(
    (tx) => addVersion(tx, masterKeys, { purpose, number, leadMs }),
    () => ({ action: 'keys.renew', subject: keyIdOf({ purpose, number }), after: { leadMs } }),
  );
  const made = (await versionsOf(owner, purpose)).at(-1);
  if (!made) throw new Error('the new version is not there');
  return made;
}

/** Values of one place under the key, and how each is made anew. */
interface Work {
  place: Pick<SealedPlace, 'table' | 'key' | 'column'>;
  /** SQL of the bytes that begin with the mark. */
  bytes: string;
  /** SQL of the row's part in the context of `source`. */
  boundTo: string;
  /** SQL of the sealed value that the new one is made of. Null: only the value's next use makes it anew. */
  source: string | null;
  where: string;
  /** @returns 1, or 0 where the row has changed meanwhile */
  renew(tx: Sql, row: Row, keyring: Keyring): Promise<number>;
}

interface Row {
  key: unknown;
  bound: string;
  /** The value, where it is under an earlier version. */
  before: Buffer | null;
  source: Buffer | null;
}

function worksOf(renewal: Renewal): Work[] {
  if (renewal.way === 'resealed') return renewal.places.map((place) => sealedWork(place, renewal.purpose));
  return renewal.way === 'rehashed' ? renewal.places.map(hashedWork) : [];
}

function sealedWork(place: SealedPlace, purpose: SealingPurpose): Work {
  const { column, path, key, boundTo = key, where = 'true', isBound, context = (bound) => bound } = place;
  const within = path ? `'{${path.join(',')}}'` : '';
  const bytes = path ? `decode(${column} #>> ${within}, 'base64')` : column;
  return {
    place,
    bytes,
    boundTo,
    source: isBound ? null : bytes,
    where,
    renew(tx, { key: id, bound, source, before }, keyring) {
      const sealer = keyring.sealer(purpose);
      const opened = sealer.open(source as Buffer, context(bound));
      const after = sealer.seal(opened, context(bound));
      opened.fill(0);
      const given = path ? after.toString('base64') : after;
      const value = path ? `jsonb_set(${column}, ${within}, to_jsonb($2::text))` : '$2';
      return changeRow(tx, { ...place, bytes }, { value, values: [id, given, before] });
    },
  };
}

function hashedWork({ source, where = 'true', ...place }: HashedPlace): Work {
  const bytes = place.bytes ?? place.column;
  return {
    place,
    bytes,
    boundTo: source?.boundTo ?? place.key,
    source: source?.column ?? null,
    where,
    async renew(tx, { key: id, bound, source: sealed, before }, keyring) {
      if (!source || !sealed) return 0;
      const opened = keyring.sealer(source.purpose).open(sealed, source.context(bound));
      const after = keyring.hashSecret(opened.toString(), bound);
      opened.fill(0);
      return changeRow(tx, { ...place, bytes }, { value: '$2', values: [id, after, before] });
    },
  };
}

/** Changes a row, unless its value has changed meanwhile. @returns 1 or 0 */
async function changeRow(
  tx: Sql,
  { table, key, column, bytes }: Work['place'] & { bytes: string },
  { value, values }: { value: string; values: [key: unknown, after: string | Buffer, before: Buffer | null] },
): Promise<number> {
  const statement = `update ${table} set ${column} = ${value} where ${key} = $1 and ${bytes} = $3 returning 1`;
  return (await tx.query(statement, values)).length;
}

/** Makes each value under an earlier version anew, once no process uses one any more. @returns how many */
async function makeAnew(deps: RenewalDeps, key: InstallationKey, works: readonly Work[]): Promise<number> {
  const waitsMs = key.sealingFrom.getTime() + LEASE_MS - (await clockOf(deps.owner)).getTime();
  if (waitsMs > 0) {
    deps.onStep?.({ waitsMs });
    await deps.sleep(waitsMs);
  }
  const keyring = await openKeyring(deps.owner, deps.masterKeys);
  const mark = await markOfKey(key, deps.masterKeys);
  let total = 0;
  for (const work of works)
    total += work.source === null ? 0 : await makePlaceAnew(deps, work, { mark, keyring });
  return total;
}

async function makePlaceAnew(
  deps: RenewalDeps,
  work: Work,
  { mark, keyring }: { mark: Buffer; keyring: Keyring },
): Promise<number> {
  const { table, column } = work.place;
  let total = 0;
  for (let after: unknown; ; ) {
    const { last, count } = await deps.owner.transaction(async (tx) => {
      const rows = await nextRows(tx, work, mark, after);
      let done = 0;
      for (const row of rows) if (row.before) done += await work.renew(tx, row, keyring);
      return { last: rows.length < PORTION ? undefined : rows.at(-1)?.key, count: done };
    });
    total += count;
    if (count > 0) deps.onStep?.({ place: `${table}.${column}`, sealed: total });
    if (last === undefined) return total;
    after = last;
  }
}

/** The rows after a key in the order of keys, each with its value where that is under an earlier version. */
const nextRows = (
  sql: Sql,
  { place: { table, key }, bytes, boundTo, source, where }: Work,
  mark: Buffer,
  after: unknown,
): Promise<Row[]> => {
  // Nested, because only rows within `where` have such bytes at all.
  const ifEarlier = (value: string) =>
    `case when ${where} then case when substring(${bytes} from 1 for ${mark.length}) <> $1 then ${value} end end`;
  // Raw SQL, because the work names its columns. The primary key's index serves the order.
  return sql.query<Row>(
    `select ${key} as key, (${boundTo})::text as bound, ${ifEarlier(bytes)} as before,
            ${source === null ? 'null' : ifEarlier(source)} as source
       from ${table} ${after === undefined ? '' : `where ${key} > $2`} order by ${key} limit ${PORTION}`,
    after === undefined ? [mark] : [mark, after],
  );
};

/** How many values are under an earlier version. Reads in portions, as a large table takes longer than a statement may. */
async function leftUnderEarlier(
  { owner, masterKeys }: RenewalDeps,
  key: InstallationKey,
  works: readonly Work[],
): Promise<number> {
  const mark = await markOfKey(key, masterKeys);
  let left = 0;
  for (const work of works) {
    let after: unknown;
    for (let more = true; more; ) {
      const rows = await nextRows(owner, work, mark, after);
      left += rows.filter(({ before }) => before !== null).length;
      after = rows.at(-1)?.key;
      more = rows.length === PORTION;
    }
  }
  return left;
}

/** How many values were made before a time. */
async function leftFrom(owner: Database, statement: string | undefined, time: Date): Promise<number> {
  if (statement === undefined) return 0;
  const [row] = await owner.query<{ left: number }>(statement, [time]);
  return row?.left ?? 0;
}

/** Destroys the earlier versions. */
const destroy = ({ change }: RenewalDeps, key: InstallationKey): Promise<number[]> =>
  change(
    (tx) => dropVersionsBefore(tx, { purpose: key.purpose as KeyPurpose, number: key.number }),
    (destroyed) => ({ action: 'keys.destroy', subject: keyIdOf(key), after: { destroyed } }),
  );

async function clockOf(sql: Sql): Promise<Date> {
  const [row] = await sql.query<{ now: Date }>('select clock_timestamp() as now');
  return row?.now ?? new Date();
}
