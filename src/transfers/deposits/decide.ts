import type { Tx } from '../../kernel/db/database';
import { conflict, invalid } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { type Decimal, formatAmount, ZERO } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import { change, lockedDeposit } from './change';
import { holdRefund } from './postings';
import { leftOver, portionOf, requirePriceOf } from './quotes/price';
import { type Deposit } from './record';
import { referenceOf, takenFrom } from './refunds/refund';
import { insertRefund } from './refunds/store';
import { insertDecision } from './store';
import { lookAtDeposit } from './workflows';

export { depositsToReview } from './store';

type Deps = Pick<Services, 'commands' | 'now'>;

/** The operator's word on a deposit that waits for it. */
export interface DecideDeposit {
  depositId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
}

/** What it was, and what it has become. */
export interface Decided {
  before: Deposit;
  after: Deposit;
}

/**
 * A person's decision: a row, and a word to the workflow, which does it: what is approved is credited once it is settled,
 * what is rejected goes back to the payer. Whoever calls writes it down in the audit log.
 * @throws Problem 404, 409 `invalid_transition`
 */
export async function decideDeposit(deps: Deps, tx: Tx, given: DecideDeposit): Promise<Decided> {
  const { depositId, decision, reason = null, decidedBy } = given;
  const before = await lockedDeposit(tx, depositId);
  assertUndecided(before);
  await insertDecision(tx, { depositId, decision, reason, decidedBy });
  if (decision === 'approved') assertCreditable(before);
  else await orderReturn(tx, before, { reason, requestedBy: decidedBy });
  const after = await change(deps, tx, before, { decision, refundOpen: decision === 'rejected' });
  await deps.commands.append(tx, [lookAtDeposit(after)]);
  return { before, after };
}

function assertUndecided({ status, decision }: Deposit): void {
  if (status !== 'manual_review')
    throw conflict('invalid_transition', `A deposit that is ${status} waits for no decision.`);
  if (decision !== null)
    throw conflict('invalid_transition', `The deposit has been ${decision}; it is being done.`);
}

function assertCreditable(deposit: Deposit): void {
  const { paidAmount: amount, paidCurrency: currency } = deposit;
  if (amount && currency) requirePriceOf({ amount, currency }, deposit);
}

async function orderReturn(
  tx: Tx,
  deposit: Deposit,
  by: { reason: string | null; requestedBy: string },
): Promise<void> {
  await insertRefund(tx, {
    id: newId('depositRefund'),
    depositId: deposit.id,
    kind: 'return',
    origin: 'operator',
    status: 'requested',
    amount: deposit.paidAmount ?? deposit.chargedAmount,
    debit: ZERO,
    gross: ZERO,
    excess: ZERO,
    referenceId: deposit.referenceId,
    providerId: null,
    ...by,
  });
}

export interface RefundDeposit {
  depositId: string;
  /** In the payer's currency; all that is left when absent. */
  amount?: Decimal | undefined;
  reason?: string | undefined;
  requestedBy: string;
}

/**
 * Orders a refund of a completed deposit: what it will take is held on the account, and debited when the money has gone.
 * @throws Problem 404, 400; 409 `invalid_transition`, `limit_exceeded` above what is left, `insufficient_funds`
 */
export async function refundDeposit(deps: Deps, tx: Tx, given: RefundDeposit): Promise<Decided> {
  const before = await lockedDeposit(tx, given.depositId);
  if (before.status !== 'completed')
    throw conflict('invalid_transition', `A deposit that is ${before.status} cannot be refunded.`);
  const taken = await takenFrom(tx, before.id);
  const left = leftOver(before.chargedAmount, taken);
  const { amount = left, reason = null, requestedBy } = given;
  assertRefundable(before, amount, left);
  const portion = portionOf(amount, before, taken, before.accountCurrency);
  const refund = await insertRefund(tx, {
    id: newId('depositRefund'),
    depositId: before.id,
    kind: 'refund',
    origin: 'operator',
    status: 'requested',
    ...portion,
    referenceId: await referenceOf(tx, before),
    providerId: null,
    reason,
    requestedBy,
  });
  await holdRefund(tx, before, refund);
  const after = await change(deps, tx, before, { refundOpen: true });
  await deps.commands.append(tx, [lookAtDeposit(after)]);
  return { before, after };
}

function assertRefundable({ currency }: Deposit, amount: Decimal, left: Decimal): void {
  assertFits(amount, currency);
  if (left.isZero() || amount.gt(left))
    throw conflict(
      'limit_exceeded',
      `At most ${formatAmount(left, currency)} ${currency} is left.`,
      'amount',
    );
  if (!amount.gt(0)) throw invalid('amount must be greater than zero.', 'amount');
}
