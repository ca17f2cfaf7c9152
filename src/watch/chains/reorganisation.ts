import { scanAgain } from '../../chain/gas-station/station-topups/seen';
import { forgetArrivals } from '../../chain/holdings/operations';
import { type BlockPosition, keptBlocks, readPositionOf, stepBack } from '../../chain/holdings/read-position';
import { forgetUnlisted } from '../../chain/holdings/unlisted';
import type { Tx } from '../../kernel/db/database';
import type { ChainNode } from '../../parties/chain/port';
import type { Services } from '../../services';
import { tellDeposits } from '../../transfers/chain-deposits/discover';
import { refsAbove } from '../../transfers/engine/tables/on-chain';
import type { ChainStep, Reading } from './reading';

/** Whether the position is unchanged since it was read. Locks it. */
export async function isStillAt(tx: Tx, chain: string, place: BlockPosition): Promise<boolean> {
  const now = await readPositionOf(tx, chain, { lock: 'update' });
  return now?.number === place.number && now.hash === place.hash;
}

/**
 * Moves the position back to the last block that the node shares, or before the first stored block when it shares none.
 */
export async function returnToCommonBlock(services: Services, reading: Reading): Promise<ChainStep> {
  const { database, log, now } = services;
  const { network, node, place, head } = reading;
  const { chain } = network;
  const common = await lastCommon(node, await keptBlocks(database, chain));
  log.warn({ chain, from: place.number, to: common?.number }, 'the chain was reorganised; it is read again');
  if (!common) return 'rests'; // the node does not answer that; the next step asks again
  await database.transaction(async (tx) => {
    if (!(await isStillAt(tx, chain, place))) return;
    await tellDeposits(services, tx, await refsAbove(tx, chain, common.number));
    const tellUntil = Math.max(place.number, head.number) + 2 * network.confirmations;
    await forgetArrivals(tx, chain, common.number);
    await forgetUnlisted(tx, chain, common.number);
    await scanAgain(tx, chain, common.number);
    await stepBack(tx, chain, common, { at: now(), tellUntil });
  });
  return 'back';
}

async function lastCommon(
  node: ChainNode,
  kept: readonly BlockPosition[],
): Promise<BlockPosition | undefined> {
  for (const each of kept) {
    const theirs = await node.block(each.number);
    if (theirs?.hash === each.hash) return each;
  }
  // Another chain, or an unexpectedly deep reorganisation: everything that was read is read again.
  const first = kept.at(-1);
  const before = first && first.number > 0 ? await node.block(first.number - 1) : undefined;
  return before && { number: before.number, hash: before.hash };
}
