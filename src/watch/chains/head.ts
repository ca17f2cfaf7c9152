import type { Network } from '../../chain/networks/record';
import { makesBlocksByItself } from '../../chain/networks/rules';
import type { Block } from '../../parties/chain/port';
import { closeBreaksOf, openBreakAgain } from '../../process/breaks/operations';
import type { Services } from '../../services';
import type { Remembered } from './reading';

/** Longer than any chain in use goes without a block, in milliseconds. */
const STILL_MS = 10 * 60_000;
/** Least interval between two writes about a stalled chain, although the head is read each second. */
const SHOWN_EVERY_MS = 10 * 60_000;
/** Time for which a resolved break is not opened again. */
const KNOWN_MS = 60 * 60_000;

export const STANDS_STILL = 'chain_stands_still';

/**
 * Opens a break for a chain whose newest block is old, and closes it at the next block. A break that was resolved early
 * opens again later.
 */
export async function watchHead(
  { database, now, observeChainHead }: Pick<Services, 'database' | 'now' | 'observeChainHead'>,
  network: Pick<Network, 'chain' | 'chainId'>,
  head: Block,
  remembered: Remembered,
): Promise<void> {
  const { chain } = network;
  observeChainHead(chain, head.at);
  const at = now();
  const standsStill = makesBlocksByItself(network) && at.getTime() - head.at.getTime() >= STILL_MS;
  const subject = `chain:${chain}`;
  const { shownStill: shown } = remembered;
  if (standsStill && shown && at.getTime() - shown.getTime() < SHOWN_EVERY_MS) return;
  if (standsStill) {
    const still = { tenantId: null, kind: STANDS_STILL, subject, detail: 'head' };
    await openBreakAgain(database, still, new Date(at.getTime() - KNOWN_MS));
  } else if (shown !== null) await closeBreaksOf(database, { subject, kinds: [STANDS_STILL], at });
  remembered.shownStill = standsStill ? at : null;
}
