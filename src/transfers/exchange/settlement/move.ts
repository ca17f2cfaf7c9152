import { move } from '../../../accounts/accounts/move';
import type { Tx } from '../../../kernel/db/database';
import { newId } from '../../../kernel/ids';
import { ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { type InternalAccount, internalAccountId, internalEntry } from '../../../kernel/ledger/entries';
import { type Decimal, formatAmount } from '../../../kernel/money/money';
import { addSentOut } from './store';

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
 * Books it in one posting; nobody's transfer. Whether it takes two operators, and the audit log, are its caller's
 * (src/operator/approvals/kinds.ts). What was taken home counts as sent out at the next check.
 */
export async function moveSettlement(tx: Tx, { currency, amount, as }: SettlementMove) {
  const { other, isMore } = BOOKED[as];
  const referenceId = newId('reference');
  await ensureInternalAccounts(tx, currency);
  if (as === 'withdrawal') await addSentOut(tx, currency, amount);
  // What the exchange has of ours is below zero on its account, as all that we have elsewhere.
  const received = isMore ? amount.negated() : amount;
  const entries = [
    internalEntry('settlement', currency, received, referenceId),
    internalEntry(other, currency, received.negated(), referenceId),
  ];
  await move(tx, { entries }, {});
  return { referenceId, currency, amount: formatAmount(amount, currency), as };
}
