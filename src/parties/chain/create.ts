import type { Logger } from 'pino';
import type { Observers } from '../../kernel/metrics/observers';
import { observed } from '../protocol/observed';
import { createEvmNode } from './evm/node';
import type { ChainNode, ChainParty } from './port';

export interface ChainsOptions {
  log: Logger;
  observers: Pick<Observers, 'observePartyCall'>;
  now: () => Date;
  /** Of one request to one address, in milliseconds. */
  timeoutMs?: number;
}

/** More networks than an installation has: what goes is the one that was asked for longest ago. */
const MAX_NODES = 64;

/** The chains that their networks' addresses lead to. Each call of a node is counted as one of the party `chain`. */
export function createChains(options: ChainsOptions): ChainParty {
  const nodes = new Map<string, ChainNode>();
  return {
    of(address) {
      const key = JSON.stringify([address.chain, address.kind, address.chainId, address.rpcUrls]);
      const node =
        nodes.get(key) ??
        observed('chain', createEvmNode(address, options), options.observers.observePartyCall);
      nodes.delete(key);
      nodes.set(key, node); // a Map keeps the order in which its keys were set
      const [oldest] = nodes.keys();
      if (nodes.size > MAX_NODES && oldest !== undefined) nodes.delete(oldest);
      return node;
    },
  };
}
