import { noteUnlisted } from '../../chain/holdings/read-position';
import { portionsOf } from '../../kernel/in-parallel';
import { ChainAway } from '../../parties/chain/errors';
import { MAX_ASKED_FOR, OF_A_CALL } from '../../parties/chain/port';
import type { Services } from '../../services';
import { keepTransfers } from '../../transfers/chain-deposits/discover';
import type { Reading, Remembered, UnlistedRound } from './reading';
import { isStillAt } from './reorganisation';

/** Blocks that are looked through together. Each round costs a request for 500 addresses. */
const SPAN = 500;

type Looking = Pick<Reading, 'network' | 'node' | 'place' | 'remembered'>;

/** Whether a pool is so large that each reading passes over the tokens that no network lists. */
const isLarge = ({ pool }: Remembered): boolean => (pool?.addresses.size ?? 0) > MAX_ASKED_FOR;

/**
 * Looks for unlisted tokens on one portion of a large pool, so that a round is spread over many steps. Only blocks that were
 * read twice are looked through. Unlisted tokens are shown and never posted, so their delay credits nobody later.
 */
export async function lookForUnlisted(services: Services, { network, node, place, remembered }: Looking) {
  if (!isLarge(remembered)) return;
  const { database, log } = services;
  const { chain, assets } = network;
  if (place.unlisted === null) return noteUnlisted(database, chain, place.checked);
  const round = roundOf(place.unlisted, place.checked, remembered);
  const some = round?.left.at(-1);
  if (!round || !some) return;
  try {
    const listed = assets.flatMap(({ contract }) => contract ?? []);
    const { transfers } = await node.transfersTo(round, some, { native: false, listed });
    const isKept = await database.transaction(async (tx) => {
      if (!(await isStillAt(tx, chain, place))) return false;
      if (round.left.length === 1) await noteUnlisted(tx, chain, round.to);
      await keepTransfers(services, tx, network, transfers);
      return true;
    });
    if (isKept) round.left.pop();
  } catch (error) {
    if (!(error instanceof ChainAway)) throw error;
    log.warn({ chain }, 'unlisted tokens cannot be looked for; they are looked for again');
  }
}

/** The round that is under way, or the next one. Undefined while too few blocks were read twice. */
function roundOf(unlisted: number, checked: number, remembered: Remembered): UnlistedRound | undefined {
  const { round, pool } = remembered;
  if (round && round.left.length > 0 && round.from === unlisted + 1 && round.to <= checked) return round;
  remembered.round =
    checked - unlisted < SPAN
      ? undefined
      : {
          from: unlisted + 1,
          to: unlisted + SPAN,
          left: portionsOf([...(pool?.addresses ?? [])], OF_A_CALL),
        };
  return remembered.round;
}
