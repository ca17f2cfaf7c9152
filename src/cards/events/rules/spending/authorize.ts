import { invalid, notFound } from '../../../../kernel/errors';
import { newId } from '../../../../kernel/ids';
import { type Decimal, percentOf, ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import type { Programme } from '../../../programmes/record';
import {
  type Authentication,
  type Authorization,
  type CardTransaction,
  type ProcessorMessage,
  remaining,
} from '../../record';
import { accepted, type Board, type Refused } from '../board';
import { settleFeeHold } from '../fee-entries';
import { drawBuffer } from '../funding/buffer';
import { nextReference, recordOn } from './authorization';
import { type Spend, spendOf } from './conversion';
import { decline, declineReason } from './decline';

/** A message that requests money, with the result of checking its challenge. */
type Authorizing = ProcessorMessage & { authentication?: Authentication | undefined };

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Authorizes an amount: holds it on the card and holds the settle fee on the master account. A refused amount is
 * recorded as a decline. With the reference of an open authorization, that authorization grows. With the reference of
 * one that has expired or holds nothing, a new authorization is opened and linked to it.
 * @throws Problem 404 for a reference that the card does not know
 */
export function authorize(board: Board, card: Card, message: Authorizing): CardTransaction {
  const named = board.authorization(card.id, message.referenceId);
  if (message.referenceId !== undefined && !named) throw notFound('authorization', 'referenceId');
  if (named && isOpen(named, board.book.at)) return increase(board, card, message, named);
  const currency = message.currency ?? named?.currency;
  const spend = spendOf(board, card, currency ? { ...message, currency } : message, requiredAmount(message));
  const { channel, authentication } = message;
  const reason = declineReason(board, card, { ...spend, total: spend.billing, channel, authentication });
  if (reason) return decline(board, card, spend, reason);
  return heldOrDeclined(board, card, spend, open(board, card, spend, { follows: named }));
}

/** Whether an authorization may grow, at its own rate. */
export const isOpen = ({ own, expiresAt }: Authorization, at: Date): boolean =>
  remaining(own).gt(0) && expiresAt > at;

/**
 * Authorizes an amount whatever the state and balance of the card, because the purchase has already happened. The
 * reference works as in `authorize`.
 */
export function authorizeByForce(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const named = board.authorization(card.id, message.referenceId);
  const chain = named && isOpen(named, board.book.at) ? named : undefined;
  const spend = spendOf(board, card, message, requiredAmount(message), chain);
  if (!chain) return accepted(open(board, card, spend, { forced: true, follows: named }));
  const held = accepted(grow(board, card, chain, spend, true));
  chain.expiresAt = validUntil(board, board.programme(card.bin));
  return held;
}

/** Grows an authorization. Judges its new total at the merchant that opened it, and restarts its validity. */
function increase(board: Board, card: Card, message: Authorizing, chain: Authorization): CardTransaction {
  const spend = spendOf(board, card, message, requiredAmount(message), chain);
  const { authorized, reversed } = chain.billing;
  const reason = declineReason(board, card, {
    billing: spend.billing,
    total: authorized.minus(reversed).plus(spend.billing),
    merchant: chain.merchant ?? spend.merchant,
    channel: message.channel,
    authentication: message.authentication,
  });
  if (reason) return decline(board, card, spend, reason);
  const held = grow(board, card, chain, spend, false);
  if (!('refusedBy' in held)) chain.expiresAt = validUntil(board, board.programme(card.bin));
  return heldOrDeclined(board, card, spend, held);
}

const heldOrDeclined = (board: Board, card: Card, spend: Spend, held: CardTransaction | Refused) =>
  'refusedBy' in held ? decline(board, card, spend, 'insufficient_funds') : held;

const validUntil = ({ book }: Board, { authorizationDays }: Programme): Date =>
  new Date(book.at.getTime() + authorizationDays * DAY_MS);

/** Records a decline that the processor made on its own. */
export function declineByProcessor(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const spend = spendOf(board, card, message, requiredAmount(message));
  return decline(board, card, spend, 'do_not_honor');
}

/**
 * Opens an authorization. A forced one cannot be refused.
 * @param given.follows the ended authorization that it is linked to
 */
export function open(
  board: Board,
  card: Card,
  spend: Spend,
  given: { forced?: boolean; follows?: Authorization | undefined } = {},
): CardTransaction | Refused {
  const programme = board.programme(card.bin);
  const { fees } = programme;
  const authorization: Authorization = {
    id: newId('cardTransaction'),
    cardId: card.id,
    referenceId: newId('reference'),
    currency: spend.currency,
    billingCurrency: card.currency,
    rate: spend.rate,
    own: { authorized: ZERO, settled: ZERO, reversed: ZERO, refunded: ZERO },
    billing: { authorized: ZERO, settled: ZERO, reversed: ZERO, refunded: ZERO },
    feePercent: fees.settlePercent,
    feeHeld: ZERO,
    bufferDrawn: ZERO,
    lastSettleId: null,
    expiresAt: validUntil(board, programme),
    merchant: spend.merchant,
    createdAt: board.book.at,
    updatedAt: board.book.at,
  };
  const fee = fees.settleFixed.plus(percentOf(spend.billing, fees.settlePercent, card.currency));
  const { forced = false, follows } = given;
  return hold(board, card, authorization, spend, fee, {
    id: authorization.id,
    linkedId: follows?.id,
    forced,
  });
}

/** Adds to an authorization: an increment, or by force the excess of a settlement. */
export function grow(
  board: Board,
  card: Card,
  authorization: Authorization,
  spend: Spend,
  forced: boolean,
): CardTransaction | Refused {
  const fee = percentOf(spend.billing, authorization.feePercent, card.currency);
  return hold(board, card, authorization, spend, fee, { linkedId: authorization.id, forced });
}

function hold(
  board: Board,
  card: Card,
  authorization: Authorization,
  { amount, currency, billing, merchant }: Spend,
  fee: Decimal,
  { id, linkedId, forced }: { id?: string; linkedId?: string | undefined; forced: boolean },
): CardTransaction | Refused {
  if (forced) {
    const drawn = drawBuffer(board, card, billing, linkedId);
    authorization.bufferDrawn = authorization.bufferDrawn.plus(drawn);
  }
  const referenceId = nextReference(authorization, 'authorization');
  const accountEntries = settleFeeHold(card, 'pending/settle_fee', fee, referenceId);
  return recordOn(
    board,
    card,
    {
      type: 'authorization',
      id,
      amount,
      currency,
      billingAmount: billing,
      referenceId,
      linkedId,
      authorization,
      forced,
      merchant,
      accountEntries,
    },
    fee,
  );
}

function requiredAmount(message: ProcessorMessage): Decimal {
  if (!message.amount) throw invalid('amount is required.', 'amount');
  return message.amount;
}
