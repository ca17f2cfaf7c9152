import type { ReportedNonces } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { repairVanished } from '../nonces/vanished';
import type { GasOperation } from '../record';
import { senderOf } from '../rules';
import type { ChainContext } from './context';
import { bookLateExecutions } from './late-executions';

/** The chain of an operation whose sender may get its next nonce. */
export interface Ready extends ChainContext {
  /** Read before the sender's coins, so that the counted transactions are already paid. */
  nonces: ReportedNonces;
}

/**
 * Prepares a sender for its next nonce. Books late executions and repairs vanished transactions first, because their
 * nonces are not free and a later transaction could wait for them.
 * @throws ChainAway; NodesDisagree, because a nonce needs the agreement of most nodes
 */
export async function readySender(
  services: Pick<Services, 'database' | 'now'>,
  context: ChainContext,
  operation: Pick<GasOperation, 'chain' | 'fromAddress' | 'stationAddress'>,
): Promise<Ready> {
  const sender = { chain: operation.chain, address: senderOf(operation) };
  await bookLateExecutions(services, context, sender, null);
  const nonces = await context.node.noncesOf(sender.address);
  // The repair changes only our rows, so the nodes' counts still hold.
  await repairVanished(services, context.node, sender, nonces.counted);
  return { ...context, nonces };
}
