import { invalid, notFound } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { accountEntry, type Entry, holdEntry, internalEntry } from '../../../kernel/ledger/entries';
import { type Decimal, percentOf, ZERO } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';
import type { Programme } from '../../programmes/record';
import type { CardTransaction, Chain, DeclineReason, ProcessorMessage } from '../record';
import type { Board } from './board';
import { billingRate, currencyOfMessage, toBilling } from './conversion';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Authorizes an amount: it is held on the card, and the settle fee on the master account; or it is declined, which is a
 * result too. With a reference of an open chain the chain's authorization grows.
 * @throws Problem 404 for a reference that the card does not know
 */
export function authorize(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const amount = requiredAmount(message);
  const chain = message.referenceId === undefined ? undefined : board.chain(card.id, message.referenceId);
  if (message.referenceId !== undefined && !chain) throw notFound('authorization', 'referenceId');
  const currency = currencyOfMessage(message, chain, card.currency);
  const programme = board.programme(card.bin);
  const rate = chain?.rate ?? billingRate(board, currency, card.currency, programme);
  const billing = toBilling(amount, rate, card.currency);
  const reason = declineReason(card, programme, billing, message.merchant?.mcc);
  const part = { amount, currency, rate, billing, merchant: message.merchant };
  if (reason) return decline(board, card, part, reason);
  const held = chain ? grow(board, card, chain, part, false) : open(board, card, part, false);
  return 'refusedBy' in held ? decline(board, card, part, 'insufficient_funds') : held;
}

/** The processor has declined by itself. */
export function declineByProcessor(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const amount = requiredAmount(message);
  const currency = currencyOfMessage(message, undefined, card.currency);
  const rate = billingRate(board, currency, card.currency, board.programme(card.bin));
  const billing = toBilling(amount, rate, card.currency);
  return decline(
    board,
    card,
    { amount, currency, rate, billing, merchant: message.merchant },
    'do_not_honor',
  );
}

export interface Part {
  amount: Decimal;
  currency: string;
  rate: Decimal;
  billing: Decimal;
  merchant?: ProcessorMessage['merchant'];
}

/** Opens a chain with an authorization; a forced one cannot be refused. */
export function open(
  board: Board,
  card: Card,
  part: Part,
  forced: boolean,
): CardTransaction | { refusedBy: string } {
  const programme = board.programme(card.bin);
  const id = newId('cardTransaction');
  const referenceId = newId('reference');
  const feeHeld = programme.fees.settleFixed.plus(
    percentOf(part.billing, programme.fees.settlePercent, card.currency),
  );
  const chain: Chain = {
    id,
    cardId: card.id,
    referenceId,
    currency: part.currency,
    billingCurrency: card.currency,
    rate: part.rate,
    own: { authorized: part.amount, settled: ZERO, reversed: ZERO, refunded: ZERO },
    billing: { authorized: part.billing, settled: ZERO, reversed: ZERO, refunded: ZERO },
    feePercent: programme.fees.settlePercent,
    feeHeld,
    lastSettleId: null,
    expiresAt: new Date(board.book.at.getTime() + programme.authorizationDays * DAY_MS),
    createdAt: board.book.at,
  };
  const event = {
    ...eventOf(part),
    id,
    referenceId,
    chain,
    forced,
    beside: feeHold(card, feeHeld, referenceId),
  };
  const recorded = board.record(card, event);
  if (!('refusedBy' in recorded)) board.keepChain(chain);
  return recorded;
}

/** Adds to a chain's authorization: an increment, or the excess of a settlement (forced). */
export function grow(
  board: Board,
  card: Card,
  chain: Chain,
  part: Part,
  forced: boolean,
): CardTransaction | { refusedBy: string } {
  const referenceId = newId('reference');
  const fee = percentOf(part.billing, chain.feePercent, card.currency);
  const beside = feeHold(card, fee, referenceId);
  const recorded = board.record(card, {
    ...eventOf(part),
    referenceId,
    linkedId: chain.id,
    chain,
    forced,
    beside,
  });
  if ('refusedBy' in recorded) return recorded;
  chain.own.authorized = chain.own.authorized.plus(part.amount);
  chain.billing.authorized = chain.billing.authorized.plus(part.billing);
  chain.feeHeld = chain.feeHeld.plus(fee);
  board.keepChain(chain);
  return recorded;
}

function eventOf(part: Part) {
  const { amount, currency, billing, merchant } = part;
  return { type: 'authorization' as const, amount, currency, billingAmount: billing, merchant };
}

function feeHold(card: Card, fee: Decimal, referenceId: string): Entry[] {
  return fee.isZero() ? [] : [holdEntry(card.masterAccountId, 'pending/settle_fee', fee, referenceId)];
}

function decline(board: Board, card: Card, part: Part, reason: DeclineReason): CardTransaction {
  const referenceId = newId('reference');
  const fee = board.programme(card.bin).fees.decline;
  const { amount, currency, billing, merchant } = part;
  const event = { type: 'decline' as const, amount, currency, billingAmount: billing, referenceId, merchant };
  const beside = fee.isZero()
    ? []
    : [
        accountEntry(card.masterAccountId, 'fee/decline_fee', fee, referenceId),
        internalEntry('fees', card.currency, fee, referenceId),
      ];
  return board.mustRecord(card, { ...event, fee, beside, declineReason: reason, mayOverdraw: true });
}

function declineReason(
  card: Card,
  programme: Programme,
  billing: Decimal,
  mcc?: string,
): DeclineReason | undefined {
  if (card.status === 'closed' || card.status === 'closing') return 'card_closed';
  if (card.status === 'pending' || card.status === 'failed') return 'card_not_active';
  if (card.userBlocked) return 'user_blocked';
  if (card.status === 'frozen') return 'card_frozen';
  if (mcc !== undefined && programme.blockedMccs.includes(mcc)) return 'invalid_merchant';
  if (programme.maxAuthorization?.lt(billing)) return 'limit_exceeded';
  return undefined;
}

function requiredAmount(message: ProcessorMessage): Decimal {
  if (!message.amount) throw invalid('amount is required.', 'amount');
  return message.amount;
}
