import type { Sql } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import type { ChainNode } from '../../parties/chain/port';
import { isAsked } from '../../parties/chain/witness';
import type { Services } from '../../services';
import { findOpened } from './operations';
import type { Network } from './record';

/** What it takes to ask a chain. */
export interface AskingChains extends Pick<Services, 'keyring'> {
  parties: Pick<Services['parties'], 'chain'>;
}

/** A network and who tells what is on its chain. */
export interface Witnessed {
  network: Network;
  /** Nothing: no node is asked, and what people say is taken. */
  node: ChainNode | undefined;
}

/**
 * The nodes of a network, as its configuration names them now, where it is nodes that bear witness.
 * @throws Problem 404 for a chain that has no network
 */
export async function witnessOf(
  { keyring, parties }: AskingChains,
  sql: Sql,
  chain: string,
): Promise<Witnessed> {
  const found = await findOpened({ keyring }, sql, chain);
  if (!found) throw notFound('network');
  const { network, rpcUrls } = found;
  const { chainId } = network;
  const node = isAsked(network)
    ? parties.chain.of({ chain, kind: network.kind, chainId, rpcUrls })
    : undefined;
  return { network, node };
}

/**
 * The same of what only nodes can tell.
 * @throws Problem 404; 409 `invalid_transition` of a chain that no node is asked about
 */
export async function nodeOf(
  services: AskingChains,
  sql: Sql,
  chain: string,
): Promise<{ network: Network; node: ChainNode }> {
  const { network, node } = await witnessOf(services, sql, chain);
  if (!node)
    throw conflict(
      'invalid_transition',
      `No node is asked about ${network.name}: people execute there, and tell.`,
      'chain',
    );
  return { network, node };
}
