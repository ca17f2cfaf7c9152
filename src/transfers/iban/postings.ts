import { move } from '../../accounts/accounts/move';
import { requireMasterAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import {
  accountEntry,
  type Entry,
  holdEntry,
  internalEntry,
  type PostedEntry,
} from '../../kernel/ledger/entries';
import type { Decimal } from '../../kernel/money/money';
import { openBreak } from '../../process/breaks/operations';
import type { IbanPayout } from './payouts/store';
import type { VirtualIban } from './virtual-ibans/store';

/**
 * What the virtual IBAN does to the ledger. A payout's id is the reference of its lines; its row is locked by the caller,
 * before the account.
 */

/** @throws Problem 409 `insufficient_funds` */
export async function holdPayout(tx: Tx, payout: IbanPayout): Promise<void> {
  const hold = holdEntry(payout.virtualIbanId, 'pending/payout', payout.amount.plus(payout.fee), payout.id);
  await move(tx, { entries: [hold] }, { field: 'quoteId' });
}

export async function releasePayout(tx: Tx, payout: IbanPayout): Promise<void> {
  await move(tx, { entries: [releaseOf(payout)] }, {});
}

/**
 * The money has left: the hold is released, and amount and fee are taken.
 * @param held false where the hold was released before, on the party's word: what left is taken all the same
 */
export async function takePayout(tx: Tx, payout: IbanPayout, held: boolean): Promise<void> {
  const { id, virtualIbanId, amount, fee, idempotencyKey } = payout;
  const entries = [
    ...(held ? [releaseOf(payout)] : []),
    accountEntry(virtualIbanId, 'withdraw/iban_payout', amount, id),
    internalEntry('payouts', 'EUR', amount, id),
  ];
  if (fee.gt(0))
    entries.push(accountEntry(virtualIbanId, 'fee/iban_fee', fee, id), internalEntry('fees', 'EUR', fee, id));
  await move(tx, { entries, forced: !held }, { idempotencyKey });
}

/** @param part of the amount, which has come back; the fee stays */
export async function creditReturn(tx: Tx, payout: IbanPayout, part: Decimal): Promise<void> {
  // Receivers drop a second event with the same reference, type and subtype: a further return has its own (6.1).
  const reference = payout.returns === 0 ? payout.id : newId('reference');
  const entries = [
    accountEntry(payout.virtualIbanId, 'deposit/payout_returned', part, reference),
    internalEntry('payouts', 'EUR', part.negated(), reference),
  ];
  await move(tx, { entries }, { idempotencyKey: payout.idempotencyKey });
}

const releaseOf = (payout: IbanPayout): Entry =>
  holdEntry(payout.virtualIbanId, 'transfer/payout', payout.amount.plus(payout.fee), payout.id);

/** To the company's own EUR account, at once. @throws Problem 409 `insufficient_funds` */
export async function transferToMaster(
  tx: Tx,
  iban: VirtualIban,
  amount: Decimal,
  idempotencyKey: string | undefined,
): Promise<{ referenceId: string; toAccountId: string; entries: PostedEntry[] }> {
  const { id: toAccountId } = await requireMasterAccount(tx, iban.tenantId, 'EUR');
  const referenceId = newId('reference');
  const entries = [
    accountEntry(iban.id, 'transfer/account_out', amount, referenceId),
    accountEntry(toAccountId, 'transfer/account_in', amount, referenceId),
  ];
  const posted = await move(tx, { entries }, { idempotencyKey, field: 'amount' });
  return { referenceId, toAccountId, entries: posted };
}

/** @throws Problem 409 `insufficient_funds` */
export async function takeFee(tx: Tx, virtualIbanId: string, amount: Decimal, reference: string) {
  const entries = [
    accountEntry(virtualIbanId, 'fee/iban_fee', amount, reference),
    internalEntry('fees', 'EUR', amount, reference),
  ];
  await move(tx, { entries }, {});
}

export async function tellContradiction(tx: Tx, payout: IbanPayout, detail: string): Promise<void> {
  const { id, tenantId, amount } = payout;
  await openBreak(tx, {
    tenantId,
    kind: 'iban_payout_contradiction',
    subject: id,
    detail,
    amount,
    currency: 'EUR',
  });
}
