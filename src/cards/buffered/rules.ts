import { invalid } from '../../kernel/errors';
import { Decimal, roundTo } from '../../kernel/money/money';
import { type Funding, OPERATION_TRANSITIONS, type OperationStatus, type OperationTrigger } from './record';

/** The largest share of an amount that may be set aside (`interface.md 8`). */
export const MAX_ALLOCATED = new Decimal('0.5');

/**
 * Divides an amount into principal and buffer. The buffer is rounded down to the currency's minor unit.
 * @param allocation the share of the buffer, 0 to 0.5
 * @throws Problem 400 naming `allocation`
 */
export function divideAmount(
  amount: Decimal,
  allocation: Decimal,
  currency: string,
): Pick<Funding, 'principal' | 'buffer'> {
  if (allocation.gt(MAX_ALLOCATED)) throw invalid('allocation must be at most 0.5.', 'allocation');
  const buffer = roundTo(amount.times(allocation), currency, Decimal.ROUND_DOWN);
  return { principal: amount.minus(buffer), buffer };
}

/** The status that a trigger leads to; undefined when the table has no such row. */
export const nextOperationStatus = (
  from: OperationStatus,
  on: OperationTrigger,
): OperationStatus | undefined => OPERATION_TRANSITIONS.find((row) => row.from === from && row.on === on)?.to;

export const isFinal = (status: OperationStatus): boolean => status === 'completed' || status === 'failed';
