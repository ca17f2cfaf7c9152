import { minOf, ZERO } from '../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../kernel/parties';
import type { CardOrderWord } from '../../parties/external-cards/word';
import { outflowPosition } from '../engine/books/outflow';
import { reportedReturns } from '../engine/books/parts';
import type { ComponentTable, Holding } from '../engine/books/position';
import { resolutionsOf } from '../engine/books/resolutions';
import type { Transition } from '../engine/record';
import {
  CALLS,
  type Call,
  type CardTransfer,
  type CardTrigger,
  concludedBy,
  endedUnordered,
  keptOf,
  returnedIn,
  triggerBy,
} from './order-rules';
import type { ExternalCardStatus } from './record';

/** Rules of a withdrawal to an external payment card: money that goes out. */
export const COMPONENTS = {
  held: { on: 'hold', up: 'pending/withdrawal', down: 'transfer/withdrawal' },
  paid: { on: 'client', up: 'withdraw/card_withdrawal', down: 'deposit/card_withdrawal_reversed' },
  fee: { on: 'client', up: 'fee/withdrawal_fee', down: 'deposit/withdrawal_fee_reversed' },
  returned: { on: 'client', up: 'deposit/payout_returned', down: 'withdraw/payout_returned_reversed' },
  released: { on: 'client', up: 'deposit/payout_returned', down: 'withdraw/payout_returned_reversed' },
} as const satisfies ComponentTable;

/**
 * Transitions of a withdrawal (decisions part 4, Users and accounts). Above the tenant's thresholds it starts in
 * `pending_approval`.
 *
 * The money has left the account in `processing`, so a later failure is a return. Money that leaves after a failure
 * is debited all the same.
 */
export const TRANSITIONS: readonly Transition<ExternalCardStatus, CardTrigger>[] = [
  { from: ['pending_approval'], on: 'approved', to: 'pending' },
  { from: ['pending_approval'], on: 'rejected', to: 'failed' },
  { from: ['pending'], on: 'stopped', to: 'failed' },
  { from: ['pending'], on: 'refused', to: 'failed' },
  { from: ['pending'], on: 'action_required', to: 'requires_action' },
  { from: ['pending', 'requires_action'], on: 'accepted', to: 'processing' },
  { from: ['pending', 'requires_action', 'processing'], on: 'succeeded', to: 'completed' },
  { from: ['pending', 'requires_action'], on: 'failed', to: 'failed' },
  { from: ['pending', 'requires_action', 'processing', 'completed'], on: 'returned', to: 'returned' },
  { from: ['processing'], on: 'failed', to: 'returned' },
  { from: ['completed'], on: 'failed', to: 'returned', contradicts: true },
  { from: ['returned', 'failed'], on: 'accepted', to: 'processing', contradicts: true },
  { from: ['returned', 'failed'], on: 'succeeded', to: 'completed', contradicts: true },
  { from: ['failed'], on: 'returned', to: 'returned', contradicts: true },
];

export const trigger = triggerBy(({ transfer }, word) =>
  word.moved.isZero() ? callOnUnmoved(word) : callOnMoved(transfer, word),
);

/** The trigger of a word by which no money has moved. */
function callOnUnmoved({ status }: CardOrderWord): Call {
  switch (status) {
    case 'failed':
      return { on: 'failed', to: ['failed', 'returned'] };
    case 'requires_action':
      return CALLS.requires_action;
    case 'processing':
      return { on: 'unmoved', to: ['pending', 'requires_action'] };
    default:
      return { on: 'unmoved', to: [] };
  }
}

function callOnMoved(transfer: CardTransfer['transfer'], word: CardOrderWord): Call {
  const { amount } = transfer.terms;
  if (returnedIn(word).isZero() && word.moved.lt(amount)) return { on: 'short', to: [] };
  if (keptOf(transfer).lt(amount)) return { on: 'returned', to: ['returned'] };
  return word.status === 'processing' || word.status === 'succeeded'
    ? CALLS[word.status]
    : { on: 'kept', to: [] };
}

/** Whether amount and fee are held, because the money may still leave. */
function isHeld(situation: CardTransfer): boolean {
  const { word } = situation.transfer;
  if (word === null) return !endedUnordered(situation);
  return word.moved.isZero() && word.status !== 'failed';
}

export function position(situation: CardTransfer): Holding[] {
  const { accountId, word, terms } = situation.transfer;
  const { amount, fee, currency } = terms;
  if (accountId === null) throw new Error('the withdrawal has no account');
  return outflowPosition({
    account: accountId,
    currency,
    amount,
    fee,
    party: PARTY_ACCOUNTS.externalCards,
    target: { amount, currency },
    held: isHeld(situation),
    sent: word?.moved ?? ZERO,
    backs: reportedReturns(situation.transfer),
    resolutions: resolutionsOf(situation.decisions),
  });
}

/** Money that left and did not arrive is ours again. Only the amount that went back counts as moved. */
export const concluded = concludedBy((word) => minOf(word.moved, returnedIn(word)));
