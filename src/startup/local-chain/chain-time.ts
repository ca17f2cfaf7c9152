import type { Services } from '../../services';
import { rpc } from '../embedded/chain/rpc';
import { type Repeated, repeatedly } from '../embedded/supervise';

/** A node that was started again has the machine's time. */
const LOOK_EVERY_MS = 5_000;
/** Blocks have whole seconds. */
const APART_SECONDS = 2;

type ClockOf = Pick<Services, 'now' | 'productClock'>;

/**
 * Moves the time of the local chain to the product's, and mines a block of that time.
 * @param url null without a local chain
 * @throws Error when the node does not answer
 */
export async function catchUpLocalChain(url: string | null, { now }: Pick<ClockOf, 'now'>): Promise<void> {
  if (url === null) return;
  const next = await rpc<{ timestamp: string }>(url, 'eth_getBlockByNumber', ['pending', false]);
  const behind = Math.floor(now().getTime() / 1_000) - Number(next.timestamp);
  if (behind < APART_SECONDS) return;
  await rpc(url, 'evm_increaseTime', [behind]);
  await rpc(url, 'evm_mine');
}

/** Keeps the time of the local chain at an advanced time of the product. */
export const keepLocalChainTime = (services: ClockOf, url: string): Repeated =>
  repeatedly(async () => {
    const isAhead = services.productClock.offsetMs() > 0;
    if (isAhead) await catchUpLocalChain(url, services).catch(() => undefined); // the next turn tries again
    return LOOK_EVERY_MS;
  });
