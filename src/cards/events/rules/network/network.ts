import { type Decimal, maxOf, minOf, ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import type { NetworkReference } from '../../network/references';
import {
  type Authentication,
  type Authorization,
  type CardTransaction,
  type NetworkMessage,
  type ProcessorMessage,
  refundable,
  remaining,
} from '../../record';
import { authenticationOf, useChallenge } from '../authentication';
import { authorize, authorizeByForce, isOpen } from '../authorize';
import type { Board } from '../board';
import { release } from '../cancel';
import { isConvertible, spendOfDeclined } from '../conversion';
import { decline, declineReason } from '../decline';
import { refund } from '../refund';
import { settle } from '../settle';

/** One message, and what is known of the network's transaction that it is of. */
interface Step {
  board: Board;
  card: Card;
  message: NetworkMessage;
  known: NetworkReference;
  /** Its chain, where something of it was held. */
  chain: Authorization | undefined;
}

/**
 * Judges a message of a card network. Messages of one transaction come in any order and end in the same balances: what is
 * cleared or reversed before its authorization is remembered, and an authorization that was sent no later holds so much
 * less. Nothing but an authorization is ever refused.
 * @returns nothing where nothing moves: what is asked for has happened, or it was a question
 * @throws Problem 503 without a fresh rate for what cannot be declined, 409 `limit_exceeded` for what no card can be charged
 */
export function judgeNetwork(board: Board, card: Card, message: NetworkMessage): CardTransaction | undefined {
  const known = board.networks.of(message);
  const chain = known.authorizationId === null ? undefined : board.authorizationById(known.authorizationId);
  return RULES[message.event]({ board, card, message, known, chain });
}

const RULES: Record<NetworkMessage['event'], (step: Step) => CardTransaction | undefined> = {
  authorization: (step) => (step.message.amount.isZero() ? verify(step) : hold(step, authorizeAtOnce)),
  advice: (step) => (step.message.amount.isZero() ? undefined : hold(step, authorizeByForce)),
  clearing: clear,
  reversal: reverse,
  refund: ({ board, card, ...step }) => refund(board, card, understood(refunded(step), 'refund')),
};

/** An authorization of nothing asks whether the card may be used: nothing is held, and a refusal is a decline like others. */
function verify({ board, card, message }: Step): CardTransaction | undefined {
  const { amount, currency, merchant, channel } = message;
  const authentication = authenticationOf(board, card, message);
  const asked = { billing: ZERO, total: ZERO, merchant, channel, authentication };
  const reason = declineReason(board, card, asked);
  if (reason) return decline(board, card, { amount, currency, billing: ZERO, rate: ZERO, merchant }, reason);
  useChallenge(board, message, authentication);
  return undefined;
}

/** Without a rate it is declined: whoever sent it waits a second, and no rate comes in that time. */
function authorizeAtOnce(board: Board, card: Card, message: OfNetwork): CardTransaction {
  const { referenceId, currency, merchant, channel, authentication } = message;
  const named = board.authorization(card.id, referenceId);
  if ((named && isOpen(named, board.book.at)) || isConvertible(board, card, currency))
    return authorize(board, card, message);
  const reason = declineReason(board, card, {
    billing: ZERO,
    total: ZERO,
    merchant,
    channel,
    authentication,
  });
  return decline(board, card, spendOfDeclined(board, card, message), reason ?? 'processing_error');
}

/** Holds what of an authorization has not been cleared or reversed ahead of it. */
function hold(
  step: Step,
  judged: (board: Board, card: Card, message: OfNetwork) => CardTransaction,
): CardTransaction | undefined {
  const { board, card, message, known } = step;
  const covered = clearedAhead(message, known);
  const authentication = authenticationOf(board, card, message);
  const amount = message.amount.minus(covered);
  const held = amount.isZero()
    ? undefined
    : judged(board, card, { ...understood(step, 'authorization'), amount, authentication });
  if (held?.type === 'decline') return held;
  useChallenge(board, message, authentication);
  known.settledAhead = known.settledAhead.minus(minOf(covered, known.settledAhead));
  if (held) belongsTo(held, known);
  if (!covered.isZero() || held?.authorizationId !== step.chain?.id) board.networks.keep(known);
  if (held) releaseReversed(step, held);
  return held;
}

/** How much of an authorization is settled by now although it comes only now. */
function clearedAhead({ amount, sentAt }: NetworkMessage, known: NetworkReference): Decimal {
  if (isBefore(sentAt, known.finalAt)) return amount;
  return isBefore(sentAt, known.settledAheadAt) ? minOf(amount, known.settledAhead) : ZERO;
}

const isBefore = (sentAt: Date, at: Date | null): boolean => at !== null && sentAt <= at;

/** What the network has taken back before we held it is released at once: the client sees both. */
function releaseReversed({ board, card, message, known }: Step, held: CardTransaction): void {
  const chain = board.authorizationById(held.authorizationId ?? '');
  if (!chain || !isBefore(message.sentAt, known.reversedAheadAt)) return;
  const amount = minOf(known.reversedAhead, held.amount);
  if (amount.isZero()) return;
  release(board, card, chain, amount);
  known.reversedAhead = known.reversedAhead.minus(amount);
  board.networks.keep(known);
}

/** Settles it, by force where it was not held. */
function clear(step: Step): CardTransaction {
  const { board, card, message, known, chain } = step;
  const ahead = maxOf(ZERO, message.amount.minus(chain ? remaining(chain.own) : ZERO));
  const settled = settle(board, card, understood(step, 'settle'));
  belongsTo(settled, known);
  if (!ahead.isZero()) {
    known.settledAhead = known.settledAhead.plus(ahead);
    known.settledAheadAt = later(known.settledAheadAt, message.sentAt);
  }
  if (message.final) known.finalAt = later(known.finalAt, message.sentAt);
  if (!ahead.isZero() || message.final) board.networks.keep(known);
  return settled;
}

/**
 * Releases what is held, so much at most. First it is taken for the reversal of what we have released by ourselves: which one it
 * is, the network does not say, and what was approved must not be released for it.
 */
function reverse({ board, card, message, known, chain }: Step): CardTransaction | undefined {
  const before = minOf(message.amount, known.releasedUnanswered);
  const amount = message.amount.minus(before);
  const held = minOf(amount, chain ? remaining(chain.own) : ZERO);
  const released = chain && !held.isZero() ? release(board, card, chain, held) : undefined;
  const ahead = amount.minus(held);
  known.releasedUnanswered = known.releasedUnanswered.minus(before);
  if (!ahead.isZero()) {
    known.reversedAhead = known.reversedAhead.plus(ahead);
    known.reversedAheadAt = later(known.reversedAheadAt, message.sentAt);
  }
  if (!before.isZero() || !ahead.isZero()) board.networks.keep(known);
  return released;
}

/** A refund of more than its chain has settled, or of what we know nothing of, stands alone. */
const refunded = ({ message, chain }: Pick<Step, 'message' | 'chain'>) =>
  chain && message.amount.lte(refundable(chain.own)) ? { message, chain } : { message };

type OfNetwork = ProcessorMessage &
  Pick<NetworkMessage, 'amount' | 'currency'> & { authentication?: Authentication | undefined };

/** The message as the rules of one authorization take it. */
function understood(
  { message, chain }: { message: NetworkMessage; chain?: Authorization | undefined },
  type: ProcessorMessage['type'],
): OfNetwork {
  const { cardId, amount, currency, final, merchant, channel } = message;
  return { type, cardId, amount, currency, final, merchant, channel, referenceId: chain?.referenceId };
}

function belongsTo({ authorizationId }: CardTransaction, known: NetworkReference): void {
  if (authorizationId !== null) known.authorizationId = authorizationId;
}

const later = (one: Date | null, other: Date): Date => (one !== null && one > other ? one : other);
