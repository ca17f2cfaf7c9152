import { conflict } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { accountEntry, holdEntry } from '../../../kernel/ledger/entries';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { Card, CardTrigger, FreezeReason } from '../../cards/record';
import { isFundable, nextStatus, notUsable, withReason } from '../../cards/rules';
import type { CardTransaction, EventSource, IssuedCard } from '../record';
import { accepted, type Board } from './board';
import { feeEntries } from './fee-entries';

/** The processor has issued the card: what was held for it is taken, and the card is active. */
export function issue(board: Board, card: Card, processor: IssuedCard): CardTransaction | undefined {
  if (card.status !== 'pending') return undefined;
  const referenceId = newId('reference');
  const { accountId, currency, initialAmount, issueFee } = card;
  const held = initialAmount.plus(issueFee);
  const issued = accepted(
    board.record(card, {
      type: 'issue',
      amount: initialAmount,
      currency,
      billingAmount: initialAmount,
      referenceId,
      fee: issueFee,
      accountEntries: [
        ...(held.isZero() ? [] : [holdEntry(accountId, 'transfer/card_issue', held, referenceId)]),
        ...(initialAmount.isZero()
          ? []
          : [accountEntry(accountId, 'transfer/card_deposit', initialAmount, referenceId)]),
        ...feeEntries(accountId, 'fee/issue_fee', issueFee, currency, referenceId),
      ],
    }),
  );
  transition(board, card, 'issue');
  card.processorReference = processor.reference;
  card.last4 = processor.last4;
  card.expiryMonth = processor.expiryMonth;
  card.expiryYear = processor.expiryYear;
  return issued;
}

/** The processor has refused the card: what was held for it is released. */
export function failIssue(board: Board, card: Card, failure: string): undefined {
  if (card.status !== 'pending') return undefined;
  const held = card.initialAmount.plus(card.issueFee);
  if (!held.isZero()) {
    board.postToAccounts(card, [holdEntry(card.accountId, 'transfer/card_issue', held, newId('reference'))]);
  }
  transition(board, card, 'issue_failed');
  card.failure = failure;
  return undefined;
}

/**
 * Funds the card from its account, which pays the programme's top-up fee.
 * @throws Problem 409 `insufficient_funds`, `user_blocked`, `card_closed`, `card_not_active`
 */
export function topUp(board: Board, card: Card, amount: Decimal): CardTransaction {
  if (!isFundable(card.status)) throw notUsable(card);
  if (card.userBlocked) throw conflict('user_blocked', 'The user of this card is blocked: it is not funded.');
  const fee = board.programme(card.bin).fees.topUp;
  const referenceId = newId('reference');
  const funded = board.record(card, {
    ...cardFunding(card, amount, referenceId),
    fee,
    accountEntries: [
      accountEntry(card.accountId, 'transfer/card_deposit', amount, referenceId),
      ...feeEntries(card.accountId, 'fee/topup_fee', fee, card.currency, referenceId),
    ],
  });
  if ('refusedBy' in funded) throw insufficient('The account does not cover the amount and the fee.');
  return funded;
}

/** @throws Problem 409 `insufficient_funds`, `card_closed`, `card_not_active` */
export function withdraw(board: Board, card: Card, amount: Decimal): CardTransaction {
  if (!isFundable(card.status)) throw notUsable(card);
  const taken = drain(board, card, amount, 'transfer/card_withdraw');
  if ('refusedBy' in taken) throw insufficient('The card does not cover the amount.');
  return taken;
}

/** Adds a reason. There is an event when it is the first one: the card stops being usable. @throws Problem 409 */
export function freeze(board: Board, card: Card, reason: FreezeReason, follows?: CardTransaction) {
  if (!isFundable(card.status)) throw notUsable(card);
  if (card.freezeReasons.includes(reason)) return undefined;
  const frozen = card.freezeReasons.length > 0;
  card.freezeReasons = withReason(card.freezeReasons, reason);
  board.keepCard(card);
  if (frozen) return undefined;
  transition(board, card, 'freeze');
  return accepted(board.record(card, stateEvent(card, 'freeze', follows)));
}

/** Takes a reason away. There is an event when it was the last one. @throws Problem 409 */
export function unfreeze(board: Board, card: Card, reason: FreezeReason, follows?: CardTransaction) {
  if (!isFundable(card.status)) throw notUsable(card);
  if (!card.freezeReasons.includes(reason)) return undefined;
  card.freezeReasons = card.freezeReasons.filter((each) => each !== reason);
  board.keepCard(card);
  if (card.freezeReasons.length > 0) return undefined;
  transition(board, card, 'unfreeze');
  return accepted(board.record(card, stateEvent(card, 'unfreeze', follows)));
}

/** Closes the card for its holder; what is left on it goes back to its account. @throws Problem 409 on a pending card */
export function close(board: Board, card: Card): CardTransaction | undefined {
  if (card.status === 'closed') return undefined;
  if (!isFundable(card.status)) throw notUsable(card);
  const emptied = returnToZero(board, card);
  transition(board, card, 'close');
  card.freezeReasons = [];
  return accepted(board.record(card, stateEvent(card, 'close', emptied)));
}

/**
 * Brings a card's available to zero: what is left goes to its account; what is missing comes from it, by force.
 * @returns the event, or nothing when it was zero
 */
export function returnToZero(
  board: Board,
  card: Card,
  follows?: CardTransaction,
): CardTransaction | undefined {
  const { available } = board.book.account(card.id);
  if (available.isZero()) return undefined;
  const source: EventSource = available.gt(0) ? 'closure' : 'negative_balance';
  const linkedId = follows?.id ?? null;
  if (available.gt(0)) {
    return accepted(drain(board, card, available, 'transfer/card_closed_refund', { source, linkedId }));
  }
  const referenceId = newId('reference');
  const amount = available.negated();
  return accepted(
    board.record(card, {
      ...cardFunding(card, amount, referenceId),
      source,
      linkedId,
      forced: true,
      accountEntries: [accountEntry(card.accountId, 'transfer/card_deposit', amount, referenceId)],
    }),
  );
}

function drain(
  board: Board,
  card: Card,
  amount: Decimal,
  entry: 'transfer/card_withdraw' | 'transfer/card_closed_refund',
  more: { source?: EventSource; linkedId?: string | null } = {},
) {
  const referenceId = newId('reference');
  return board.record(card, {
    type: 'withdraw',
    amount,
    currency: card.currency,
    billingAmount: amount,
    referenceId,
    ...more,
    accountEntries: [accountEntry(card.accountId, entry, amount, referenceId)],
  });
}

function cardFunding(card: Card, amount: Decimal, referenceId: string) {
  return { type: 'topup' as const, amount, currency: card.currency, billingAmount: amount, referenceId };
}

function stateEvent(card: Card, type: 'freeze' | 'unfreeze' | 'close', follows?: CardTransaction) {
  const referenceId = newId('reference');
  return {
    type,
    amount: ZERO,
    currency: card.currency,
    billingAmount: ZERO,
    referenceId,
    linkedId: follows?.id ?? null,
  };
}

/** Applies a line of the table of states. */
function transition(board: Board, card: Card, on: CardTrigger): void {
  const to = nextStatus(card.status, on);
  if (!to) throw new Error(`${on} leads nowhere from ${card.status}`);
  card.status = to;
  board.keepCard(card);
}

const insufficient = (message: string) => conflict('insufficient_funds', message, 'amount');
