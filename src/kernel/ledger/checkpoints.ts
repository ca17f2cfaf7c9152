import { createHash, type Hash } from 'node:crypto';
import type { Sql } from '../db/database';
import { invalid } from '../errors';

/**
 * A checkpoint of the books: each account begins with an opening balance, so that most entries before it may leave the
 * database (`archive.ts`). `check.ts` proves the books from the newest checkpoint on.
 */
export interface Checkpoint {
  /** From 1. */
  number: number;
  /** The checkpoint covers the entries before this moment, and none that an earlier checkpoint covers. */
  at: Date;
  /** Entries that the checkpoint covers, each a line of its file. */
  legs: number;
  /** SHA-256 of the file. */
  fileHash: Buffer;
  /** Entries of these that stay in the database. */
  kept: number;
  /** SHA-256 of the lines of entries that stay. */
  keptHash: Buffer;
}

/** All checkpoints, oldest first. */
export async function checkpoints(sql: Sql): Promise<Checkpoint[]> {
  const rows = await sql.query<Omit<Checkpoint, 'legs' | 'kept'> & { legs: string; kept: string }>(
    `select number, at, legs, file_hash as "fileHash", kept, kept_hash as "keptHash"
       from ledger_checkpoints order by number`,
  );
  return rows.map((row) => ({ ...row, legs: Number(row.legs), kept: Number(row.kept) }));
}

/** The beginning of the books: the moment and the number of the newest checkpoint. */
export interface Beginning {
  /** A text that Postgres reads as a moment. */
  at: Date | '-infinity';
  /** 0: no checkpoint, so the books begin with the first entry. */
  checkpoint: number;
}

export async function beginningOf(sql: Sql): Promise<Beginning> {
  const newest = (await checkpoints(sql)).at(-1);
  return newest ? { at: newest.at, checkpoint: newest.number } : { at: '-infinity', checkpoint: 0 };
}

/**
 * Refuses a moment whose balances need archived entries.
 * @throws Problem 400 that names the first moment that can be answered
 */
export async function assertInBooks(sql: Sql, moment: Date, field: string): Promise<void> {
  const { at } = await beginningOf(sql);
  if (at !== '-infinity' && moment < at)
    throw invalid(`Entries before ${at.toISOString()} were archived.`, field);
}

/** Reads the rows of a statement in portions, so that no more than one is in memory. */
export async function* portionsOf<Row>(tx: Sql, text: string, values: unknown[]): AsyncGenerator<Row[]> {
  await tx.query(`declare portions no scroll cursor for ${text}`, values);
  for (;;) {
    const rows = await tx.query<Row>(`fetch ${PORTION} from portions`);
    if (rows.length === 0) break;
    yield rows;
  }
  await tx.query('close portions');
}

const PORTION = 5_000;

export interface LegLine {
  /** The entry as JSON, the line of a checkpoint's file. Amounts are texts. */
  line: string;
  stays: boolean;
}

/** Values of a statement about a checkpoint's entries: the number, the moment that they begin at, and the moment that they end before. */
export const spanOf = ({ number, at }: Pick<Checkpoint, 'number' | 'at'>, before: Checkpoint | undefined) => [
  number,
  before?.at ?? '-infinity',
  at,
];

/** SQL of the entries of a span. The checkpoint's opening balances are stored. */
export const COVERED = `ledger_legs l
  join ledger_openings o on o.checkpoint = $1 and o.account_id = l.account_id
  join ledger_accounts a on a.id = l.account_id
 where l.at >= $2::timestamptz and l.at < $3::timestamptz`;

/** SQL of whether an entry leaves the database, in a statement with {@link COVERED}. */
export const LEAVES = 'ledger_leg_leaves(a.kind, l.number, o.number, l.listed, l.available + l.pending)';

// A line names its columns, because a column of a later release must not change the hash. The line is made after the sort, because
// the sort would carry it.
const linesWhere = (condition: string) => `
  select jsonb_strip_nulls(jsonb_build_object('posting', l.posting_id,
           'at', to_char(l.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'number', l.number, 'xact', l.xact,
           'forced', l.forced, 'listed', l.listed, 'account', l.account_id, 'currency', l.currency, 'id', l.id, 'type', l.type,
           'subtype', l.subtype, 'reference', l.reference_id, 'available', l.available::text, 'pending', l.pending::text,
           'spent', l.spent::text, 'balanceAvailable', l.balance_available::text, 'balancePending', l.balance_pending::text,
           'balanceSpent', l.balance_spent::text, 'tenant', l.tenant_id))::text as line, l.stays
    from (select l.*, not ${LEAVES} as stays from ${COVERED} and ${condition}
           order by l.posting_id, l.account_id, l.number, l.available, l.pending, l.type, l.subtype, l.reference_id, l.id) l`;

/** SQL of the lines of a span by posting. Complete until the first entry has left. */
export const COVERED_LINES = linesWhere('true');

/** SQL of the lines of the entries that stay. */
const KEPT_LINES = linesWhere(`not ${LEAVES}`);

/** Adds a line of a file to its hash. */
export const addLine = (hash: Hash, line: string): Hash => hash.update(line).update('\n');

/** Hash and number of the entries that a checkpoint has left in the database. */
export async function keptNow(
  tx: Sql,
  checkpoint: Checkpoint,
  before: Checkpoint | undefined,
): Promise<{ kept: number; hash: Buffer }> {
  const hash = createHash('sha256');
  let kept = 0;
  for await (const rows of portionsOf<LegLine>(tx, KEPT_LINES, spanOf(checkpoint, before))) {
    for (const { line } of rows) addLine(hash, line);
    kept += rows.length;
  }
  return { kept, hash: hash.digest() };
}

/** The audit log's subject of a checkpoint. */
export const subjectOf = (number: number): string => `checkpoint:${number}`;

/** SHA-256 of a checkpoint with its opening balances, hex, as the audit log keeps it. */
export async function digestOf(
  tx: Sql,
  { number, at, legs, fileHash, kept, keptHash }: Checkpoint,
): Promise<string> {
  const hash = createHash('sha256');
  addLine(hash, JSON.stringify([number, at, legs, fileHash.toString('hex'), kept, keptHash.toString('hex')]));
  const openings = portionsOf<{ line: string }>(
    tx,
    `select jsonb_build_array(account_id, number, trim_scale(available)::text, trim_scale(pending)::text,
            trim_scale(spent)::text)::text as line from ledger_openings where checkpoint = $1 order by account_id`,
    [number],
  );
  for await (const rows of openings) for (const { line } of rows) addLine(hash, line);
  return hash.digest('hex');
}
