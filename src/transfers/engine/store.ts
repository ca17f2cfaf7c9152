import type { Knex } from 'knex';
import { anyOf, raw, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { decimal, json, recordTable } from '../../kernel/db/record-table';
import { insertOfRows, updateOfRows } from '../../kernel/db/writes';
import { type Decimal, ZERO } from '../../kernel/money/money';
import { openBreaksOf } from '../../process/breaks/operations';
import type { Break } from '../../process/breaks/record';
import type { Change, Holding } from './books/position';
import type { AnyKind, TransferKind } from './kind';
import type { Decision, PartyWord, Situation, Transfer } from './record';
import { lockTransfers } from './tables/lock-several';

const COLUMNS = [
  ...['id', 'kind', 'tenantId', 'accountId', 'status', 'terms', 'referenceId', 'idempotencyKey', 'partyRef'],
  ...['orderedAt', 'word', 'wordAt', 'doubted', 'doubtedAt', 'parts', 'failure', 'revision'],
  ...['quiet', 'lookAt', 'dueBy', 'reached', 'createdAt', 'updatedAt'],
];
const transfers = recordTable<Transfer>(
  'transfers',
  { terms: json, word: json, doubted: json, parts: json, reached: json },
  COLUMNS,
);

/** Parses terms and words, because they are stored as JSON and carry decimals and dates as text. */
function transferOf<T, W extends PartyWord>(
  { terms, word }: TransferKind<T, W>,
  row: Transfer,
): Transfer<T, W> {
  const shaped = (value: unknown) => (value === null ? null : word.parse(value));
  return { ...row, terms: terms.parse(row.terms), word: shaped(row.word), doubted: shaped(row.doubted) };
}

export interface NewTransfer {
  transfer: Transfer;
  party: string;
  /** The caller that the idempotency key belongs to. */
  callerId: string | null;
}

/** @returns false when another transfer has this name at the party */
export async function insertTransfer(tx: Sql, { transfer, party, callerId }: NewTransfer): Promise<boolean> {
  const { id, kind, tenantId, accountId, status, referenceId, idempotencyKey } = transfer;
  const { partyRef, orderedAt, dueBy, reached, createdAt } = transfer;
  const given = { id, kind, tenantId, accountId, status, referenceId, idempotencyKey, partyRef };
  const row = transfers.row({ ...given, orderedAt, dueBy, reached, createdAt, updatedAt: createdAt });
  // A transfer that only its party knows has terms of JSON's null, because the column is never empty.
  const insert = transfers()
    .insert({ ...row, terms: JSON.stringify(transfer.terms), party, callerId })
    .onConflict(['party', 'party_ref']);
  return (await tx.run(insert.ignore().returning('id'))).length === 1;
}

/** The decisions of a transfer, read in the statement of its row so that both are of one moment. */
const WITH_DECISIONS = raw(`(
  select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'kind', d.kind, 'amount', d.amount::text, 'currency', d.currency,
           'accountId', d.account_id, 'data', d.data, 'reason', d.reason, 'decidedBy', d.decided_by, 'at', d.at)
           order by d.number), '[]')
    from transfer_decisions d where d.transfer_id = transfers.id) as decisions`);

/** Reads transfers with their decisions, in the order of the query. */
export async function readSituations<T, W extends PartyWord>(
  sql: Sql,
  kind: TransferKind<T, W>,
  at: Date,
  choose: (query: Knex.QueryBuilder) => void,
): Promise<Situation<T, W>[]> {
  const query = situations().where({ kind: kind.name });
  choose(query);
  return (await sql.run<WithDecisions>(query)).map((row) => situationOf(kind, row, at));
}

/**
 * Reads transfers of a kind by their ids, in the order of the ids. The statement does not name the kind, because its plan would
 * be kept from the time when the table was small, and read all transfers of the kind.
 */
export async function situationsOf<T, W extends PartyWord>(
  sql: Sql,
  kind: TransferKind<T, W>,
  at: Date,
  ids: readonly string[],
): Promise<Situation<T, W>[]> {
  const rows = await sql.run<WithDecisions>(situations().where(anyOf('id', ids)).orderBy('id'));
  return rows.filter((row) => row.kind === kind.name).map((row) => situationOf(kind, row, at));
}

const situations = () => transfers().select(COLUMNS).select(WITH_DECISIONS);

type WithDecisions = Transfer & { decisions: (Record<string, unknown> & { at: string })[] };

function situationOf<T, W extends PartyWord>(
  kind: TransferKind<T, W>,
  { decisions: inJson, ...row }: WithDecisions,
  at: Date,
): Situation<T, W> {
  return {
    transfer: transferOf(kind, row),
    decisions: inJson.map((each) => ({ ...decisions.record(each), at: new Date(each.at) })),
    at,
  };
}

/** Reads a transfer with its decisions. */
export async function readSituation<T, W extends PartyWord>(
  sql: Sql,
  kind: TransferKind<T, W>,
  id: string,
  at: Date,
): Promise<Situation<T, W> | undefined> {
  const [found] = await situationsOf(sql, kind, at, [id]);
  return found;
}

/** A transfer whose row is locked until the end of the transaction, and what was read under the lock. */
export interface Locked {
  situation: Situation;
  /** The booked sum of each component and part. A sum of zero means that the component was changed before. */
  booked: Holding[];
  /** Unresolved breaks of the transfer. */
  open: Break[];
}

/** Locks a transfer and reads its parts. */
export const lockTransfer = async (
  tx: Tx,
  kind: AnyKind,
  id: string,
  at: Date,
): Promise<Locked | undefined> => (await lockSeveral(tx, kind, [id], at))[0];

/**
 * Locks transfers in the order of their ids, and reads them in the same round trip: the later statements wait for the
 * locks. Leaves out missing ones.
 */
export async function lockSeveral(
  tx: Tx,
  kind: AnyKind,
  ids: readonly string[],
  at: Date,
): Promise<Locked[]> {
  const [, situations, booked, open] = await Promise.all([
    lockTransfers(tx, ids),
    situationsOf(tx, kind, at, ids),
    bookedOf(tx, ids),
    openBreaksOf(tx, ...ids),
  ]);
  return situations.map((situation) => ({
    situation,
    booked: booked.get(situation.transfer.id) ?? [],
    open: open.filter(({ subject }) => subject === situation.transfer.id),
  }));
}

/** Finds transfers of any kind by their names at the party. */
export async function transfersOfParty(
  sql: Sql,
  party: string,
  refs: readonly string[],
): Promise<(Pick<Transfer, 'id' | 'kind' | 'tenantId' | 'status'> & KnownToParty)[]> {
  return sql.run(
    transfers()
      .select('id', 'kind', 'tenantId', 'status', 'partyRef')
      // An answer that was dropped as older counts as known, so that the party's list reports only later ones.
      .select(raw(`coalesce(doubted->>'version', word->>'version')::float8 as version`))
      .where({ party })
      .where(anyOf('party_ref', refs)),
  );
}

export interface KnownToParty {
  partyRef: string;
  /** Version of the word that was received last. Null where there is no word, or the party has no versions. */
  version: number | null;
}

const CHANGED = [
  ...['status', 'partyRef', 'orderedAt', 'word', 'wordAt', 'doubted', 'doubtedAt', 'parts', 'failure'],
  ...['revision', 'quiet', 'lookAt', 'dueBy', 'reached', 'updatedAt', 'unreleased'],
];

/** Stores changed transfers. `unreleased`: the amount that the party owes for it and that no decision has released. */
export function saveTransfers(
  tx: Tx,
  changed: readonly { transfer: Transfer; unreleased: Decimal | undefined }[],
): void {
  const rows = changed.map(({ transfer, unreleased = ZERO }) => ({
    ...transfer,
    unreleased: unreleased.isZero() ? null : unreleased.toFixed(),
  }));
  tx.defer(updateOfRows('transfers', CHANGED, rows));
}

const DECISION = ['id', 'kind', 'amount', 'currency', 'accountId', 'data', 'reason', 'decidedBy', 'at'];
const decisions = recordTable<Decision & { transferId: string }>(
  'transfer_decisions',
  { amount: decimal, data: json },
  [...DECISION, 'transferId'],
);

/** Rows by their transfer. */
function grouped<Row extends { transferId: string }>(rows: readonly Row[]) {
  const groups = new Map<string, Omit<Row, 'transferId'>[]>();
  for (const { transferId, ...row } of rows) {
    const group = groups.get(transferId);
    if (group) group.push(row);
    else groups.set(transferId, [row]);
  }
  return groups;
}

/** New rows of a transfer. */
interface NewOf<Row> {
  transferId: string;
  made: readonly Row[];
}

const rowsOfAll = <Row extends object>(all: readonly NewOf<Row>[]) =>
  all.flatMap(({ transferId, made }) => made.map((each) => ({ ...each, transferId })));

export function insertDecisions(tx: Tx, all: readonly NewOf<Decision>[]): void {
  const rows = rowsOfAll(all).map((row) => ({ ...row, amount: row.amount?.toFixed() ?? null }));
  if (rows.length > 0) tx.defer(insertOfRows('transfer_decisions', [...DECISION, 'transferId'], rows));
}

/** A posted change of a holding. */
export interface BookedEntry extends Holding {
  reference: string;
  at: Date;
}

const entries = recordTable<BookedEntry>('transfer_entries', { amount: decimal }, [
  ...['component', 'part', 'account_id as account', 'currency', 'amount', 'at', 'reference_id as reference'],
]);

/** The booked sums of transfers by component, part, account and currency. */
export async function bookedOf(sql: Sql, ids: readonly string[]): Promise<Map<string, Holding[]>> {
  const rows = await sql.run(
    entries()
      .select('transferId', 'component', 'part', 'account_id as account', 'currency')
      .sum({ amount: 'amount' })
      .where(anyOf('transferId', ids))
      .groupBy('transferId', 'component', 'part', 'accountId', 'currency'),
  );
  return grouped(rows.map((row) => entries.record(row) as BookedEntry & { transferId: string }));
}

const ENTRY = ['transferId', 'component', 'part', 'accountId', 'currency', 'amount', 'referenceId', 'at'];

export function insertEntries(tx: Tx, all: readonly NewOf<Change>[], at: Date): void {
  const rows = rowsOfAll(all).map(({ account, amount, reference, ...row }) => ({
    ...row,
    accountId: account,
    amount: amount.toFixed(),
    referenceId: reference,
    at,
  }));
  if (rows.length > 0) tx.defer(insertOfRows('transfer_entries', ENTRY, rows));
}

/** The newest changes of a transfer's holdings, oldest first. */
export const entriesOf = async (sql: Sql, transferId: string, limit: number): Promise<BookedEntry[]> =>
  (await entries.all(sql, entries().where({ transferId }).orderBy('number', 'desc').limit(limit))).reverse();

/**
 * Maps each reference of a further movement to the reference of its record. References of records themselves are left
 * out.
 */
export async function linksOf(sql: Sql, references: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.run<{ referenceId: string; linkedId: string }>(
    table('transfer_entries as e')
      .join('transfers as t', 't.id', 'e.transfer_id')
      .distinct('e.reference_id', { linkedId: 't.reference_id' })
      .where(anyOf('e.reference_id', references))
      .whereRaw('e.reference_id <> t.reference_id'),
  );
  return new Map(rows.map(({ referenceId, linkedId }) => [referenceId, linkedId]));
}

/** Finds the transfer that posted under a reference. */
export async function transferOfReference(sql: Sql, referenceId: string): Promise<string | undefined> {
  const [row] = await sql.run<{ transferId: string }>(
    entries().select('transferId').where({ referenceId }).limit(1),
  );
  return row?.transferId;
}

export async function kindNameOf(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql.run<{ kind: string }>(transfers().select('kind').where({ id }));
  return row?.kind;
}
