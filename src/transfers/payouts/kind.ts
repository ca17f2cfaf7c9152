import { requireAccount } from '../../accounts/accounts/operations';
import { assertFundable } from '../../accounts/accounts/transfer';
import type { Tx } from '../../kernel/db/database';
import type { ComponentTable } from '../engine/books/position';
import type { NewDecision } from '../engine/kind';
import { whyNotFundable } from '../funding';
import { type PayoutKind, paidByParty } from './paid-by-party';
import { closingOf } from './position';
import type { Payout } from './record';

/** Where the payouts party tells of payouts. */
export const PAYOUT_CALLBACKS = '/callbacks/payouts';

/** The party's name for a payout is the key that we order it under. */
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
  workflow: 'payoutLifecycle',
  prefix: 'payout-lifecycle-',
  summary: 'Payout',
  components: PAYOUT_COMPONENTS,
  fallbacks: { failed: 'provider_refused', returned: null },
  callbackPath: PAYOUT_CALLBACKS,
  consider: mayItStillPay,
  table: 'payouts',
  sealedFor: 'payout-destinations',
  assertApprovable: async (tx, { transfer: { accountId } }) =>
    assertFundable(tx, await requireAccount(tx, null, accountId ?? '')),
});

/** Before it is ordered: whether account and user may still pay. After: whether what comes back has an account to come to. */
async function mayItStillPay(tx: Tx, payout: Payout, before: Payout): Promise<NewDecision | undefined> {
  const { status, orderedAt, accountId } = payout.transfer;
  const asked = status === 'created' && orderedAt === null;
  const closing = closingOf(before, payout);
  if (!asked && !closing) return undefined;
  const account = await requireAccount(tx, null, accountId ?? '');
  if (!asked) return account.status === 'closed' ? closing : undefined;
  const reason = await whyNotFundable(tx, account);
  return reason === undefined ? undefined : { kind: 'cancel', reason };
}
