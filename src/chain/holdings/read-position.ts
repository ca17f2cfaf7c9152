import { type Locking, locked, raw } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable, safeInteger } from '../../kernel/db/record-table';

/** The last block that was read of each chain, and the hashes of the latest blocks. */

export interface BlockPosition {
  number: number;
  hash: string;
}

const blocks = recordTable<BlockPosition>('chain_blocks', { number: safeInteger }, ['number', 'hash']);

/** The last block read of a chain, and when. */
interface LastRead {
  chain: string;
  blockNumber: number;
  readAt: Date;
}

const places = recordTable<LastRead>('chain_places', { blockNumber: safeInteger }, [
  ...['chain', 'blockNumber', 'readAt'],
]);

/** The position of the watcher on a chain. */
export interface ReadPosition extends BlockPosition {
  /** The last block that the watcher has read a second time. */
  checked: number;
  /** The last block in which a large pool was looked through for unlisted tokens. Null: each reading finds them. */
  unlisted: number | null;
  /**
   * Lowest height touched by a recent reorganisation. While it is set, each new block tells every deposit above it to
   * look.
   */
  backTo: number | null;
}

/** A chain that was read within this time counts as followed, so its deposits need no polling. Milliseconds. */
const FOLLOWED_MS = 60_000;

export async function followedChains(sql: Sql, at: Date): Promise<ReadonlySet<string>> {
  const since = new Date(at.getTime() - FOLLOWED_MS);
  const rows = await sql.run<{ chain: string }>(places().select('chain').where('readAt', '>', since));
  return new Set(rows.map(({ chain }) => chain));
}

/** Lists the last block read of each chain, and when. */
export const listReadPositions = (sql: Sql) => places.all(sql, places().orderBy('chain'));

/**
 * Returns the last block that was read. Undefined when the chain was never read.
 * @param locking holds the place, not its block
 */
export async function readPositionOf(
  sql: Sql,
  chain: string,
  locking: Locking = {},
): Promise<ReadPosition | undefined> {
  const query = places()
    .join('chain_blocks as b', (on) =>
      on.on('b.chain', 'chain_places.chain').on('b.number', 'chain_places.block_number'),
    )
    .select('b.number', 'b.hash', 'checkedNumber', 'unlistedNumber', 'backTo', 'backUntil')
    .where('chain_places.chain', chain)
    .modify(locked, locking, 'chain_places');
  const [row] = await sql.run<
    Record<'number' | 'hash' | 'checkedNumber' | 'backUntil', string> &
      Record<'backTo' | 'unlistedNumber', string | null>
  >(query);
  if (!row) return undefined;
  const { hash, checkedNumber, unlistedNumber, backTo, backUntil } = row;
  const number = Number(row.number);
  const isBack = backTo !== null && number < Number(backUntil);
  return {
    number,
    hash,
    checked: Number(checkedNumber),
    unlisted: unlistedNumber === null ? null : Number(unlistedNumber),
    backTo: isBack ? Number(backTo) : null,
  };
}

/** Stores the block at which reading begins. Leaves a chain that was read before at its present block. */
export async function beginReading(
  tx: Tx,
  chain: string,
  { number, hash }: BlockPosition,
  at: Date,
): Promise<void> {
  const begun = await tx.run(
    places()
      .insert({ chain, blockNumber: number, checkedNumber: number, readAt: at })
      .onConflict('chain')
      .ignore()
      .returning('chain'),
  );
  if (begun.length > 0) await tx.run(blocks().insert({ chain, number, hash }));
}

/** Forgets the position and hashes of a chain whose nodes serve another chain now. Reading begins at the head again. */
export async function forgetReadPosition(tx: Tx, chain: string): Promise<void> {
  await tx.run(places().where({ chain }).delete());
  await tx.run(blocks().where({ chain }).delete());
}

/** Stores the last block that was read. Deletes block hashes below `keepFrom`, except the highest of them. */
export async function noteReadPosition(
  tx: Tx,
  chain: string,
  { number, hash }: BlockPosition,
  { at, keepFrom = 0 }: { at: Date; keepFrom?: number },
): Promise<void> {
  await tx.run(blocks().insert({ chain, number, hash }).onConflict(['chain', 'number']).merge(['hash']));
  await tx.run(
    places()
      .insert({ chain, blockNumber: number, checkedNumber: number, readAt: at })
      .onConflict('chain')
      .merge(['block_number', 'read_at']),
  );
  const last = blocks().max('number').where({ chain }).where('number', '<=', keepFrom);
  await tx.run(blocks().where({ chain }).where('number', '<', last).delete());
}

/** Stores when the newest block was last confirmed. */
export const noteRead = async (sql: Sql, chain: string, at: Date): Promise<void> => {
  await sql.run(places().where({ chain }).update({ readAt: at }));
};

/** Stores the last block that was read a second time. */
export const noteChecked = async (tx: Tx, chain: string, checkedNumber: number): Promise<void> => {
  await tx.run(places().where({ chain }).update({ checkedNumber }));
};

/** Stores the last block that was looked through for unlisted tokens. */
export const noteUnlisted = async (tx: Sql, chain: string, unlistedNumber: number): Promise<void> => {
  await tx.run(places().where({ chain }).update({ unlistedNumber }));
};

/** Marks a chain as not followed by moving its last reading back. Its deposits are polled again. */
export const noteUnread = async (tx: Tx, chain: string): Promise<void> => {
  const readAt = raw(`read_at - ? * interval '1 millisecond'`, [FOLLOWED_MS]);
  await tx.run(places().where({ chain }).update({ readAt }));
};

/** Lists the blocks whose hashes are stored, newest first. */
export const keptBlocks = (sql: Sql, chain: string): Promise<BlockPosition[]> =>
  blocks.all(sql, blocks().where({ chain }).orderBy('number', 'desc'));

/**
 * Moves the position back to an earlier block after a reorganisation.
 * @param tellUntil height up to which each new block tells the deposits above `place` to look
 */
export async function stepBack(
  tx: Tx,
  chain: string,
  place: BlockPosition,
  { at, tellUntil }: { at: Date; tellUntil: number },
): Promise<void> {
  const { number } = place;
  await tx.run(blocks().where({ chain }).where('number', '>', number).delete());
  await noteReadPosition(tx, chain, place, { at });
  await tx.run(
    places()
      .where({ chain })
      .update({
        checkedNumber: raw('least(checked_number, ?)', [number]),
        unlistedNumber: raw('case when unlisted_number > ? then ? else unlisted_number end', [
          number,
          number,
        ]),
        backTo: raw('case when back_until > ? then least(back_to, ?) else ? end', [number, number, number]),
        backUntil: raw('greatest(back_until, ?)', [tellUntil]),
      }),
  );
}
