import { replaceFile } from '../state-file';
import { repeatedly } from '../supervise';
import { rpc } from './rpc';

/** Block interval. A transaction is final after as many seconds as the network needs confirmations. */
const BLOCK_MS = 1_000;

/** Blocks that are mined after the last transaction. Then the chain rests, so that its file stops growing. */
export const RESTS_AFTER = 32;

/** Largest share of time for writing the chain's file, which grows with the chain. */
const KEEPING_SHARE = 0.05;

export interface KeptBlocks {
  /** Stops mining. The chain is on disk when it resolves. */
  end(): Promise<void>;
}

/**
 * Mines blocks after transactions, so that they become final, and saves the chain's compressed state in a file.
 * Somebody else restarts a node that does not answer.
 */
export function keepBlocks(url: () => string, file: string): KeptBlocks {
  const mine = createMiner(url);
  const keep = createKeeper(url, file);
  const turn = async () => {
    await mine();
    await keep();
  };
  const turns = repeatedly(async () => {
    await turn().catch(() => undefined);
    return BLOCK_MS;
  });
  return {
    async end() {
      await turns.end();
      await keep({ always: true }).catch(() => undefined); // the node has died: the last saved state stands
    },
  };
}

/** @returns mines one block if transactions need more confirmations */
export function createMiner(url: () => string): () => Promise<void> {
  let seen = -1;
  let lastUsed = Number.NEGATIVE_INFINITY;
  return async () => {
    const head = Number(await rpc<string>(url(), 'eth_blockNumber'));
    if (head < seen) [seen, lastUsed] = [-1, Number.NEGATIVE_INFINITY]; // restarted from an older saved state
    for (let number = Math.max(seen + 1, head - RESTS_AFTER); number <= head; number += 1) {
      const block = `0x${number.toString(16)}`;
      if (Number(await rpc<string>(url(), 'eth_getBlockTransactionCountByNumber', [block])) > 0)
        lastUsed = number;
    }
    seen = head;
    if (head - lastUsed < RESTS_AFTER) await rpc(url(), 'evm_mine');
  };
}

/** @returns saves the chain if it has changed and the last save is not recent; `always` ignores the latter */
function createKeeper(url: () => string, file: string): (options?: { always: boolean }) => Promise<void> {
  let kept: string | undefined;
  let notBefore = 0;
  return async ({ always } = { always: false }) => {
    if (!always && performance.now() < notBefore) return;
    const { hash } = await rpc<{ hash: string }>(url(), 'eth_getBlockByNumber', ['latest', false]);
    if (hash === kept) return;
    const begun = performance.now();
    const state = await rpc<string>(url(), 'anvil_dumpState');
    await replaceFile(file, Buffer.from(state.slice(2), 'hex'));
    kept = hash;
    notBefore = performance.now() + (performance.now() - begun) / KEEPING_SHARE;
  };
}
