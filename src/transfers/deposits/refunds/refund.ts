import type { Sql, Tx } from '../../../kernel/db/database';
import { newId } from '../../../kernel/ids';
import { ZERO } from '../../../kernel/money/money';
import type { CheckoutRefund, CheckoutState } from '../../../parties/checkout/port';
import { openBreak } from '../../../process/breaks/operations';
import { PartyRefused } from '../../../process/party-errors';
import type { Services } from '../../../services';
import { change, changeStatus, lockedDeposit } from '../change';
import { postTakenBack, releaseRefund } from '../postings';
import { type Portion, portionOf } from '../quotes/price';
import type { Deposit } from '../record';
import { wasCredited } from '../rules';
import { type DepositRefund, disputesOf, endRefund, insertRefund, nameRefund, refundsOf } from './store';

const isOpen = ({ status }: DepositRefund) => status === 'requested' || status === 'pending';

/** What of the charge is taken back already, or will be. */
export async function takenFrom(sql: Sql, depositId: string): Promise<Portion[]> {
  const [refunds, disputes] = [await refundsOf(sql, depositId), await disputesOf(sql, depositId)];
  return [
    ...refunds.filter(({ kind, status }) => kind === 'refund' && status !== 'failed'),
    ...disputes.filter(({ status }) => status === 'debited'),
  ];
}

/** Hands the party what it has not been told of. One that it refuses has failed. */
export async function askForRefunds(services: Services, deposit: Deposit): Promise<void> {
  const { database, parties } = services;
  if (!deposit.refundOpen || deposit.sessionId === null) return;
  const { sessionId, currency, paidCurrency } = deposit;
  for (const refund of await refundsOf(database, deposit.id)) {
    if (refund.status !== 'requested') continue;
    const { id: key, amount } = refund;
    try {
      const taken = await parties.checkout.refund({
        key,
        sessionId,
        amount,
        currency: refund.kind === 'return' ? (paidCurrency ?? currency) : currency,
      });
      await nameRefund(database, refund.id, taken.refundId);
    } catch (error) {
      if (!(error instanceof PartyRefused)) throw error;
      await refused(services, deposit.id, refund.id);
    }
  }
}

function refused(services: Services, depositId: string, refundId: string): Promise<Deposit> {
  return services.database.transaction(async (tx) => {
    const deposit = await lockedDeposit(tx, depositId);
    const refund = (await refundsOf(tx, depositId)).find(({ id }) => id === refundId);
    return refund && isOpen(refund)
      ? noteOpen(services, tx, await fail(services, tx, deposit, refund))
      : deposit;
  });
}

/**
 * What the party says, with what was paid less what has been returned without a credit: that counts as never paid.
 */
export async function withoutReturns(tx: Tx, deposit: Deposit, state: CheckoutState): Promise<CheckoutState> {
  const { paid, refunds } = state;
  if (!paid || refunds.length === 0) return state;
  const credited = wasCredited(deposit.status);
  const known = await refundsOf(tx, deposit.id);
  const isReturn = ({ id }: CheckoutRefund) =>
    (known.find(({ providerId }) => providerId === id)?.kind ?? (credited ? 'refund' : 'return')) ===
    'return';
  const amount = refunds
    .filter((refund) => refund.status === 'succeeded' && isReturn(refund))
    .reduce((left, refund) => left.minus(refund.amount), paid.amount);
  return { ...state, paid: { ...paid, amount } };
}

/** Applies what the party says of the money that it has sent back. */
export async function applyRefunds(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  state: CheckoutState,
): Promise<Deposit> {
  if (state.refunds.length === 0) return deposit;
  let after = deposit;
  const known = await refundsOf(tx, deposit.id);
  for (const told of state.refunds) {
    const refund =
      known.find(({ providerId }) => providerId === told.id) ?? (await adopt(tx, after, told, known));
    if (refund) after = await applyRefund(services, tx, after, refund, told);
  }
  return noteOpen(services, tx, after);
}

async function noteOpen(services: Services, tx: Tx, deposit: Deposit): Promise<Deposit> {
  const refundOpen = (await refundsOf(tx, deposit.id)).some(isOpen);
  return refundOpen === deposit.refundOpen ? deposit : change(services, tx, deposit, { refundOpen });
}

/**
 * A refund that was not asked for by us. While one of ours has no name yet it may be that one: it waits for the next look.
 */
