import { move } from '../../../accounts/accounts/move';
import type { Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { type InternalAccount, internalAccountId, internalEntry } from '../../../kernel/ledger/entries';
import { type Decimal, formatAmount, maxOf, minOf, ZERO } from '../../../kernel/money/money';
import { knowingFrom } from './rules';
import { addSentOut, lockCheck, readBooks, type SettlementCheck } from './store';

/**
 * What an operator books on the account of the exchange: our own money that was sent there, or was taken home; a settlement that came
 * short, and one that came with too much.
 */
export const SETTLEMENT_MOVES = ['funding', 'withdrawal', 'write-off', 'surplus'] as const;
export type SettlementMoveKind = (typeof SETTLEMENT_MOVES)[number];

export interface SettlementMove {
  currency: string;
  /** Greater than zero, whichever way it goes. */
  amount: Decimal;
  as: SettlementMoveKind;
}

/** Which account it goes to or comes from, and whether the exchange has more of ours by it. */
const BOOKED: Record<SettlementMoveKind, { other: InternalAccount; isMore: boolean }> = {
  funding: { other: 'treasury', isMore: true },
  withdrawal: { other: 'treasury', isMore: false },
  'write-off': { other: 'losses', isMore: false },
  surplus: { other: 'losses', isMore: true },
};

/** What the decision is about. */
export const settlementAccount = (currency: string): string => internalAccountId('settlement', currency);

/**
 * Books it in one posting, under the lock of the currency's checks; nobody's transfer. Whether it takes two operators, and the audit log,
 * are its caller's (src/operator/approvals/kinds.ts). What was taken home counts as sent out at the next check, which
 * takes no reading that may still have it.
 * @throws Problem 409 `invalid_transition` for a write-off of more than is short
 */
export async function moveSettlement(tx: Tx, { currency, amount, as }: SettlementMove, at: Date) {
  const { other, isMore } = BOOKED[as];
  const referenceId = newId('reference');
  await ensureInternalAccounts(tx, currency);
  const check = await lockCheck(tx, currency);
  if (as === 'write-off') await assertShort(tx, check, amount, at);
  if (as === 'withdrawal') addSentOut(tx, currency, amount, knowingFrom(at));
  // What the exchange has of ours is below zero on its account, as all that we have elsewhere.
  const received = isMore ? amount.negated() : amount;
  const entries = [
    internalEntry('settlement', currency, received, referenceId),
    internalEntry(other, currency, received.negated(), referenceId),
  ];
  await move(tx, { entries }, {});
  return { referenceId, currency, amount: formatAmount(amount, currency), as };
}

/**
 * No more than the exchange owes for orders that wait, and than it had less than our books have, at the last check: a check would
 * release orders for the rest that nobody has paid.
 */
async function assertShort(tx: Tx, { currency, reported }: SettlementCheck, amount: Decimal, at: Date) {
  const { booked, owed } = await readBooks(tx, currency, at);
  const short = maxOf(ZERO, minOf(owed, booked.minus(reported)));
  if (amount.gt(short))
    throw conflict(
      'invalid_transition',
      `Only ${formatAmount(short, currency)} ${currency} is short, by the last check of the settlement.`,
    );
}
