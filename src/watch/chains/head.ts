import type { Network } from '../../chain/networks/record';
import { makesBlocksByItself } from '../../chain/networks/rules';
import type { Block } from '../../parties/chain/port';
import { closeBreaksOf, openBreakAgain } from '../../process/breaks/operations';
import type { Services } from '../../services';
import type { Remembered } from './reading';

/** Longer than any chain in use goes without a block, in milliseconds: its nodes answer, and know of none that are new. */
const STILL_MS = 10 * 60_000;
/** That is written down so seldom, though the head is looked at each second. */
const SHOWN_EVERY_MS = 10 * 60_000;
/** A person who has resolved it knows for so long. */
const KNOWN_MS = 60 * 60_000;

export const STANDS_STILL = 'chain_stands_still';

/** A chain whose newest block is old is shown to a person until there is a new one; resolved before that, it is shown again later. */
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