async function adopt(
  tx: Tx,
  deposit: Deposit,
  told: CheckoutRefund,
  known: DepositRefund[],
): Promise<DepositRefund | undefined> {
  if (known.some(({ status }) => status === 'requested')) return undefined;
  const credited = wasCredited(deposit.status);
  const nothing = { amount: told.amount, debit: ZERO, gross: ZERO, excess: ZERO };
  const { amount } = told;
  const portion = credited
    ? portionOf(amount, deposit, await takenFrom(tx, deposit.id), deposit.accountCurrency)
    : nothing;
  return insertRefund(tx, {
    id: newId('depositRefund'),
    depositId: deposit.id,
    kind: credited ? 'refund' : 'return',
    origin: 'provider',
    status: 'pending',
    ...portion,
    referenceId: await referenceOf(tx, deposit),
    providerId: told.id,
    reason: null,
    requestedBy: 'provider',
  });
}

/** The first of a chain has the deposit's reference, a further one its own (decisions part 3, Duplicates). */
export async function referenceOf(sql: Sql, deposit: Deposit): Promise<string> {
  const before = await refundsOf(sql, deposit.id);
  return before.some(({ kind }) => kind === 'refund') ? newId('reference') : deposit.referenceId;
}

async function applyRefund(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  refund: DepositRefund,
  { status }: CheckoutRefund,
): Promise<Deposit> {
  if (status === 'pending' || status === refund.status) return deposit;
  if (status === 'failed' && refund.status === 'succeeded') {
    await tellOperator(tx, deposit, refund, 'deposit_refund_undone');
    return deposit;
  }
  if (status === 'failed') return fail(services, tx, deposit, refund);
  return refund.kind === 'refund'
    ? refunded(services, tx, deposit, refund)
    : returned(services, tx, deposit, refund);
}

/** Debited from the account, whatever it has: the money has gone. */
async function refunded(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  refund: DepositRefund,
): Promise<Deposit> {
  const held = refund.origin === 'operator' && refund.status !== 'failed';
  const portion = held ? refund : { ...refund, ...(await portionAnew(tx, deposit, refund)) };
  await postTakenBack(tx, deposit, portion, 'withdraw/deposit_refund', held);
  await endRefund(tx, { ...portion, status: 'succeeded' });
  if (!held) await tellOperator(tx, deposit, refund, 'deposit_refund_not_ours');
  if (portion.excess.gt(0)) await tellOperator(tx, deposit, refund, 'deposit_refund_excess');
  return change(services, tx, deposit, { refundedAmount: deposit.refundedAmount.plus(refund.amount) });
}

/** One that had failed was counted no more: what it comes to now is what is left. */
async function portionAnew(tx: Tx, deposit: Deposit, refund: DepositRefund): Promise<Portion> {
  if (refund.status !== 'failed') return refund;
  return portionOf(refund.amount, deposit, await takenFrom(tx, deposit.id), deposit.accountCurrency);
}

/** Returned to the payer without ever having been credited: no account hears of it. What is left is decided again. */
async function returned(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  refund: DepositRefund,
): Promise<Deposit> {
  await endRefund(tx, { ...refund, status: 'succeeded' });
  if (refund.origin === 'provider') await tellOperator(tx, deposit, refund, 'deposit_refund_not_ours');
  if (deposit.status !== 'manual_review') return deposit;
  return deposit.paidAmount?.gt(0)
    ? change(services, tx, deposit, { decision: null })
    : changeStatus(services, tx, deposit, 'returned', { decision: 'rejected' });
}

/** The money has not gone: what was held is free, and the operator decides again. */
async function fail(services: Services, tx: Tx, deposit: Deposit, refund: DepositRefund): Promise<Deposit> {
  if (refund.kind === 'refund' && refund.origin === 'operator') await releaseRefund(tx, deposit, refund);
  await endRefund(tx, { ...refund, status: 'failed' });
  await tellOperator(tx, deposit, refund, 'deposit_refund_failed');
  const undecided = refund.kind === 'return' && deposit.status === 'manual_review';
  return undecided ? change(services, tx, deposit, { decision: null }) : deposit;
}

async function tellOperator(tx: Tx, deposit: Deposit, refund: DepositRefund, kind: string): Promise<void> {
  const { tenantId, id: subject, currency, paidCurrency } = deposit;
  const of = refund.kind === 'return' ? (paidCurrency ?? currency) : currency;
  await openBreak(tx, { tenantId, kind, subject, detail: refund.id, amount: refund.amount, currency: of });
}
