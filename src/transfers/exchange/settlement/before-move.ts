import type { Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import { type Decimal, formatAmount, maxOf, minOf, ZERO } from '../../../kernel/money/money';
import { knowingFrom } from './rules';
import { addSentOut, lockCheck, readBooks, type SettlementCheck } from './store';

/** A move of an operator, as `settlement` books it. */
interface Move {
  currency: string;
  amount: Decimal;
  as: string;
}

/**
 * Takes the lock of the currency's checks before a move at the exchange is booked. The next check counts a withdrawal as sent out, and
 * takes no reading that may still have it.
 * @throws Problem 409 `invalid_transition` for a write-off of more than is short
 */
export async function beforeExchangeMove(tx: Tx, move: Move, at: Date): Promise<void> {
  const { currency, amount, as } = move;
  const check = await lockCheck(tx, currency);
  if (as === 'write-off') await assertShort(tx, check, move, at);
  if (as === 'withdrawal') addSentOut(tx, currency, amount, knowingFrom(at));
}

/**
 * Refuses more than the exchange owes for waiting orders, and more than it had less than our books at the last check. A check would
 * release orders for the rest, and nobody has paid them.
 */
async function assertShort(tx: Tx, { currency, reported }: SettlementCheck, { amount }: Move, at: Date) {
  const { booked, owed } = await readBooks(tx, currency, at);
  const short = maxOf(ZERO, minOf(owed, booked.minus(reported)));
  if (amount.gt(short))
    throw conflict(
      'invalid_transition',
      `Only ${formatAmount(short, currency)} ${currency} is short, by the last check of the settlement.`,
    );
}
