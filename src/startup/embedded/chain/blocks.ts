import { replaceFile } from '../state-file';
import { repeatedly } from '../supervise';
import { rpc } from './rpc';

/** A block a second: what was sent is final after as many seconds as it takes confirmations. */
const BLOCK_MS = 1_000;

/** So many blocks follow the last one that holds a transaction; then the chain rests, and nothing grows. */
export const RESTS_AFTER = 32;

/** The chain grows, and so does what is written of it: at most so much of the time goes into that. */
const KEEPING_SHARE = 0.05;

export interface KeptBlocks {
  /** Ends it; what stands on the chain is on disk. */
  end(): Promise<void>;
}

/**
 * Mines blocks behind transactions, so that they become final, and keeps the chain in a file, compressed as its node gives it.
 * A node that does not answer is started again by others.
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
      await keep({ always: true }).catch(() => undefined); // it has died: what was kept stands
    },
  };
}

/** @returns mines one block where one is due: what has been sent needs more behind it */
export function createMiner(url: () => string): () => Promise<void> {
  let seen = -1;
  let lastUsed = Number.NEGATIVE_INFINITY;
  return async () => {
    const head = Number(await rpc<string>(url(), 'eth_blockNumber'));
    if (head < seen) [seen, lastUsed] = [-1, Number.NEGATIVE_INFINITY]; // begun again from what was kept
    for (let number = Math.max(seen + 1, head - RESTS_AFTER); number <= head; number += 1) {
      const block = `0x${number.toString(16)}`;
      if (Number(await rpc<string>(url(), 'eth_getBlockTransactionCountByNumber', [block])) > 0)
        lastUsed = number;
    }
    seen = head;
    if (head - lastUsed < RESTS_AFTER) await rpc(url(), 'evm_mine');
  };
}

/** @returns keeps the chain where it has changed, unless that was done just now; `always` does it all the same */
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
