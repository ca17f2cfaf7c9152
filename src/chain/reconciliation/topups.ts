import type { Sql } from '../../kernel/db/database';
import type { ChainNode, ChainTransfer } from '../../parties/chain/port';
import { isOfOperation } from '../gas-station/station-topups/own';
import { isMoved } from '../gas-station/station-topups/read-blocks';
import { MOST_BLOCKS, partsOf } from '../gas-station/station-topups/rules';
import type { ChainBooks } from './record';
import { addTransfers, type Sums, type Whereabouts } from './rules';

/** Adds what has come to stations by that block and is not booked, for it was not final when they were scanned. @throws ChainAway */
export async function addTopups(
  sums: Sums,
  { sql, chain, node, upTo }: { sql: Sql; chain: string; node: ChainNode; upTo: number },
  { topups }: Pick<ChainBooks, 'topups'>,
  where: Whereabouts,
): Promise<void> {
  const found: ChainTransfer[] = [];
  for (const transfer of await transfersSince(node, topups.scans, upTo))
    if (!isBooked(topups, transfer) && !(await isOfOperation(sql, chain, transfer))) found.push(transfer);
  addTransfers(sums, found, where);
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

/** It is in the books, for a person has scanned that block. */
const isBooked = ({ booked }: ChainBooks['topups'], { txHash, ordinal, to }: ChainTransfer): boolean =>
  booked.some((each) => each.txHash === txHash && each.ordinal === ordinal && each.address === to);
