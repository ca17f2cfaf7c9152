import type { Tx } from '../../../kernel/db/database';
import { newId } from '../../../kernel/ids';
import type { CheckoutDispute, CheckoutState } from '../../../parties/checkout/port';
import { openBreak } from '../../../process/breaks/operations';
import type { Services } from '../../../services';
import { changeStatus } from '../change';
import { postReversal, postTakenBack } from '../postings';
import { portionOf } from '../quotes/price';
import type { Deposit } from '../record';
import { statusAfter, wasCredited } from '../rules';
import { takenFrom } from './refund';
import { type DepositDispute, disputesOf, insertDispute, reverseDispute } from './store';

/**
 * Applies what the payer's bank has taken back, from the moment that it is disputed: the account may fall below zero by it.
 * What is won comes back; the deposit stays `chargeback` (3.2 knows no way from there).
 */
export async function applyDisputes(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  state: CheckoutState,
): Promise<Deposit> {
  if (state.disputes.length === 0 || !wasCredited(deposit.status)) return deposit;
  let after = deposit;
  const known = await disputesOf(tx, deposit.id);
  for (const told of state.disputes) {
    const dispute = known.find(({ providerId }) => providerId === told.id);
    if (!dispute && told.status !== 'won') after = await chargeBack(services, tx, after, told);
    if (dispute?.status === 'debited' && told.status === 'won') await giveBack(tx, after, dispute);
  }
  return after;
}

async function chargeBack(
  services: Services,
  tx: Tx,
  deposit: Deposit,
  { id: providerId, amount }: CheckoutDispute,
): Promise<Deposit> {
  const before = await disputesOf(tx, deposit.id);
  const portion = portionOf(amount, deposit, await takenFrom(tx, deposit.id), deposit.accountCurrency);
  const dispute: DepositDispute = {
    depositId: deposit.id,
    providerId,
    status: 'debited',
    ...portion,
    referenceId: before.length === 0 ? deposit.referenceId : newId('reference'),
  };
  await postTakenBack(tx, deposit, dispute, 'withdraw/deposit_chargeback');
  await insertDispute(tx, dispute);
  if (portion.excess.gt(0)) {
    const { tenantId, id: subject, currency } = deposit;
    const kind = 'deposit_dispute_excess';
    await openBreak(tx, { tenantId, kind, subject, detail: providerId, amount: portion.excess, currency });
  }
  return statusAfter(deposit.status, 'charged_back')
    ? changeStatus(services, tx, deposit, 'charged_back')
    : deposit;
}

async function giveBack(tx: Tx, deposit: Deposit, dispute: DepositDispute): Promise<void> {
  await postReversal(tx, deposit, dispute);
  await reverseDispute(tx, dispute);
}
