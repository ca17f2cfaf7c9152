import { z } from 'zod';
import { assertMayPay } from '../../approval/decide';
import type { ComponentTable } from '../../engine/books/position';
import type { Transition } from '../../engine/record';
import { considerAccount, type OutgoingKind, outgoingKind } from '../../payouts/outgoing';
import { type Outgoing, outgoingTerms, type PayoutStatus, type PayoutTrigger } from '../../payouts/record';
import { bankOf } from '../destinations/operations';
import { EXCHANGE_CALLBACKS } from '../party';

/** Terms in one currency: the destination receives the debit without the fee. */
export const withdrawalTerms = outgoingTerms.extend({ destinationId: z.string() });

export type WithdrawalTerms = z.output<typeof withdrawalTerms>;
export type ExchangeWithdrawal = Outgoing<WithdrawalTerms>;

/** Our key of the withdrawal is also the party's name for it. */
export const withdrawalKey = (id: string) => `exchange-withdrawal-${id}`;

export const WITHDRAWAL_COMPONENTS = {
  held: { on: 'hold', up: 'pending/withdrawal', down: 'transfer/withdrawal' },
  paid: { on: 'client', up: 'withdraw/exchange_withdrawal', down: 'deposit/exchange_withdrawal_reversed' },
  fee: { on: 'client', up: 'fee/withdrawal_fee', down: 'deposit/withdrawal_fee_reversed' },
  returned: { on: 'client', up: 'deposit/payout_returned', down: 'withdraw/payout_returned_reversed' },
  released: { on: 'client', up: 'deposit/payout_returned', down: 'withdraw/payout_returned_reversed' },
} as const satisfies ComponentTable;

/** Withdrawals that wait for approval are cancelled with their destination too. */
const CANCELLED: readonly Transition<PayoutStatus, PayoutTrigger>[] = [
  { from: ['pending_approval'], on: 'cancelled', to: 'cancelled' },
];

/** A withdrawal of fiat from the exchange to an allowed destination (decisions part 4, Exchange). */
export const exchangeWithdrawalKind: OutgoingKind<WithdrawalTerms> = outgoingKind<WithdrawalTerms>({
  name: 'exchange_withdrawal',
  idKind: 'exchangeWithdrawal',
  noun: 'withdrawal',
  event: 'transfer',
  party: 'exchange',
  terms: withdrawalTerms,
  workflow: 'exchangeWithdrawal',
  prefix: 'exchange-withdrawal-',
  summary: 'Withdrawal from the exchange',
  components: WITHDRAWAL_COMPONENTS,
  further: CANCELLED,
  fallbacks: { failed: 'provider_refused', returned: null },
  consider: considerAccount,
  assertApprovable: assertMayPay,
  async give({ database, keyring, parties, publicUrl }, { transfer: { id, partyRef, terms } }) {
    const { receivedAmount: amount, receivedCurrency: currency, destinationId } = terms;
    const destination = await bankOf(database, keyring, destinationId);
    const callbackUrl = publicUrl() + EXCHANGE_CALLBACKS;
    const order = { key: partyRef ?? id, amount, currency, destination, callbackUrl };
    return { word: await parties.exchange.withdraw(order) };
  },
  async ask({ parties }, { transfer: { id, partyRef } }) {
    const word = await parties.exchange.askWithdrawal(partyRef ?? id);
    return word === 'unknown_to_party' ? word : { word };
  },
});
