import { PARTY_ACCOUNTS } from '../../kernel/ledger/party-accounts';
import { sumOf } from '../../kernel/money/money';
import type { CardOrderWord } from '../../parties/external-cards/word';
import type { WantedBreak } from '../../process/breaks/operations';
import { doorsOf, letOutBy } from '../engine/books/doors';
import { type Credit, inflowPosition } from '../engine/books/inflow';
import { returnsToldIn } from '../engine/books/parts';
import type { ComponentTable, Holding } from '../engine/books/position';
import type { NewDecision } from '../engine/kind';
import { first, type Transition } from '../engine/record';
import {
  CALLS,
  type Call,
  type CardTransfer,
  type CardTrigger,
  concludedBy,
  isOpen,
  keptOf,
  triggerBy,
} from './order-rules';
import type { ExternalCardStatus } from './record';

/** A top-up of an account from a payment card elsewhere: money that comes in. */
export const COMPONENTS = {
  credited: { on: 'client', up: 'deposit/card_topup', down: 'withdraw/card_topup_reversed' },
  chargedBack: { on: 'client', up: 'withdraw/deposit_chargeback', down: 'deposit/chargeback_reversed' },
  released: { on: 'client', up: 'deposit/card_topup', down: 'withdraw/card_topup_reversed' },
} as const satisfies ComponentTable;

/**
 * What happens to its status (decisions part 4, Users and accounts). A chargeback that is won makes it `completed` again.
 * What arrives after it had failed is nobody's: it may have been paid again. It stays `failed`, and the money in suspense.
 */
export const TRANSITIONS: readonly Transition<ExternalCardStatus, CardTrigger>[] = [
  { from: ['pending'], on: 'stopped', to: 'failed' },
  { from: ['pending'], on: 'refused', to: 'failed' },
  { from: ['pending', 'processing'], on: 'action_required', to: 'requires_action' },
  { from: ['pending', 'requires_action'], on: 'accepted', to: 'processing' },
  { from: ['pending', 'requires_action', 'processing', 'returned'], on: 'succeeded', to: 'completed' },
  { from: ['pending', 'requires_action', 'processing'], on: 'failed', to: 'failed' },
  { from: ['completed'], on: 'returned', to: 'returned' },
  { from: ['completed'], on: 'unpaid', to: 'returned', contradicts: true },
];

const creditOf = (situation: CardTransfer) => first(situation, 'credit');

/** All of it, and a person has not let a part of it out of suspense meanwhile. */
function hasArrived({ transfer: { word, terms }, decisions }: CardTransfer): boolean {
  const letOut = sumOf(letOutBy(decisions));
  return word?.status === 'succeeded' && word.moved.minus(letOut).gte(terms.amount);
}

/** The credit is given once, while it is waited for; what then goes back takes its part of it. */
export function choose(situation: CardTransfer): NewDecision | undefined {
  if (!isOpen(situation) || !hasArrived(situation) || creditOf(situation)) return undefined;
  const { amount, currency } = situation.transfer.terms;
  return { kind: 'credit', amount, currency };
}

export const trigger = triggerBy((situation, word) =>
  creditOf(situation) ? callOnCredited(situation, word) : callOnUncredited(situation, word),
);

function callOnCredited(situation: CardTransfer, word: CardOrderWord): Call {
  const { transfer } = situation;
  if (isOpen(situation)) return CALLS.succeeded;
  if (word.moved.lt(transfer.terms.amount)) return { on: 'unpaid', to: ['returned'] };
  if (keptOf(transfer).lt(transfer.terms.amount)) return { on: 'returned', to: ['returned'] };
  return word.status === 'succeeded' ? CALLS.succeeded : { on: 'kept', to: [] };
}

function callOnUncredited(situation: CardTransfer, word: CardOrderWord): Call | undefined {
  if (word.status !== 'succeeded') return CALLS[word.status];
  return isOpen(situation) ? { on: 'short', to: [] } : undefined;
}

export function position(situation: CardTransfer): Holding[] {
  const { word, terms } = situation.transfer;
  const { currency } = terms;
  return inflowPosition({
    received: word === null ? [] : [{ currency, amount: word.moved }],
    backs: returnsToldIn(situation.transfer).map((back) => ({
      ...back,
      currency,
      as: 'dispute',
      state: 'done',
    })),
    credit: creditIn(situation),
    doors: doorsOf(situation.decisions),
    party: PARTY_ACCOUNTS.externalCards,
  });
}

function creditIn(situation: CardTransfer): Credit | null {
  const { accountId, terms } = situation.transfer;
  const { amount, fee, currency } = terms;
  if (!creditOf(situation) || accountId === null) return null;
  return { account: accountId, base: { amount, currency }, credited: amount.minus(fee), fee, currency };
}

/** What has arrived is with us, whatever becomes of the rest. */
export const concluded = concludedBy(({ moved }) => moved);

/** Each chargeback of money that was credited is shown to the operator once. */
export function notices(situation: CardTransfer): WantedBreak[] {
  if (!creditOf(situation)) return [];
  const { currency } = situation.transfer.terms;
  return returnsToldIn(situation.transfer).map(({ part, amount }) => ({
    ...{ kind: 'external_card_chargeback', detail: part, amount, currency },
  }));
}
