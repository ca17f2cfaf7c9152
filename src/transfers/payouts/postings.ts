import { move } from '../../accounts/accounts/move';
import { requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { ensureInternalAccounts } from '../../kernel/ledger/accounts';
import { accountEntry, type Entry, holdEntry, internalEntry } from '../../kernel/ledger/entries';
import { type Decimal, minOf, ZERO } from '../../kernel/money/money';
import { openBreak } from '../../process/breaks/operations';
import { creditFor } from './price';
import { type Payout, totalDebit } from './record';

/**
 * What a payout does to the ledger. Every line carries the payout's id as its reference; the payout's row is locked by
 * the caller, before the account.
 */

/** @throws Problem 409 `insufficient_funds` */
export async function holdPayout(tx: Tx, payout: Payout): Promise<void> {
  const hold = holdEntry(payout.accountId, 'pending/payout', totalDebit(payout), payout.id);
  await move(tx, { entries: [hold] }, { field: 'quoteId' });
}

export async function releasePayout(tx: Tx, payout: Payout): Promise<void> {
  await move(tx, { entries: [releaseOf(payout)] }, {});
}

/**
 * The money has left: the hold is released and amount and fee are taken, in one posting.
 * @param held false where the hold was released before, on the party's word: what left is taken all the same
 */
export async function takePayout(tx: Tx, payout: Payout, held: boolean): Promise<void> {
  const { id, accountId, amount, fee, currency, receivedAmount, idempotencyKey } = payout;
  await ensureInternalAccounts(tx, payout.receivedCurrency);
  const entries = [
    ...(held ? [releaseOf(payout)] : []),
    accountEntry(accountId, 'withdraw/payout', amount, id),
    ...outside(payout, amount, receivedAmount),
  ];
  if (fee.gt(0)) {
    entries.push(
      accountEntry(accountId, 'fee/payout_fee', fee, id),
      internalEntry('fees', currency, fee, id),
    );
  }
  await move(tx, { entries, forced: !held }, { idempotencyKey });
}

/** What of a return was credited, in the account's currency. */
export interface Returned {
  credited: Decimal;
  /** All that has come back, in the received currency. */
  received: Decimal;
}

/**
 * The money has come back, whole or in part: it is credited once. What came back beyond what was paid, and what can no
 * longer be credited, waits in suspense for the operator.
 */
export async function creditReturn(tx: Tx, payout: Payout, received: Decimal): Promise<Returned> {
  const { id, accountId, receivedAmount, idempotencyKey } = payout;
  const fitting = minOf(received, receivedAmount);
  const excess = received.minus(fitting);
  if (excess.gt(0)) await suspend(tx, payout, excess, `more came back than was paid: ${received.toFixed()}`);
  const account = await requireAccount(tx, null, accountId);
  if (account.status === 'closed') {
    await suspend(tx, payout, fitting, 'it came back to a closed account');
    return { credited: ZERO, received };
  }
  const credited = creditFor(fitting, payout);
  const entries = [
    ...(credited.gt(0) ? [accountEntry(accountId, 'deposit/payout_returned', credited, id)] : []),
    ...outside(payout, credited.negated(), fitting.negated()),
  ];
  await move(tx, { entries }, { idempotencyKey });
  return { credited, received };
}

/** More came back after a return that was credited. */
export const suspendFurtherReturn = (tx: Tx, payout: Payout, further: Decimal, all: Decimal) =>
  suspend(tx, payout, further, `more came back after its return: ${all.toFixed()} in all`);

/**
 * Money of the party's that no rule gives to anybody: in suspense, and shown to the operator.
 * @param received in the received currency; negative when it went out
 * @param detail what tells this from another, so that it is shown once
 */
export async function suspend(tx: Tx, payout: Payout, received: Decimal, detail: string): Promise<void> {
  const { id, tenantId, receivedCurrency } = payout;
  const entries = [
    internalEntry('suspense', receivedCurrency, received, id),
    internalEntry('payouts', receivedCurrency, received.negated(), id),
  ];
  await move(tx, { entries }, {});
  await openBreak(tx, {
    tenantId,
    kind: 'payout_unmatched',
    subject: id,
    detail,
    amount: received,
    currency: receivedCurrency,
  });
}

const releaseOf = (payout: Payout): Entry =>
  holdEntry(payout.accountId, 'transfer/payout', totalDebit(payout), payout.id);

/** What the party gets of it: in the received currency, over the FX position where that is another. */
function outside(payout: Payout, amount: Decimal, received: Decimal): Entry[] {
  const { id, currency, receivedCurrency } = payout;
  if (currency === receivedCurrency) return [internalEntry('payouts', currency, amount, id)];
  return [
    internalEntry('fx_position', currency, amount, id),
    internalEntry('fx_position', receivedCurrency, received.negated(), id),
    internalEntry('payouts', receivedCurrency, received, id),
  ];
}
