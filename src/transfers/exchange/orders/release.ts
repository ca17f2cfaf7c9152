import { z } from 'zod';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { NewDecision } from '../../engine/kind';
import { last, moneyOf } from '../../engine/record';
import { dealOf, dealtIn, NO_DEAL } from './deal';
import type { ExchangeOrder } from './record';

/**
 * A check of the settlement has let an order go. Its amount is all that was bought by then; `data.bought`, what of that is the
 * client's.
 */
export const RELEASE = 'release';

/**
 * The system's note that the party has lowered a deal below what it was released for: its amount is all that is bought now, and
 * `data.bought` what of that is the client's. No release before it lets go of more than that.
 */
const FALLEN = 'fallen';

/** Its releases, each with the falls after it. */
const releasesOf = ({ decisions }: ExchangeOrder) =>
  decisions.flatMap((release, index) =>
    release.kind === RELEASE
      ? [{ release, falls: decisions.slice(index + 1).filter(({ kind }) => kind === FALLEN) }]
      : [],
  );

/**
 * A check of the settlement has let it go, for all that it has bought by now. One that has bought more since has to be paid anew,
 * whole, and so has one that had bought less in between: the party may have taken its money back.
 */
export function isReleased(order: ExchangeOrder): boolean {
  const { bought } = dealtIn(order.transfer.word);
  return releasesOf(order).some(
    ({ release, falls }) =>
      moneyOf(release).amount.gte(bought) && !falls.some((fall) => moneyOf(fall).amount.lt(bought)),
  );
}

/** What the exchange owes for it. The settlement's statements find it in the order's row. */
export const unreleased = (order: ExchangeOrder): Decimal =>
  isReleased(order) ? ZERO : dealtIn(order.transfer.word).bought;

/** The fall that is to be noted: what it is released for is more than is bought now. */
export function fallen(order: ExchangeOrder): NewDecision | undefined {
  const { bought } = dealtIn(order.transfer.word);
  const isBelow = releasesOf(order).some(
    ({ release, falls }) =>
      moneyOf(release).amount.gt(bought) && !falls.some((fall) => moneyOf(fall).amount.lte(bought)),
  );
  if (!isBelow) return undefined;
  const data = { bought: (dealOf(order) ?? NO_DEAL).bought.toFixed() };
  return { kind: FALLEN, amount: bought, currency: order.transfer.terms.toCurrency, data };
}

const given = z.object({ bought: z.string() });

/** What the client had of it by its last release, and by what has fallen since; a decimal string. */
export function givenBefore(order: ExchangeOrder): string {
  const earlier = last(order, RELEASE, FALLEN);
  return earlier ? given.parse(earlier.data).bought : '0';
}
