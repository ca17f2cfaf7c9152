import { isAgreed, isMined, toldOf } from '../../../parties/chain/agreement';
import type { ChainNode, ChainTransfer } from '../../../parties/chain/port';
import { type BlockRange, partsOf } from './rules';

/** What has come to an address in a range of blocks. */
export interface Came {
  transfers: ChainTransfer[];
  /** Up to that one the blocks are final, and the nodes agree on them; less than the range's first where they do on none. */
  agreedTo: number;
}

/**
 * Of the native coin; what an address sends to itself moves nothing. The blocks of a part are of one chain: where the nodes agree on
 * its last one, they agree on all. What comes after a part on which they do not is read again by the next scan.
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
    // What the first node has left out the next one tells.
    const again = await node.transfersTo(part, [address], { native: true, again: true });
    const told = await toldByMost(node, [...found.transfers, ...again.transfers].filter(isMoved));
    const isInPart = ({ to, block: { number } }: ChainTransfer) =>
      to === address && number >= part.from && number <= part.to;
    transfers.push(...told.transfers.filter(isInPart).filter(isMoved));
    if (told.isSettled) agreedTo = part.to;
  }
  return { transfers, agreedTo };
}

/** Native coin that has changed its place. */
export const isMoved = ({ token, from, to, units }: ChainTransfer) =>
  token === null && from !== to && units > 0n;

/**
 * A block is read of one node, which may tell what is not in it: of each transaction that was found so, what most nodes tell of itself.
 * @returns `isSettled`: most tell the same of each; what was found stands for those of which they do not
 */
async function toldByMost(
  node: ChainNode,
  found: readonly ChainTransfer[],
): Promise<{ transfers: ChainTransfer[]; isSettled: boolean }> {
  const transfers: ChainTransfer[] = [];
  let isSettled = true;
  for (const hash of new Set(found.map(({ txHash }) => txHash))) {
    const { word, isAgreed: isTold } = await toldOf(node, hash);
    isSettled &&= isTold;
    if (!isTold) transfers.push(...found.filter(({ txHash }) => txHash === hash));
    else if (isMined(word)) transfers.push(...word.transfers);
  }
  return { transfers, isSettled };
}
