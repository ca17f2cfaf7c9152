import type { AgreedBlock, Block, ChainNode } from './port';

/** Whether so many of all nodes are enough to believe: of one node it is that one, of two both. */
export const areMost = ({ said, of }: { said: number; of: number }): boolean => 2 * said > of;

/** All who answer say the same, and they are more than half. */
export const isSettled = (agreed: AgreedBlock): boolean => !agreed.isSplit && areMost(agreed);

/** Whether most nodes, and all that answer, have that block. @throws ChainAway */
export async function isAgreed(
  node: Pick<ChainNode, 'agreedBlock'>,
  { number, hash }: Pick<Block, 'number' | 'hash'>,
): Promise<boolean> {
  const own = await node.agreedBlock(number);
  return isSettled(own) && own.hash === hash;
}
