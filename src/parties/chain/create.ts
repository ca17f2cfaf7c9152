import type { Logger } from 'pino';
import type { Observers } from '../../kernel/metrics/observers';
import { observed } from '../protocol/observed';
import { createEvmNode } from './evm/node';
import type { ChainNode, ChainParty } from './port';

export interface ChainsOptions {
  log: Logger;
  observers: Pick<Observers, 'observePartyCall'>;
  now: () => Date;
  /** Time-out of one request to one address, in milliseconds. */
  timeoutMs?: number;
}

/** Above the number of networks of any installation. The least recently used node is dropped first. */
const MAX_NODES = 64;

/** Keeps one client for each network's addresses. Metrics count each call under the party `chain`. */
export function createChains(options: ChainsOptions): ChainParty {
  const nodes = new Map<string, ChainNode>();
  return {
    of(address) {
      const key = JSON.stringify([
        address.chain,
        address.kind,
        address.chainId,
        address.rpcUrls,
        address.requestsPerSecond,
      ]);
      const node =
        nodes.get(key) ??
        observed('chain', createEvmNode(address, options), options.observers.observePartyCall);
      nodes.delete(key);
      nodes.set(key, node); // a Map iterates in the order in which its keys were set
      const [oldest] = nodes.keys();
      if (nodes.size > MAX_NODES && oldest !== undefined) nodes.delete(oldest);
      return node;
    },
  };
}
