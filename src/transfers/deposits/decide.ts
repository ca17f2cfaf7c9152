import { assertAccountOpen } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { conflict, invalid } from '../../kernel/errors';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import type { NewDecision } from '../engine/kind';
import { depositKind } from './kind';
import { type Deposit, refundableOf, undecidedOf } from './money';
import { requirePriceOf } from './quotes/price';
import { approvalData, underDecision } from './rules';

type Deps = Pick<Services, 'commands' | 'now'>;

export type DecidedDeposit = Decided<Deposit>;

/** The operator's word on a deposit that waits for it. */
export interface DecideDeposit {
  depositId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
}

/**
 * A person's decision: what is approved is credited once it is settled, and only while it is what there is; what is rejected
 * goes back to the payer.
 * @throws Problem 404, 409 `invalid_transition`; `account_closed` for an approval
 */
export function decideDeposit(deps: Deps, tx: Tx, given: DecideDeposit): Promise<DecidedDeposit> {
  const { depositId: id, decision, reason = null, decidedBy } = given;
  return decide(deps, tx, depositKind, {
    ...{ id, noun: 'deposit', decidedBy, asked: {} },
    async judge(deposit) {
      assertUndecided(deposit);
      if (decision === 'approved') await assertItsAccountOpen(tx, deposit);
      const decisions = decision === 'approved' ? approval(deposit) : rejections(deposit);
      return decisions.map((each) => ({ ...each, reason }));
    },
  });
}

async function assertItsAccountOpen(tx: Tx, { transfer: { accountId } }: Deposit): Promise<void> {
  if (accountId !== null) await assertAccountOpen(tx, { id: accountId });
}

function assertUndecided(deposit: Deposit): void {
  const { status } = deposit.transfer;
  if (status !== 'manual_review' || !deposit.transfer.terms)
    throw conflict('invalid_transition', `A deposit that is ${status} waits for no decision.`);
  const decided = underDecision(deposit);
  if (decided) throw conflict('invalid_transition', `The deposit has been ${decided}; it is being done.`);
}

/** What is left of the payer's now. @throws Problem 409 when the terms do not say what the account gets for it */
export function approval(deposit: Deposit): NewDecision[] {
  const { terms } = deposit.transfer;
  const [left, other] = undecidedOf(deposit);
  if (!terms || !left) throw nothingLeft();
  if (other) throw conflict('invalid_transition', 'It was paid in more than one currency.');
  requirePriceOf(left, terms);
  return [{ kind: 'approve', ...left, data: approvalData(deposit) }];
}

/** All that is left goes back, each currency by an order of its own. @throws Problem 409 when there is nothing */
export function rejections(deposit: Deposit): NewDecision[] {
  const left = undecidedOf(deposit).filter(({ amount }) => amount.gt(0));
  if (left.length === 0) throw nothingLeft();
  return left.map((money) => ({ kind: 'reject', ...money }));
}

const nothingLeft = () =>
  conflict(
    'invalid_transition',
    'All that was paid has gone back, or is about to: nothing is left to decide.',
  );

export interface RefundDeposit {
  depositId: string;
  /** In the payer's currency; all that is left when absent. */
  amount?: Decimal | undefined;
  reason?: string | undefined;
  requestedBy: string;
}

/**
 * Orders a refund of a completed deposit: what it will take is held on the account, and debited when the money has gone.
 * @throws Problem 404, 400; 409 `invalid_transition`, `account_closed`, `limit_exceeded` above what is left, `insufficient_funds`
 */
export function refundDeposit(deps: Deps, tx: Tx, given: RefundDeposit): Promise<DecidedDeposit> {
  const { depositId: id, reason = null, requestedBy: decidedBy } = given;
  return decide(deps, tx, depositKind, {
    ...{ id, noun: 'deposit', decidedBy, asked: { field: 'amount' } },
    async judge(deposit) {
      const { status, terms } = deposit.transfer;
      if (status !== 'completed' || !terms)
        throw conflict('invalid_transition', `A deposit that is ${status} cannot be refunded.`);
      await assertItsAccountOpen(tx, deposit);
      const left = refundableOf(deposit);
      const amount = given.amount ?? left;
      assertRefundable(terms.currency, amount, left);
      return [{ kind: 'refund', amount, currency: terms.currency, reason }];
    },
  });
}

function assertRefundable(currency: string, amount: Decimal, left: Decimal): void {
  assertFits(amount, currency);
  if (left.isZero() || amount.gt(left))
    throw conflict(
      'limit_exceeded',
      `At most ${formatAmount(left, currency)} ${currency} is left.`,
      'amount',
    );
  if (!amount.gt(0)) throw invalid('amount must be greater than zero.', 'amount');
}
