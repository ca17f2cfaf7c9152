import { move } from '../../accounts/accounts/move';
import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { accountEntry, type Entry, holdEntry, internalEntry } from '../../kernel/ledger/entries';
import { Decimal, roundTo } from '../../kernel/money/money';
import { openBreak } from '../../process/breaks/operations';
import type { ExternalCardTransaction } from './record';

/**
 * What top-ups and withdrawals do to the ledger. The record's id is the reference of its lines; its row is locked by the
 * caller, before the account.
 */

/** @throws Problem 409 `insufficient_funds` */
export async function holdWithdrawal(tx: Tx, record: ExternalCardTransaction): Promise<void> {
  const hold = holdEntry(record.accountId, 'pending/withdrawal', debitOf(record), record.id);
  await move(tx, { entries: [hold] }, { field: 'amount' });
}

export async function releaseWithdrawal(tx: Tx, record: ExternalCardTransaction): Promise<void> {
  await move(tx, { entries: [releaseOf(record)] }, {});
}

/**
 * The money has left: the hold is released, and amount and fee are taken.
 * @param held false where the hold was released before, on the party's word: what left is taken all the same
 */
export async function takeWithdrawal(tx: Tx, record: ExternalCardTransaction, held: boolean): Promise<void> {
  const { id, accountId, amount, fee, currency, idempotencyKey } = record;
  const entries = [
    ...(held ? [releaseOf(record)] : []),
    accountEntry(accountId, 'withdraw/card_withdrawal', amount, id),
    internalEntry('payouts', currency, amount, id),
  ];
  if (fee.gt(0))
    entries.push(
      accountEntry(accountId, 'fee/withdrawal_fee', fee, id),
      internalEntry('fees', currency, fee, id),
    );
  await move(tx, { entries, forced: !held }, { idempotencyKey });
}

/** @param part of the amount, which the card's bank has not taken; the fee stays */
export async function creditReturn(tx: Tx, record: ExternalCardTransaction, part: Decimal): Promise<void> {
  const { accountId, currency, idempotencyKey } = record;
  const reference = referenceOf(record);
  const entries = [
    accountEntry(accountId, 'deposit/payout_returned', part, reference),
    internalEntry('payouts', currency, part.negated(), reference),
  ];
  await move(tx, { entries }, { idempotencyKey });
}

/** The charge has arrived: what is left of it after the fee is credited. */
export async function creditTopup(tx: Tx, record: ExternalCardTransaction): Promise<void> {
  const { id, accountId, amount, fee, currency, idempotencyKey } = record;
  const entries = [
    accountEntry(accountId, 'deposit/card_topup', amount.minus(fee), id),
    internalEntry('deposits', currency, amount.negated(), id),
    internalEntry('fees', currency, fee, id),
  ];
  await move(tx, { entries }, { idempotencyKey });
}

/**
 * The payer's bank has taken back what was charged, or gives it again. The account gives what it was credited of it, though
 * it fall below zero; we give our fee.
 * @param returned all that has gone back now, of the amount
 */
export async function bookChargeback(
  tx: Tx,
  record: ExternalCardTransaction,
  returned: Decimal,
): Promise<void> {
  const { accountId, currency, idempotencyKey } = record;
  const change = returned.minus(record.returnedAmount);
  const net = creditedOf(record, returned).minus(creditedOf(record, record.returnedAmount));
  const reference = referenceOf(record);
  const line = change.gt(0) ? 'withdraw/deposit_chargeback' : 'deposit/chargeback_reversed';
  const entries = [
    accountEntry(accountId, line, net.abs(), reference),
    internalEntry('deposits', currency, change, reference),
    internalEntry('fees', currency, net.minus(change), reference),
  ];
  await move(tx, { entries, forced: change.gt(0) }, { idempotencyKey });
}

/**
 * Money of the party's that no rule gives to anybody: in suspense, and shown to the operator.
 * @param detail what tells this from another, so that it is shown once
 */
export async function suspend(
  tx: Tx,
  record: ExternalCardTransaction,
  amount: Decimal,
  detail: string,
): Promise<void> {
  const { id, currency } = record;
  const entries = [
    internalEntry('suspense', currency, amount, id),
    internalEntry(record.kind === 'topup' ? 'deposits' : 'payouts', currency, amount.negated(), id),
  ];
  await move(tx, { entries }, {});
  await tellOperator(tx, record, 'external_card_unmatched', detail, amount);
}

export async function tellOperator(
  tx: Tx,
  { id, tenantId, currency, amount }: ExternalCardTransaction,
  kind: 'external_card_unmatched' | 'external_card_contradiction' | 'external_card_chargeback',
  detail: string,
  about: Decimal = amount,
): Promise<void> {
  await openBreak(tx, { tenantId, kind, subject: id, detail, amount: about, currency });
}

const debitOf = ({ amount, fee }: ExternalCardTransaction): Decimal => amount.plus(fee);

const releaseOf = (record: ExternalCardTransaction): Entry =>
  holdEntry(record.accountId, 'transfer/withdrawal', debitOf(record), record.id);

/** What was credited of a part of the amount; the last part takes the exact rest. */
function creditedOf({ amount, fee, currency }: ExternalCardTransaction, part: Decimal): Decimal {
  const credited = amount.minus(fee);
  if (part.gte(amount)) return credited;
  return roundTo(credited.times(part).dividedBy(amount), currency, Decimal.ROUND_DOWN);
}

/** Receivers drop a second event with the same reference, type and subtype: further movements have their own (6.1). */
const referenceOf = ({ id, returns }: ExternalCardTransaction): string =>
  returns === 0 ? id : newId('reference');
