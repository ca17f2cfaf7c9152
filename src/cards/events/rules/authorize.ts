import { invalid, notFound } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { type Decimal, percentOf, ZERO } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';
import type { Authorization, CardTransaction, ProcessorMessage } from '../record';
import { nextReference, recordOn } from './authorization';
import { type Board, type Refused } from './board';
import { type Spend, spendOf } from './conversion';
import { decline, declineReason } from './decline';
import { settleFeeHold } from './fee-entries';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Authorizes an amount: it is held on the card, and the settle fee on the master account; or it is declined, which is a
 * result too. With a reference of an authorization, that one grows.
 * @throws Problem 404 for a reference that the card does not know
 */
export function authorize(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const amount = requiredAmount(message);
  const known = board.authorization(card.id, message.referenceId);
  if (message.referenceId !== undefined && !known) throw notFound('authorization', 'referenceId');
  const spend = spendOf(board, card, message, amount, known);
  const reason = declineReason(card, board.programme(card.bin), spend.billing, message.merchant?.mcc);
  if (reason) return decline(board, card, spend, reason);
  const held = known ? grow(board, card, known, spend, false) : open(board, card, spend, false);
  return 'refusedBy' in held ? decline(board, card, spend, 'insufficient_funds') : held;
}

/** The processor has declined by itself. */
export function declineByProcessor(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const spend = spendOf(board, card, message, requiredAmount(message));
  return decline(board, card, spend, 'do_not_honor');
}

/** Opens an authorization; a forced one cannot be refused. */
export function open(board: Board, card: Card, spend: Spend, forced: boolean): CardTransaction | Refused {
  const { fees, authorizationDays } = board.programme(card.bin);
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
    lastSettleId: null,
    expiresAt: new Date(board.book.at.getTime() + authorizationDays * DAY_MS),
    createdAt: board.book.at,
    updatedAt: board.book.at,
  };
  const fee = fees.settleFixed.plus(percentOf(spend.billing, fees.settlePercent, card.currency));
  return hold(board, card, authorization, spend, fee, { id: authorization.id, forced });
}

/** Adds to an authorization: an increment, or the excess of a settlement (forced). */
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
  { id, linkedId, forced }: { id?: string; linkedId?: string; forced: boolean },
): CardTransaction | Refused {
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
