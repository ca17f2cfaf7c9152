import { isAgreed } from '../../../parties/chain/agreement';
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
    transfers.push(...found.transfers);
    const last = { number: part.to, hash: found.toBlockHash };
    const mayBe = part.to <= range.finalTo && agreedTo === part.from - 1;
    if (mayBe && (await isAgreed(node, last))) agreedTo = part.to;
  }
  const isMoved = ({ token, from, units }: ChainTransfer) => token === null && from !== address && units > 0n;
  return { transfers: transfers.filter(isMoved), agreedTo };
}
