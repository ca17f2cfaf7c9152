import { raw, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';

/** The last block that was read of each chain, and the hashes of the latest blocks. */

const places = () => table('chain_places');
const blocks = () => table('chain_blocks');

export interface BlockPosition {
  number: number;
  hash: string;
}

/** The position of the watcher on a chain. */
export interface ReadPosition extends BlockPosition {
  /** The last block that the watcher has read a second time. */
  checked: number;
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
export async function listReadPositions(
  sql: Sql,
): Promise<{ chain: string; blockNumber: number; readAt: Date }[]> {
  const query = places().select('chain', 'blockNumber', 'readAt').orderBy('chain');
  const rows = await sql.run<{ chain: string; blockNumber: string; readAt: Date }>(query);
  return rows.map((row) => ({ ...row, blockNumber: Number(row.blockNumber) }));
}

/** Postgres returns BIGINT as text. */
interface PlaceRow {
  number: string;
  hash: string;
  checkedNumber: string;
  backTo: string | null;
  backUntil: string | null;
}

/**
 * Returns the last block that was read. Undefined when the chain was never read.
 * @param lock holds the place until the transaction ends
 */
export async function readPositionOf(
  sql: Sql,
  chain: string,
  lock?: 'update',
): Promise<ReadPosition | undefined> {
  const query = places()
    .join('chain_blocks as b', (on) =>
      on.on('b.chain', 'chain_places.chain').on('b.number', 'chain_places.block_number'),
    )
    .select('b.number', 'b.hash', 'checkedNumber', 'backTo', 'backUntil')
    .where('chain_places.chain', chain);
  if (lock) void query.forUpdate('chain_places');
  const [row] = await sql.run<PlaceRow>(query);
  if (!row) return undefined;
  const { hash, checkedNumber, backTo, backUntil } = row;
  const number = Number(row.number);
  const isBack = backTo !== null && number < Number(backUntil);
  return { number, hash, checked: Number(checkedNumber), backTo: isBack ? Number(backTo) : null };
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

/** Marks a chain as not followed by moving its last reading back. Its deposits are polled again. */
export const noteUnread = async (tx: Tx, chain: string): Promise<void> => {
  const readAt = raw(`read_at - ? * interval '1 millisecond'`, [FOLLOWED_MS]);
  await tx.run(places().where({ chain }).update({ readAt }));
};

/** Lists the blocks whose hashes are stored, newest first. */
export async function keptBlocks(sql: Sql, chain: string): Promise<BlockPosition[]> {
  const rows = await sql.run<{ number: string | number; hash: string }>(
    blocks().select('number', 'hash').where({ chain }).orderBy('number', 'desc'),
  );
  return rows.map(({ number, hash }) => ({ number: Number(number), hash }));
}

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
        backTo: raw('case when back_until > ? then least(back_to, ?) else ? end', [number, number, number]),
        backUntil: raw('greatest(back_until, ?)', [tellUntil]),
      }),
  );
}
