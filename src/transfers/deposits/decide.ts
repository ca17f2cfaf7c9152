import { assertAccountOpen } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { conflict, invalid } from '../../kernel/errors';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { UNKNOWN_REFUND } from '../../process/breaks/kinds';
import { mayRepeatLostRefund } from '../../process/lost-orders';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import type { NewDecision } from '../engine/kind';
import { depositKind } from './kind';
import { type Deposit, refundableOf, undecidedOf } from './money';
import { requirePriceOf } from './quotes/price';
import { approvalData, underDecision } from './rules';

type Deps = Pick<Services, 'commands' | 'now'>;

export type DecidedDeposit = Decided<Deposit>;

/** An operator's decision on a deposit in `manual_review`. */
export interface DecideDeposit {
  depositId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` for an operator. */
  decidedBy: string;
}

/**
 * Applies an operator's decision. An approved amount is credited once it has settled, if the payments are still the
 * same. A rejected amount goes back to the payer.
 * @throws Problem 404, 409 `invalid_transition`; `account_closed` for an approval
 */
export function decideDeposit(deps: Deps, tx: Tx, given: DecideDeposit): Promise<DecidedDeposit> {
  const { depositId: id, decision, reason = null, decidedBy } = given;
  return decide(deps, tx, depositKind, {
    id,
    noun: 'deposit',
    decidedBy,
    asked: {},
    judge: async (deposit) => (await judgeReview(tx, deposit, decision)).map((each) => ({ ...each, reason })),
  });
}

/** @returns what an operator's decision stores @throws Problem as {@link decideDeposit} */
export async function judgeReview(
  tx: Tx,
  deposit: Deposit,
  decision: DecideDeposit['decision'],
): Promise<NewDecision[]> {
  assertUndecided(deposit);
  if (decision === 'approved') await assertItsAccountOpen(tx, deposit);
  else await assertNoLostRefund(tx, deposit);
  return decision === 'approved' ? approval(deposit) : rejections(deposit);
}

async function assertItsAccountOpen(tx: Tx, { transfer: { accountId } }: Deposit): Promise<void> {
  if (accountId !== null) await assertAccountOpen(tx, { id: accountId });
}

/** @throws Problem 409 `invalid_transition` while a refund whose record was lost may be repeated */
async function assertNoLostRefund(tx: Tx, { transfer: { id } }: Deposit): Promise<void> {
  if (await mayRepeatLostRefund(tx, depositKind.party, id))
    throw conflict(
      'invalid_transition',
      `Commits were lost, and the party may have refunded this deposit already. Wait until its list was read again, and resolve ${UNKNOWN_REFUND}.`,
    );
}

function assertUndecided(deposit: Deposit): void {
  const { status } = deposit.transfer;
  if (status !== 'manual_review' || !deposit.transfer.terms)
    throw conflict('invalid_transition', `A deposit that is ${status} does not wait for a decision.`);
  const decided = underDecision(deposit);
  if (decided) throw conflict('invalid_transition', `The deposit has already been ${decided}.`);
}

/** Approves the payer's remaining money. @throws Problem 409 when the terms give no price for it */
export function approval(deposit: Deposit): NewDecision[] {
  const { terms } = deposit.transfer;
  const [left, other] = undecidedOf(deposit);
  if (!terms || !left) throw nothingLeft();
  if (other) throw conflict('invalid_transition', 'The deposit was paid in more than one currency.');
  requirePriceOf(left, terms);
  return [{ kind: 'approve', ...left, data: approvalData(deposit) }];
}

/** Sends all remaining money back, with one order for each currency. @throws Problem 409 when there is none */
export function rejections(deposit: Deposit): NewDecision[] {
  const left = undecidedOf(deposit).filter(({ amount }) => amount.gt(0));
  if (left.length === 0) throw nothingLeft();
  return left.map((money) => ({ kind: 'reject', ...money }));
}

const nothingLeft = () =>
  conflict(
    'invalid_transition',
    'All payments have gone back or are going back, so nothing is left to decide.',
  );

export interface RefundDeposit {
  depositId: string;
  /** In the payer's currency. Absent: all that is left. */
  amount?: Decimal | undefined;
  reason?: string | undefined;
  requestedBy: string;
}

/**
 * Orders a refund of a completed deposit. Its amount is held on the account, and debited when the party has paid it.
 * @throws Problem 404, 400; 409 `invalid_transition`, `account_closed`, `limit_exceeded` above what is left,
 * `insufficient_funds`
 */
export function refundDeposit(deps: Deps, tx: Tx, given: RefundDeposit): Promise<DecidedDeposit> {
  const { depositId: id, reason = null, requestedBy: decidedBy } = given;
  return decide(deps, tx, depositKind, {
    id,
    noun: 'deposit',
    decidedBy,
    asked: { field: 'amount' },
    async judge(deposit) {
      const { amount, currency } = await judgeRefund(tx, deposit, given.amount);
      return [{ kind: 'refund', amount, currency, reason }];
    },
  });
}

/**
 * @param asked absent: all that is left
 * @returns what a refund returns, and what is left before it, in the payer's currency
 * @throws Problem as {@link refundDeposit}
 */
export async function judgeRefund(
  tx: Tx,
  deposit: Deposit,
  asked: Decimal | undefined,
): Promise<{ amount: Decimal; left: Decimal; currency: string }> {
  const { status, terms } = deposit.transfer;
  if (status !== 'completed' || !terms)
    throw conflict('invalid_transition', `A deposit that is ${status} cannot be refunded.`);
  await assertItsAccountOpen(tx, deposit);
  await assertNoLostRefund(tx, deposit);
  const { currency } = terms;
  const left = refundableOf(deposit);
  const amount = asked ?? left;
  assertRefundable(currency, amount, left);
  return { amount, left, currency };
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
