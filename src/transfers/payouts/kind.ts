import { assertMayPay } from '../approval/decide';
import type { ComponentTable } from '../engine/books/position';
import { payoutScreening } from './judge-screening';
import { considerAccount } from './outgoing';
import { type PayoutKind, paidByParty } from './paid-by-party';

/** Callback path of the payouts party. */
export const PAYOUT_CALLBACKS = '/callbacks/payouts';

/** Our key of the payout is also the party's name for it. */
export const orderKey = (id: string) => `payout-${id}`;

export const PAYOUT_COMPONENTS = {
  held: { on: 'hold', up: 'pending/payout', down: 'transfer/payout' },
  paid: { on: 'client', up: 'withdraw/payout', down: 'deposit/payout_reversed' },
  fee: { on: 'client', up: 'fee/payout_fee', down: 'deposit/payout_fee_reversed' },
  returned: { on: 'client', up: 'deposit/payout_returned', down: 'withdraw/payout_returned_reversed' },
  released: { on: 'client', up: 'deposit/payout_returned', down: 'withdraw/payout_returned_reversed' },
} as const satisfies ComponentTable;

/** A payout of an account (decisions part 4, Payouts). */
export const payoutKind: PayoutKind = paidByParty({
  name: 'payout',
  idKind: 'payout',
  workflow: 'payoutLifecycle',
  prefix: 'payout-lifecycle-',
  summary: 'Payout',
  components: PAYOUT_COMPONENTS,
  fallbacks: { failed: 'provider_refused', returned: null },
  callbackPath: PAYOUT_CALLBACKS,
  consider: considerAccount,
  screening: payoutScreening,
  table: 'payouts',
  assertApprovable: assertMayPay,
});
