import type { Sql } from '../../../kernel/db/database';
import { notFound } from '../../../kernel/errors';
import type { ChainNode } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { findOpened } from '../operations';
import type { Network } from '../record';

/** Services that asking a chain needs. */
export interface AskingChains extends Pick<Services, 'keyring'> {
  parties: Pick<Services['parties'], 'chain'>;
}

export interface NetworkNode {
  network: Network;
  node: ChainNode;
}

/**
 * Returns a network with its nodes, as configured now.
 * @throws Problem 404 when the chain has no network
 */
export async function nodeOf(
  { keyring, parties }: AskingChains,
  sql: Sql,
  chain: string,
): Promise<NetworkNode> {
  const found = await findOpened({ keyring }, sql, chain);
  if (!found) throw notFound('network');
  const { network, rpcUrls } = found;
  const { kind, chainId, requestsPerSecond } = network;
  return { network, node: parties.chain.of({ chain, kind, chainId, rpcUrls, requestsPerSecond }) };
}
