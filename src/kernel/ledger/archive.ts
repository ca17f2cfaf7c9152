import { createHash } from 'node:crypto';
import { assertOldEnough } from '../archive-age';
import type { Database, Tx } from '../db/database';
import { conflict, invalid } from '../errors';
import {
  addLine,
  type Checkpoint,
  COVERED,
  COVERED_LINES,
  checkpoints,
  digestOf,
  LEAVES,
  type LegLine,
  portionsOf,
  spanOf,
} from './checkpoints';

/**
 * Closes the books before a moment: `makeCheckpoint` stores each account's opening balance and writes the entries before
 * it to a file, and `removeCovered` deletes most of them. Both work as the owner of the schema.
 */

/** Time limit of a statement that reads the entries of years. */
export const ARCHIVE_SECONDS = 4 * 3_600;

/**
 * Makes the next checkpoint. Prove the books and take snapshots before, and audit the digest in the same transaction.
 * Entries of that age are committed and never change, so READ COMMITTED suffices.
 * @param write stores lines for good before it resolves
 * @returns the checkpoint, and its digest for the audit log
 * @throws Problem 400 for a moment that is too young or not after the last checkpoint; 409 while snapshots are missing
 */
export async function makeCheckpoint(
  tx: Tx,
  at: Date,
  write: (lines: string[]) => Promise<void>,
): Promise<{ checkpoint: Checkpoint; digest: string }> {
  await assertOldEnough(tx, at);
  const last = (await checkpoints(tx)).at(-1);
  if (last && at <= last.at)
    throw invalid(`The time must be after the last checkpoint, ${last.at.toISOString()}.`, 'before');
  // The product's connections avoid sequential scans, and this transaction reads whole tables.
  await tx.query('set local enable_seqscan = on');
  const number = (last?.number ?? 0) + 1;
  const span = spanOf({ number, at }, last);
  await storeOpenings(tx, span);
  await assertInSnapshots(tx, span);
  const fileHash = createHash('sha256');
  const keptHash = createHash('sha256');
  let [legs, kept] = [0, 0];
  for await (const rows of portionsOf<LegLine>(tx, COVERED_LINES, span)) {
    await write(rows.map(({ line }) => line));
    for (const { line, stays } of rows) {
      addLine(fileHash, line);
      if (!stays) continue;
      addLine(keptHash, line);
      kept += 1;
    }
    legs += rows.length;
  }
  const checkpoint = { number, at, legs, fileHash: fileHash.digest(), kept, keptHash: keptHash.digest() };
  await tx.query(
    `insert into ledger_checkpoints (number, at, legs, file_hash, kept, kept_hash) values ($1, $2, $3, $4, $5, $6)`,
    [number, at, legs, checkpoint.fileHash, kept, checkpoint.keptHash],
  );
  return { checkpoint, digest: await digestOf(tx, checkpoint) };
}

/** The opening balances before, with the entries since. */
const storeOpenings = (tx: Tx, span: unknown[]) =>
  tx.query(
    `insert into ledger_openings (checkpoint, account_id, number, available, pending, spent)
     select $1, account_id, max(number), sum(available), sum(pending), sum(spent)
       from (select account_id, number, available, pending, spent from ledger_openings where checkpoint = $1 - 1
             union all
             select account_id, number, available, pending, spent from ledger_legs
              where at >= $2::timestamptz and at < $3::timestamptz) e
      group by account_id`,
    span,
  );

/**
 * The balance of an internal account is its newest snapshot with the entries that the snapshot has not seen. So each entry
 * that leaves must be in the newest snapshot.
 * @throws Problem 409
 */
async function assertInSnapshots(tx: Tx, span: unknown[]): Promise<void> {
  const [unseen] = await tx.query(
    `select from ${COVERED} and l.number is null
        and l.xact >= coalesce((select horizon from ledger_snapshots s where s.account_id = l.account_id
                                 order by taken_at desc limit 1), 0) limit 1`,
    span,
  );
  if (unseen)
    throw conflict('invalid_transition', 'The newest snapshot lacks entries of that time.', 'before');
}

/** Blocks of the table that a statement deletes from, some 30,000 entries. */
const BLOCKS = 1_000;

/**
 * Deletes the entries that may leave after a checkpoint, in portions by their place in the table. If it is broken off,
 * repeat it.
 * @returns the number of deleted entries
 */
export async function removeCovered(database: Database, number: number): Promise<number> {
  const all = await checkpoints(database);
  const checkpoint = all.find((each) => each.number === number);
  if (!checkpoint) throw new Error(`there is no checkpoint ${number}`);
  const span = spanOf(checkpoint, all[number - 2]);
  const [size] = await database.query<{ blocks: string }>(
    `select pg_relation_size('ledger_legs') / current_setting('block_size')::int as blocks`,
  );
  let removed = 0;
  for (let block = 0; block < Number(size?.blocks); block += BLOCKS) {
    const [row] = await database.query<{ count: string }>(
      `with gone as (
         delete from ledger_legs where ctid = any(array(
           select l.ctid from ${COVERED} and l.ctid >= $4::tid and l.ctid < $5::tid and ${LEAVES})) returning 1)
       select count(*) from gone`,
      [...span, `(${block},0)`, `(${block + BLOCKS},0)`],
    );
    removed += Number(row?.count);
  }
  return removed;
}
