import type { Sql } from '../../kernel/db/database';
import type { ChainNode, ChainTransfer } from '../../parties/chain/port';
import { isOfOperation } from '../gas-station/station-topups/own';
import { isMoved } from '../gas-station/station-topups/read-blocks';
import { MOST_BLOCKS, partsOf } from '../gas-station/station-topups/rules';
import type { ChainBooks } from './record';
import { addTransfers, type Sums, type Whereabouts } from './rules';

/**
 * Adds what has come to stations by that block and is not booked, for it was not final when they were scanned, and takes off what was
 * booked and came later than that.
 * @throws ChainAway
 */
export async function addTopups(
  sums: Sums,
  { sql, chain, node, upTo }: { sql: Sql; chain: string; node: ChainNode; upTo: number },
  books: Pick<ChainBooks, 'topups' | 'transactions'>,
  where: Whereabouts,
): Promise<void> {
  for (const { asset, amount, paidBy } of books.topups.booked.filter((each) => each.blockNumber > upTo)) {
    sums.add('station', asset, amount.negated());
    if (paidBy !== 'funding') sums.add(paidBy, asset, amount);
  }
  const found: ChainTransfer[] = [];
  for (const transfer of await transfersSince(node, books.topups.scans, upTo))
    if (!isKnown(books, transfer) && !(await isOfOperation(sql, chain, transfer))) found.push(transfer);
  addTransfers(sums, found, { ...where, sign: 1 });
}

/** Of the native coin, after what was scanned of each station; what lies further back than a scan reads at once is not looked for. */
async function transfersSince(
  node: ChainNode,
  scans: ChainBooks['topups']['scans'],
  upTo: number,
): Promise<ChainTransfer[]> {
  const scanned = new Map(scans.map(({ address, scannedTo }) => [address, scannedTo]));
  const first = Math.max(Math.min(...scanned.values()) + 1, upTo - MOST_BLOCKS + 1, 0);
  const found: ChainTransfer[] = [];
  if (scanned.size === 0) return found;
  for (const part of partsOf({ from: first, to: upTo, finalTo: upTo })) {
    const { transfers } = await node.transfersTo(part, [...scanned.keys()], { native: true });
    found.push(...transfers.filter(isMoved));
  }
  return found.filter(({ to, block }) => block.number > (scanned.get(to) ?? upTo));
}

/** It is in the books, for a person has scanned that block, or counted with a transaction that is followed. */
const isKnown = (
  { topups, transactions }: Pick<ChainBooks, 'topups' | 'transactions'>,
  { txHash, ordinal, to }: ChainTransfer,
): boolean =>
  topups.booked.some((each) => each.txHash === txHash && each.ordinal === ordinal && each.address === to) ||
  transactions.some(({ hash, parts }) => hash === txHash && parts.some(({ isBooked }) => !isBooked));
