import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import { type Decimal, formatAmount, maxOf, minOf, ZERO } from '../../../kernel/money/money';
import { includedFrom } from './rules';
import { addSentOut, findCheck, lockCheck, readBooks, type SettlementCheck } from './store';

/** A move of an operator, as `settlement` books it. */
interface Move {
  currency: string;
  amount: Decimal;
  as: string;
}

/**
 * Locks the currency's checks before an operator's move at the exchange is booked. The next check counts a withdrawal
 * as sent out, and refuses readings that may still contain it.
 * @throws Problem 409 `invalid_transition` for a write-off above the shortfall
 */
export async function beforeExchangeMove(tx: Tx, move: Move, at: Date): Promise<void> {
  const { currency, amount, as } = move;
  const check = await lockCheck(tx, currency);
  if (as === 'write-off') await assertShort(tx, check, move, at);
  if (as === 'withdrawal') addSentOut(tx, currency, amount, includedFrom(at));
}

/** Judges an operator's move at the exchange without a lock. Changes nothing. @throws Problem as {@link beforeExchangeMove} */
export async function assertExchangeMove(sql: Sql, move: Move, at: Date): Promise<void> {
  if (move.as === 'write-off') await assertShort(sql, await findCheck(sql, move.currency), move, at);
}

/**
 * Refuses a write-off above what the exchange owes for waiting orders, and above its shortfall at the last check.
 * With a larger write-off, a check would release orders that nobody has paid.
 */
async function assertShort(
  sql: Sql,
  { currency, reported }: Pick<SettlementCheck, 'currency' | 'reported'>,
  { amount }: Move,
  at: Date,
) {
  const { booked, owed } = await readBooks(sql, currency, at);
  const short = maxOf(ZERO, minOf(owed, booked.minus(reported)));
  if (amount.gt(short))
    throw conflict(
      'invalid_transition',
      `amount must be at most ${formatAmount(short, currency)} ${currency}, the shortfall of the last check.`,
    );
}
