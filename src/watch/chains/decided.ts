import type { Network } from '../../chain/networks/record';
import type { ChainNode } from '../../parties/chain/port';

/**
 * The height that decides the deposits of earlier blocks, as if the confirmations decided them. With a tag it is the tagged
 * block and the confirmations above it.
 * @param newest the last block that was read
 * @throws ChainAway
 */
export async function decidedBy(
  node: Pick<ChainNode, 'taggedHeight'>,
  { finality, confirmations }: Pick<Network, 'finality' | 'confirmations'>,
  newest: number,
): Promise<number> {
  if (finality === 'confirmations') return newest;
  return (await node.taggedHeight(finality)) + confirmations - 1;
}
