import type { Sql, Tx } from '../../../kernel/db/database';
import { forEachIsolated } from '../../../kernel/for-each-isolated';
import { ZERO } from '../../../kernel/money/money';
import { depthOf, isMined, reportedTransaction } from '../../../parties/chain/agreement';
import type { ChainNode, ChainTransfer } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { arrivalsUnbooked, clearChanges, noteSeen } from '../../holdings/operations';
import type { Network } from '../../networks/record';
import { stationWallets } from '../../wallets/operations';
import { findGasConfig } from '../config/operations';
import { nativeSymbol } from '../rules';
import { bookTopups, changesOf, hashOfCause, topupOf } from './book';
import { isMoved } from './read-blocks';
import { saveScan, scannedTo } from './store';

export { beginScan, scanAgain } from './store';

/**
 * Station top-ups that the watcher finds. The holdings know a transfer as soon as a block has it. It is booked once its
 * block is final and most nodes tell the same of its transaction.
 */

/**
 * The stations that the watcher reads: the present one, and former ones that are our wallets, because people may still
 * pay them. Empty when the ledger has no currency for the native coin.
 */
export async function stationsToRead(sql: Sql, network: Network): Promise<string[]> {
  if (nativeSymbol(network) === undefined) return [];
  const present = (await findGasConfig(sql, network.chain))?.stationAddress;
  const own = (await stationWallets(sql, network.chain)).map(({ address }) => address);
  return [...new Set([...(present ? [present] : []), ...own])];
}

/**
 * Notes unbooked transfers to stations, and how far the stations are scanned. Idempotent.
 * @param stations addresses that were read
 * @param transfers to them
 * @param upTo last block that was read twice
 */
export async function noteSeenTopups(
  tx: Tx,
  network: Network,
  {
    stations,
    transfers,
    upTo,
  }: { stations: readonly string[]; transfers: readonly ChainTransfer[]; upTo: number },
): Promise<void> {
  const asset = nativeSymbol(network);
  if (asset === undefined) return;
  for (const transfer of transfers.filter(isMoved)) {
    // Skips blocks before the address became a station, except on a chain that began anew.
    const before = await scannedTo(tx, { chain: network.chain, address: transfer.to });
    if (before !== undefined && transfer.block.number <= before) continue;
    const topup = await topupOf(tx, transfer, { network, asset });
    if (!topup) continue;
    noteSeen(
      tx,
      changesOf(topup, network).map((change) => ({ ...change, booked: ZERO })),
    );
  }
  // The scan position stays before unbooked transfers, so that a person's scan shows them as waiting.
  const { chain } = network;
  const unbooked = (await arrivalsUnbooked(tx, chain, upTo)).map(({ blockNumber }) => blockNumber - 1);
  for (const address of stations)
    await saveScan(tx, { chain, address, to: Math.min(upTo, ...unbooked), restart: false });
}

/**
 * Books noted transfers that are final, and clears those that the chain no longer has. An undecided transfer is asked
 * for again.
 * @param upTo height that decides those of earlier blocks: the last block that was read, or as {@link decidedBy} tells
 */
export async function bookSeenTopups(
  { database, log }: Pick<Services, 'database' | 'log'>,
  network: Network,
  node: ChainNode,
  upTo: number,
): Promise<void> {
  const { chain } = network;
  const seen = await arrivalsUnbooked(database, chain, upTo - network.confirmations + 1);
  // Lagging nodes do not know the newest blocks, so an unknown transaction is cleared only after a while.
  const isLongAgo = (blockNumber: number) => blockNumber <= upTo - 2 * network.confirmations;
  const hashes = [...new Set(seen.map(({ cause }) => hashOfCause(cause)))];
  await forEachIsolated(
    hashes,
    async (hash) => {
      const { word, isAgreed } = await reportedTransaction(node, hash);
      const of = seen.filter(({ cause }) => hashOfCause(cause) === hash);
      if (!isAgreed || (!isMined(word) && !of.every(({ blockNumber }) => isLongAgo(blockNumber)))) return;
      if (isMined(word) && (await depthOf(node, word.block, network)) !== 'final') return;
      const there = isMined(word) ? word.transfers.filter(isMoved) : [];
      await database.transaction(async (tx) => {
        await clearChanges(
          tx,
          chain,
          of.map(({ cause }) => cause),
        );
        await bookTopups(
          tx,
          network,
          there.filter(({ to }) => of.some(({ address }) => address === to)),
        );
      });
    },
    { log, failed: 'a station top-up could not be booked', ids: (hash) => ({ chain, hash }) },
  );
}
