import { z } from 'zod';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { NewDecision } from '../../engine/kind';
import { last, moneyOf } from '../../engine/record';
import { dealOf, dealtIn, NO_DEAL } from './deal';
import type { ExchangeOrder } from './record';

/**
 * Decision of a settlement check to release an order. Its amount is everything bought so far; `data.bought` is the
 * client's part.
 */
export const RELEASE = 'release';

/**
 * Decision of the system that the deal fell below a released amount. Its amount is everything bought now;
 * `data.bought` is the client's part. Earlier releases then cover no more than that.
 */
const FALLEN = 'fallen';

/** The releases of an order, each with the falls after it. */
const releasesOf = ({ decisions }: ExchangeOrder) =>
  decisions.flatMap((release, index) =>
    release.kind === RELEASE
      ? [{ release, falls: decisions.slice(index + 1).filter(({ kind }) => kind === FALLEN) }]
      : [],
  );

/**
 * Whether a release covers everything bought now. A deal that grew after its release must be paid anew as a whole. So
 * must a deal that fell and grew again, because the party may have taken its money back.
 */
export function isReleased(order: ExchangeOrder): boolean {
  const { bought } = dealtIn(order.transfer.word);
  return releasesOf(order).some(
    ({ release, falls }) =>
      moneyOf(release).amount.gte(bought) && !falls.some((fall) => moneyOf(fall).amount.lt(bought)),
  );
}

/** The amount that the exchange owes for the order. Stored in the order's row for the settlement's SQL. */
export const unreleased = (order: ExchangeOrder): Decimal =>
  isReleased(order) ? ZERO : dealtIn(order.transfer.word).bought;

/** The fall to record: everything bought now is less than a release covers. */
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

/** The client's part by the last release or fall. A decimal string. */
export function givenBefore(order: ExchangeOrder): string {
  const earlier = last(order, RELEASE, FALLEN);
  return earlier ? given.parse(earlier.data).bought : '0';
}
