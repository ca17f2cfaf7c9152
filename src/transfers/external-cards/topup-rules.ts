import { sumOf } from '../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../kernel/parties';
import type { CardOrderWord } from '../../parties/external-cards/word';
import type { WantedBreak } from '../../process/breaks/operations';
import { type Credit, inflowPosition } from '../engine/books/inflow';
import { reportedReturns } from '../engine/books/parts';
import type { ComponentTable, Holding } from '../engine/books/position';
import { resolutionsOf, takenByResolutions } from '../engine/books/resolutions';
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

/** Rules of a top-up from an external payment card: money that comes in. */
export const COMPONENTS = {
  credited: { on: 'client', up: 'deposit/card_topup', down: 'withdraw/card_topup_reversed' },
  chargedBack: { on: 'client', up: 'withdraw/deposit_chargeback', down: 'deposit/chargeback_reversed' },
  released: { on: 'client', up: 'deposit/card_topup', down: 'withdraw/card_topup_reversed' },
} as const satisfies ComponentTable;

/**
 * Transitions of a top-up (decisions part 4, Users and accounts). A won chargeback makes it `completed` again. Money
 * that arrives after it had failed stands in suspense, because the payer may have paid again; the status stays
 * `failed`.
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

/** Whether the whole amount arrived, and no operator has taken a part of it out of suspense. */
function hasArrived({ transfer: { word, terms }, decisions }: CardTransfer): boolean {
  const letOut = sumOf(takenByResolutions(decisions));
  return word?.status === 'succeeded' && word.moved.minus(letOut).gte(terms.amount);
}

/** The system credits a top-up once, while it waits for the money. Later returns take their part of the credit. */
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
    backs: reportedReturns(situation.transfer).map((back) => ({
      ...back,
      currency,
      as: 'dispute',
      state: 'done',
    })),
    credit: creditIn(situation),
    resolutions: resolutionsOf(situation.decisions),
    party: PARTY_ACCOUNTS.externalCards,
  });
}

function creditIn(situation: CardTransfer): Credit | null {
  const { accountId, terms } = situation.transfer;
  const { amount, fee, currency } = terms;
  if (!creditOf(situation) || accountId === null) return null;
  return { account: accountId, base: { amount, currency }, credited: amount.minus(fee), fee, currency };
}

/** Money that arrived stays, whatever becomes of the rest. */
export const concluded = concludedBy(({ moved }) => moved);

/** A notice for each chargeback of credited money. */
export function notices(situation: CardTransfer): WantedBreak[] {
  if (!creditOf(situation)) return [];
  const { currency } = situation.transfer.terms;
  return reportedReturns(situation.transfer).map(({ part, amount }) => ({
    kind: 'external_card_chargeback',
    detail: part,
    amount,
    currency,
  }));
}
