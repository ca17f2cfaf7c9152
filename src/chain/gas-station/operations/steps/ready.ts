import type { ToldNonces } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { mendNonces } from '../nonces/vanished';
import type { GasOperation } from '../record';
import { senderOf } from '../rules';
import type { ChainContext } from './context';
import { bookFreed } from './freed';

/** The chain of an operation whose sender may get its next nonce: nothing is planned without. */
export interface Ready extends ChainContext {
  /** Told before the sender's coins are read: what is counted has been paid by then. */
  nonces: ToldNonces;
}

/**
 * Books what was given up and mined after all, and mends what vanished: what either of them had is no free nonce, and the next one
 * would wait for the other.
 * @throws ChainAway; NodesDisagree: a nonce is given out by the word of most nodes only
 */
export async function readySender(
  services: Pick<Services, 'database' | 'now'>,
  context: ChainContext,
  operation: Pick<GasOperation, 'chain' | 'fromAddress' | 'stationAddress'>,
): Promise<Ready> {
  const sender = { chain: operation.chain, address: senderOf(operation) };
  await bookFreed(services, context, sender, null);
  const nonces = await context.node.noncesOf(sender.address);
  // What is mended keeps its nonce or frees it, which our own rows tell: the nodes need not be asked again.
  await mendNonces(services, context.node, sender, nonces.counted);
  return { ...context, nonces };
}
