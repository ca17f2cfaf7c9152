import { conflict } from '../../../../kernel/errors';
import { newId } from '../../../../kernel/ids';
import { accountEntry, holdEntry } from '../../../../kernel/ledger/entries';
import { type Decimal, ZERO } from '../../../../kernel/money/money';
import { type Funding, totalDebit } from '../../../buffered/record';
import type { Card } from '../../../cards/record';
import { isFundable, notUsable } from '../../../cards/rules';
import type { CardMessage, CardTransaction, EventSource } from '../../record';
import { accepted, type Board } from '../board';
import { feeEntries } from '../fee-entries';
import { transition } from '../transition';
import { bufferDeposit } from './buffer';
import { toOwner } from './to-owner';
import { topupEvent } from './topup-event';

type MessageOf<Type extends CardMessage['type']> = Extract<CardMessage, { type: Type }>;

/** Issues a card that the processor has issued. Takes the held amount and makes the card active. */
export function issue(
  board: Board,
  card: Card,
  { processor, buffer = ZERO }: MessageOf<'issue'>,
): CardTransaction | undefined {
  if (card.status !== 'pending') return undefined;
  const referenceId = newId('reference');
  const { accountId, currency, initialAmount, issueFee } = card;
  const held = heldForIssue(card, buffer);
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
        ...bufferDeposit(card, buffer, referenceId),
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

/** Fails a card that the processor has refused. Releases the held amount. */
export function failIssue(
  board: Board,
  card: Card,
  { failure, buffer = ZERO }: MessageOf<'issue_failed'>,
): undefined {
  if (card.status !== 'pending') return undefined;
  const held = heldForIssue(card, buffer);
  if (!held.isZero()) {
    board.postToAccounts(card, [holdEntry(card.accountId, 'transfer/card_issue', held, newId('reference'))]);
  }
  transition(board, card, 'issue_failed');
  card.failure = failure;
  return undefined;
}

const heldForIssue = ({ initialAmount, issueFee }: Card, buffer: Decimal): Decimal =>
  totalDebit({ principal: initialAmount, buffer, fee: issueFee });

/**
 * Funds a card from its account, which also pays the programme's top-up fee.
 * @throws Problem 409 `insufficient_funds`, `user_blocked`, `card_closed`, `card_not_active`
 */
export function topUp(board: Board, card: Card, amount: Decimal): CardTransaction {
  assertTakesMoney(card);
  const fee = board.programme(card.bin).fees.topUp;
  const referenceId = newId('reference');
  const funded = board.record(card, {
    ...topupEvent(card, amount, referenceId),
    fee,
    accountEntries: [
      accountEntry(card.accountId, 'transfer/card_deposit', amount, referenceId),
      ...feeEntries(card.accountId, 'fee/topup_fee', fee, card.currency, referenceId),
    ],
  });
  if ('refusedBy' in funded) throw insufficient('The account does not cover the amount and the fee.');
  return funded;
}

/**
 * Funds a card and its buffer with the amount held for them.
 * @throws Problem 409 as `topUp`, with the hold unchanged
 */
export function fund(board: Board, card: Card, funding: Funding): CardTransaction {
  assertTakesMoney(card);
  const { principal, buffer, fee } = funding;
  const { accountId, currency } = card;
  const referenceId = newId('reference');
  return accepted(
    board.record(card, {
      ...topupEvent(card, principal, referenceId),
      fee,
      accountEntries: [
        holdEntry(accountId, 'transfer/card_funding', totalDebit(funding), referenceId),
        accountEntry(accountId, 'transfer/card_deposit', principal, referenceId),
        ...bufferDeposit(card, buffer, referenceId),
        ...feeEntries(accountId, 'fee/topup_fee', fee, currency, referenceId),
      ],
    }),
  );
}

/** @throws Problem 409 `user_blocked`, `card_closed`, `card_not_active` */
export function assertTakesMoney(card: Card): void {
  if (!isFundable(card.status)) throw notUsable(card);
  if (card.userBlocked)
    throw conflict('user_blocked', 'The user of this card is blocked, so the card cannot be funded.');
}

/** @throws Problem 409 `insufficient_funds`, `card_closed`, `card_not_active` */
export function withdraw(board: Board, card: Card, amount: Decimal): CardTransaction {
  if (!isFundable(card.status)) throw notUsable(card);
  const taken = drain(board, card, amount, 'transfer/card_withdraw');
  if ('refusedBy' in taken) throw insufficient('The card does not cover the amount.');
  return taken;
}

/**
 * Brings a card's available balance to zero. Money that is left goes to its account. A debt is paid by its account, by
 * force.
 * @returns the event, or undefined when the balance was zero
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
      ...topupEvent(card, amount, referenceId),
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
    accountEntries: [toOwner(card, entry, amount, referenceId)],
  });
}

const insufficient = (message: string) => conflict('insufficient_funds', message, 'amount');
