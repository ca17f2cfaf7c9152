import { Decimal } from '../../kernel/money/money';
import type { DroppedRate } from './port';
import type { Quoted } from './snapshot';

const ONE = new Decimal(1);

/**
 * Bid and ask around a single number. Without a spread both equal it.
 * @param halfSpreadBps basis points on either side
 */
export function quotedAround(middle: Decimal, halfSpreadBps: Decimal): Quoted {
  const half = halfSpreadBps.dividedBy(10_000);
  return { bid: middle.times(ONE.minus(half)), ask: middle.times(ONE.plus(half)) };
}

/** Why a row is dropped. Undefined for a usable row. */
export function faultOf({ bid, ask }: Quoted): DroppedRate['reason'] | undefined {
  if (bid.lte(0) || ask.lte(0)) return 'not_positive';
  return bid.gt(ask) ? 'crossed' : undefined;
}
