import { move } from '../../accounts/accounts/move';
import type { Tx } from '../../kernel/db/database';
import { ensureInternalAccounts } from '../../kernel/ledger/accounts';
import {
  accountEntry,
  type Entry,
  holdEntry,
  type InternalAccount,
  internalEntry,
} from '../../kernel/ledger/entries';
import type { Decimal } from '../../kernel/money/money';
import type { Portion } from './quotes/price';
import type { Deposit } from './record';

/** Every movement of money of a deposit. The payer's currency meets the account's at the FX position. */

type Of = Pick<Deposit, 'accountId' | 'currency' | 'accountCurrency' | 'referenceId' | 'idempotencyKey'>;

/** @param from where the payer's money has stood: with the party, or in suspense */
export async function postCredit(
  tx: Tx,
  deposit: Of & Pick<Deposit, 'chargedAmount' | 'creditedAmount' | 'serviceFee'>,
  from: Extract<InternalAccount, 'deposits' | 'suspense'>,
): Promise<void> {
  const { accountId, accountCurrency, creditedAmount, serviceFee, referenceId: reference } = deposit;
  const gross = creditedAmount.plus(serviceFee);
  await ensureInternalAccounts(tx, deposit.currency);
  const entries = [
    ...given(deposit, from, deposit.chargedAmount, gross, reference),
    accountEntry(accountId, 'deposit/checkout', creditedAmount, reference),
    internalEntry('fees', accountCurrency, serviceFee, reference),
  ];
  await move(tx, { entries }, { idempotencyKey: deposit.idempotencyKey });
}

/** What was paid and is settled, but belongs to no credit (yet): it waits in suspense. Negative: it is taken out again. */
export async function postSuspense(
  tx: Tx,
  { currency, amount, reference }: { currency: string; amount: Decimal; reference: string },
): Promise<void> {
  await ensureInternalAccounts(tx, currency);
  const entries = [
    internalEntry('deposits', currency, amount.negated(), reference),
    internalEntry('suspense', currency, amount, reference),
  ];
  await move(tx, { entries }, {});
}

/** Keeps what a refund will take. @throws Problem 409 `insufficient_funds` */
export async function holdRefund(
  tx: Tx,
  deposit: Of,
  { debit, referenceId }: Portion & { referenceId: string },
): Promise<void> {
  if (debit.isZero()) return;
  const entries = [holdEntry(deposit.accountId, 'pending/deposit_refund', debit, referenceId)];
  await move(tx, { entries }, { field: 'amount' });
}

export async function releaseRefund(
  tx: Tx,
  deposit: Of,
  { debit, referenceId }: Portion & { referenceId: string },
): Promise<void> {
  if (debit.isZero()) return;
  await move(
    tx,
    { entries: [holdEntry(deposit.accountId, 'transfer/deposit_refund', debit, referenceId)] },
    {},
  );
}

/** Money that has gone back, whatever the account has: what it is short of, it owes. @param held it was held for this */
export async function postTakenBack(
  tx: Tx,
  deposit: Of,
  portion: Portion & { referenceId: string },
  as: 'withdraw/deposit_refund' | 'withdraw/deposit_chargeback',
  held = false,
): Promise<void> {
  const { accountId, idempotencyKey } = deposit;
  const { debit, referenceId } = portion;
  const entries = [
    ...(held && debit.gt(0) ? [holdEntry(accountId, 'transfer/deposit_refund', debit, referenceId)] : []),
    ...(debit.gt(0) ? [accountEntry(accountId, as, debit, referenceId)] : []),
    ...counterparts(deposit, portion, 1),
  ];
  await ensureInternalAccounts(tx, deposit.currency);
  await move(tx, { entries, forced: !held }, { idempotencyKey });
}

/** A dispute that was won: all of it comes back. */
export async function postReversal(
  tx: Tx,
  deposit: Of,
  portion: Portion & { referenceId: string },
): Promise<void> {
  const { debit, referenceId } = portion;
  const entries = [
    ...(debit.gt(0)
      ? [accountEntry(deposit.accountId, 'deposit/chargeback_reversed', debit, referenceId)]
      : []),
    ...counterparts(deposit, portion, -1),
  ];
  await move(tx, { entries }, { idempotencyKey: deposit.idempotencyKey });
}

/** The other side of a portion: the party's account gets it, the fee's part comes from the fees, the rest from suspense. */
function counterparts(deposit: Of, portion: Portion & { referenceId: string }, sign: 1 | -1): Entry[] {
  const { amount, debit, gross, excess, referenceId } = portion;
  const within = amount.minus(excess).times(sign);
  return [
    ...given(deposit, 'deposits', within.negated(), gross.times(sign).negated(), referenceId),
    internalEntry('fees', deposit.accountCurrency, debit.minus(gross).times(sign), referenceId),
    internalEntry('deposits', deposit.currency, excess.times(sign), referenceId),
    internalEntry('suspense', deposit.currency, excess.times(sign).negated(), referenceId),
  ];
}

/** What an internal account gives in the payer's currency, and what that is in the account's. */
function given(
  { currency, accountCurrency }: Of,
  from: InternalAccount,
  amount: Decimal,
  gross: Decimal,
  reference: string,
): Entry[] {
  const paid = internalEntry(from, currency, amount.negated(), reference);
  if (currency === accountCurrency) return [paid];
  return [
    paid,
    internalEntry('fx_position', currency, amount, reference),
    internalEntry('fx_position', accountCurrency, gross.negated(), reference),
  ];
}
