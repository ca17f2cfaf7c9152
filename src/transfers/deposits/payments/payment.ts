import type { Tx } from '../../../kernel/db/database';
import { ZERO } from '../../../kernel/money/money';
import type { CheckoutState } from '../../../parties/checkout/port';
import { openBreak } from '../../../process/breaks/operations';
import type { Services } from '../../../services';
import { type Changes, change, changeStatus } from '../change';
import { postCredit, postSuspense } from '../postings';
import { requirePriceOf } from '../quotes/price';
import type { Deposit } from '../record';
import { amountDiffers, type DepositTrigger, wasCredited } from '../rules';

/** One line of the table, with the money that it moves, in one transaction. */
export async function takeStep(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  on: DepositTrigger,
  state: CheckoutState,
): Promise<Deposit> {
  switch (on) {
    case 'settled':
    case 'approved':
      return credit(services, tx, deposit, on, state);
    case 'paid':
      return changeStatus(services, tx, deposit, on, paidBy(state));
    case 'paid_late':
      return changeStatus(services, tx, deposit, on, { ...paidBy(state), failure: 'paid_late' });
    case 'questioned':
      return changeStatus(services, tx, deposit, on, { ...paidBy(state), failure: reasonOf(deposit, state) });
    case 'payment_failed':
      return changeStatus(services, tx, deposit, on, {
        failure: toldFailure(state.failureCode),
        decision: null,
      });
    default:
      return changeStatus(services, tx, deposit, on);
  }
}

const paidBy = ({ paid }: CheckoutState): Changes =>
  paid ? { paidAmount: paid.amount, paidCurrency: paid.currency } : {};

function reasonOf(deposit: Deposit, state: CheckoutState): string {
  if (amountDiffers(deposit, state)) return 'amount_differs';
  return state.risk === 'review' ? 'risk' : 'taken_back';
}

/** A party's words may give it away: what is not one of these is told as no more than a failure. */
const TOLD_FAILURES = ['card_declined', 'insufficient_funds', 'expired_card', 'authentication_failed'];

const toldFailure = (code: string | undefined): string =>
  code !== undefined && TOLD_FAILURES.includes(code) ? code : 'payment_failed';

/**
 * While the operator decides, the party may come to have another amount: what was approved is then approved no more.
 */
export async function revisePayment(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  { paid }: CheckoutState,
): Promise<Deposit> {
  if (deposit.status !== 'manual_review' || !paid) return deposit;
  const { paidAmount, paidCurrency, decision } = deposit;
  if (paidAmount?.eq(paid.amount) && paidCurrency === paid.currency) return deposit;
  return change(services, tx, deposit, {
    paidAmount: paid.amount,
    paidCurrency: deposit.suspended.gt(0) ? paidCurrency : paid.currency,
    decision: decision === 'approved' ? null : decision,
  });
}

/** Settled and credited, in one transaction with both webhooks. What was paid instead is credited on the same terms. */
async function credit(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  on: 'settled' | 'approved',
  state: CheckoutState,
): Promise<Deposit> {
  const price = state.paid && amountDiffers(deposit, state) ? requirePriceOf(state.paid, deposit) : {};
  const credited = { ...deposit, ...price };
  await postCredit(tx, credited, deposit.suspended.gt(0) ? 'suspense' : 'deposits');
  const at = services.now();
  return changeStatus(services, tx, credited, on, {
    ...paidBy(state),
    completedAt: at,
    settledAt: deposit.settledAt ?? at,
    suspended: ZERO,
    decision: null,
    failure: null,
  });
}

/**
 * Money that is settled and was not credited is booked to suspense: all of it while the operator decides, and what was
 * paid beyond the charge of a deposit that was credited before.
 */
export async function noteSettlement(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  { status, paid }: CheckoutState,
): Promise<Deposit> {
  if (status !== 'settled' || !paid) return deposit;
  if (deposit.status === 'manual_review') return suspend(services, tx, deposit, paid);
  return wasCredited(deposit.status) ? noteSurplus(services, tx, deposit, paid) : deposit;
}

type Paid = NonNullable<CheckoutState['paid']>;

/** As much as was paid stands in suspense. */
async function suspend(services: Services, tx: Tx, deposit: Deposit, paid: Paid): Promise<Deposit> {
  if (deposit.suspended.gt(0) && deposit.paidCurrency !== paid.currency) return deposit;
  const amount = paid.amount.minus(deposit.suspended);
  if (amount.isZero()) return deposit;
  await postSuspense(tx, { amount, currency: paid.currency, reference: deposit.referenceId });
  const settledAt = deposit.settledAt ?? services.now();
  const known = { paidAmount: paid.amount, paidCurrency: paid.currency };
  return change(services, tx, deposit, { ...known, settledAt, suspended: paid.amount });
}

/** It was paid again after it was credited. */
async function noteSurplus(services: Services, tx: Tx, deposit: Deposit, paid: Paid): Promise<Deposit> {
  const known = deposit.paidAmount ?? deposit.chargedAmount;
  if (paid.currency !== deposit.currency || !paid.amount.gt(known)) return deposit;
  const amount = paid.amount.minus(known);
  const { currency } = paid;
  await postSuspense(tx, { amount, currency, reference: deposit.referenceId });
  await openBreak(tx, {
    tenantId: deposit.tenantId,
    kind: 'deposit_paid_again',
    subject: deposit.id,
    detail: `${paid.amount.toFixed()} in all, of which ${known.toFixed()} was known`,
    amount,
    currency,
  });
  return change(services, tx, deposit, {
    paidAmount: paid.amount,
    suspended: deposit.suspended.plus(amount),
  });
}
