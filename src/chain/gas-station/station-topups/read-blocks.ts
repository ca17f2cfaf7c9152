import { isAgreed, isMined, reportedTransaction } from '../../../parties/chain/agreement';
import type { ChainNode, ChainTransfer } from '../../../parties/chain/port';
import { type BlockRange, partsOf } from './rules';

/** Transfers to an address in a range of blocks. */
export interface Came {
  transfers: ChainTransfer[];
  /** Last block that is final and agreed. Below the range's first block when none is. */
  agreedTo: number;
}

/**
 * Reads native coin that arrived at an address, except from itself. Each part of the range is one chain, so agreement
 * on its last block covers all its blocks. Blocks after a disputed part are read again by the next scan.
 * @throws ChainAway
 */
export async function cameTo(node: ChainNode, address: string, range: BlockRange): Promise<Came> {
  const transfers: ChainTransfer[] = [];
  let agreedTo = range.from - 1;
  for (const part of partsOf(range)) {
    const found = await node.transfersTo(part, [address], { native: true });
    const last = { number: part.to, hash: found.toBlockHash };
    const mayBe = part.to <= range.finalTo && agreedTo === part.from - 1;
    if (!mayBe || !(await isAgreed(node, last))) {
      transfers.push(...found.transfers.filter(isMoved));
      continue;
    }
    // A second node may report transfers that the first one left out.
    const again = await node.transfersTo(part, [address], { native: true, again: true });
    const reported = await reportedByMost(node, [...found.transfers, ...again.transfers].filter(isMoved));
    const isInPart = ({ to, block: { number } }: ChainTransfer) =>
      to === address && number >= part.from && number <= part.to;
    transfers.push(...reported.transfers.filter(isInPart).filter(isMoved));
    if (reported.isSettled) agreedTo = part.to;
  }
  return { transfers, agreedTo };
}

/** Whether native coin moved between two addresses. */
export const isMoved = ({ token, from, to, units }: ChainTransfer) =>
  token === null && from !== to && units > 0n;

/**
 * Checks transfers that one node reported, because that node may invent some. Reads each of their transactions from
 * most nodes.
 * @returns `isSettled`: most nodes tell the same of each; a disputed transaction keeps its reported transfers
 */
async function reportedByMost(
  node: ChainNode,
  found: readonly ChainTransfer[],
): Promise<{ transfers: ChainTransfer[]; isSettled: boolean }> {
  const transfers: ChainTransfer[] = [];
  let isSettled = true;
  for (const hash of new Set(found.map(({ txHash }) => txHash))) {
    const { word, isAgreed: isTold } = await reportedTransaction(node, hash);
    isSettled &&= isTold;
    if (!isTold) transfers.push(...found.filter(({ txHash }) => txHash === hash));
    else if (isMined(word)) transfers.push(...word.transfers);
  }
  return { transfers, isSettled };
}
