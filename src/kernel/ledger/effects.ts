/**
 * Balance effects of `interface.md 3.4` and of part 3 of the decisions, as data. Postings, documentation and proofs
 * (the fold of the webhook stream) read only these tables.
 *
 * Each number is a factor of the event's amount, which is never negative. The type carries the direction.
 */
export interface Effect {
  available: -1 | 0 | 1;
  pending: -1 | 0 | 1;
  spent: -1 | 0 | 1;
}

const effect = (available: -1 | 0 | 1, pending: -1 | 0 | 1 = 0, spent: -1 | 0 | 1 = 0): Effect => ({
  available,
  pending,
  spent,
});

/** Effects of a `card_transaction` by `data.type`. */
export const CARD_EFFECTS = {
  issue: effect(+1),
  topup: effect(+1),
  withdraw: effect(-1),
  authorization: effect(-1, +1),
  cancel: effect(+1, -1),
  settle: effect(0, -1, +1),
  refund: effect(+1, 0, -1),
  decline: effect(0),
  freeze: effect(0),
  unfreeze: effect(0),
  close: effect(0),
} as const satisfies Record<string, Effect>;

export type CardTransactionType = keyof typeof CARD_EFFECTS;

/** Effects of an `account_transaction` by `type/subtype`. Clients receive these as webhooks. */
export const ACCOUNT_EFFECTS = {
  'fee/settle_fee': effect(0, -1),
  'fee/decline_fee': effect(-1),
  'fee/issue_fee': effect(-1),
  'fee/topup_fee': effect(-1),
  'fee/payout_fee': effect(-1),
  'fee/withdrawal_fee': effect(-1),
  'fee/exchange_fee': effect(-1),
  'fee/iban_fee': effect(-1),
  'transfer/card_deposit': effect(-1),
  'transfer/card_withdraw': effect(+1),
  'transfer/card_closed_refund': effect(+1),
  'transfer/card_closed_cancel': effect(0),
  'transfer/card_buffer_deposit': effect(-1),
  'transfer/card_buffer_refund': effect(+1),
  'transfer/account_out': effect(-1),
  'transfer/account_in': effect(+1),
  'transfer/exchange_out': effect(-1),
  'transfer/exchange_in': effect(+1),
  'deposit/admin_deposit': effect(+1),
  'deposit/offramp': effect(+1),
  'deposit/checkout': effect(+1),
  'deposit/card_topup': effect(+1),
  'deposit/crypto': effect(+1),
  'deposit/iban_credit': effect(+1),
  'deposit/payout_returned': effect(+1),
  'deposit/chargeback_reversed': effect(+1),
  'withdraw/admin_withdrawal': effect(-1),
  'withdraw/payout': effect(-1),
  'withdraw/card_withdrawal': effect(-1),
  'withdraw/exchange_withdrawal': effect(-1),
  'withdraw/deposit_refund': effect(-1),
  'withdraw/deposit_chargeback': effect(-1),
  'withdraw/iban_payout': effect(-1),
  // Reversals of effects whose cause a party has withdrawn (decisions part 3).
  'withdraw/checkout_reversed': effect(-1),
  'withdraw/card_topup_reversed': effect(-1),
  'withdraw/crypto_reversed': effect(-1),
  'withdraw/iban_credit_reversed': effect(-1),
  'withdraw/payout_returned_reversed': effect(-1),
  'deposit/deposit_refund_reversed': effect(+1),
  'deposit/payout_reversed': effect(+1),
  'deposit/payout_fee_reversed': effect(+1),
  'deposit/iban_payout_reversed': effect(+1),
  'deposit/iban_fee_reversed': effect(+1),
  'deposit/card_withdrawal_reversed': effect(+1),
  'deposit/withdrawal_fee_reversed': effect(+1),
  'deposit/exchange_withdrawal_reversed': effect(+1),
  'deposit/exchange_out_reversed': effect(+1),
  'deposit/exchange_fee_reversed': effect(+1),
  'withdraw/exchange_in_reversed': effect(-1),
} as const satisfies Record<string, Effect>;

export type AccountEffect = keyof typeof ACCOUNT_EFFECTS;

const halves = (at: 0 | 1) => [
  ...new Set(Object.keys(ACCOUNT_EFFECTS).map((name) => name.split('/')[at] ?? '')),
];

/** The types of an `account_transaction`, and its subtypes. */
export const ACCOUNT_TYPES: readonly string[] = halves(0);
export const ACCOUNT_SUBTYPES: readonly string[] = halves(1);

/** The types of any transaction, of a card or an account. */
export const TRANSACTION_TYPES: readonly string[] = [
  ...new Set([...Object.keys(CARD_EFFECTS), ...ACCOUNT_TYPES]),
];

/**
 * Effects of holds. Recorded, but shown only by the operator's tools. A release and the debit that follows are one
 * posting.
 */
export const HOLD_EFFECTS = {
  'pending/settle_fee': effect(-1, +1),
  'transfer/settle_fee': effect(+1, -1),
  'pending/card_issue': effect(-1, +1),
  'transfer/card_issue': effect(+1, -1),
  'pending/card_funding': effect(-1, +1),
  'transfer/card_funding': effect(+1, -1),
  'pending/payout': effect(-1, +1),
  'transfer/payout': effect(+1, -1),
  'pending/deposit_refund': effect(-1, +1),
  'transfer/deposit_refund': effect(+1, -1),
  'pending/exchange': effect(-1, +1),
  'transfer/exchange': effect(+1, -1),
  'pending/withdrawal': effect(-1, +1),
  'transfer/withdrawal': effect(+1, -1),
} as const satisfies Record<string, Effect>;

export type HoldEffect = keyof typeof HOLD_EFFECTS;
