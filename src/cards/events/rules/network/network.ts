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
import type { Board } from '../board';
import { authenticationOf, useChallenge } from '../spending/authentication';
import { authorize, authorizeByForce, isOpen } from '../spending/authorize';
import { release } from '../spending/cancel';
import { isConvertible, spendOfDeclined } from '../spending/conversion';
import { decline, declineReason } from '../spending/decline';
import { refund } from '../spending/refund';
import { settle } from '../spending/settle';

/** A message, with the reference and chain of its network transaction. */
interface Step {
  board: Board;
  card: Card;
  message: NetworkMessage;
  known: NetworkReference;
  /** The transaction's chain; undefined when nothing was held. */
  chain: Authorization | undefined;
}

/**
 * Judges a message of a card network. Messages of one transaction may come in any order and lead to the same balances:
 * amounts that are cleared or reversed before their authorization are remembered, and an authorization sent no later
 * holds that much less. Only an authorization can be declined.
 * @returns undefined when no money moves: the effect is already booked, or the amount is zero
 * @throws Problem 503 without a fresh rate for a message that cannot be declined, 409 `limit_exceeded` for an amount
 * that no card can be charged
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
  refund: ({ board, card, ...step }) =>
    refund(board, card, asProcessorMessage(withRefundableChain(step), 'refund')),
};

/**
 * Judges an authorization of zero, which asks whether the card may be used. Holds nothing; a refusal is recorded as a
 * decline.
 */
function verify({ board, card, message }: Step): CardTransaction | undefined {
  const { amount, currency, merchant, channel } = message;
  const authentication = authenticationOf(board, card, message);
  const asked = { billing: ZERO, total: ZERO, merchant, channel, authentication };
  const reason = declineReason(board, card, asked);
  if (reason) return decline(board, card, { amount, currency, billing: ZERO, rate: ZERO, merchant }, reason);
  useChallenge(board, message, authentication);
  return undefined;
}

/** Authorizes, or declines for want of a rate: the sender waits one second, and no rate comes in that time. */
function authorizeAtOnce(board: Board, card: Card, message: AuthorizableMessage): CardTransaction {
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

/** Holds the part of an authorization that was not cleared or reversed earlier. */
function hold(
  step: Step,
  judged: (board: Board, card: Card, message: AuthorizableMessage) => CardTransaction,
): CardTransaction | undefined {
  const { board, card, message, known } = step;
  const covered = clearedAhead(message, known);
  const authentication = authenticationOf(board, card, message);
  const amount = message.amount.minus(covered);
  const held = amount.isZero()
    ? undefined
    : judged(board, card, { ...asProcessorMessage(step, 'authorization'), amount, authentication });
  if (held?.type === 'decline') return held;
  useChallenge(board, message, authentication);
  known.settledAhead = known.settledAhead.minus(minOf(covered, known.settledAhead));
  if (held) noteChain(held, known);
  if (!covered.isZero() || held?.authorizationId !== step.chain?.id) board.networks.keep(known);
  if (held) releaseReversed(step, held);
  return held;
}

/** The part of a late authorization that has already been settled. */
function clearedAhead({ amount, sentAt }: NetworkMessage, known: NetworkReference): Decimal {
  if (isBefore(sentAt, known.finalAt)) return amount;
  return isBefore(sentAt, known.settledAheadAt) ? minOf(amount, known.settledAhead) : ZERO;
}

const isBefore = (sentAt: Date, at: Date | null): boolean => at !== null && sentAt <= at;

/** Releases the part of a late hold that the network has already reversed. The client sees the hold and the release. */
function releaseReversed({ board, card, message, known }: Step, held: CardTransaction): void {
  const chain = board.authorizationById(held.authorizationId ?? '');
  if (!chain || !isBefore(message.sentAt, known.reversedAheadAt)) return;
  const amount = minOf(known.reversedAhead, held.amount);
  if (amount.isZero()) return;
  release(board, card, chain, amount);
  known.reversedAhead = known.reversedAhead.minus(amount);
  board.networks.keep(known);
}

/** Settles a clearing, by force where nothing was held. */
function clear(step: Step): CardTransaction {
  const { board, card, message, known, chain } = step;
  const ahead = maxOf(ZERO, message.amount.minus(chain ? remaining(chain.own) : ZERO));
  const settled = settle(board, card, asProcessorMessage(step, 'settle'));
  noteChain(settled, known);
  if (!ahead.isZero()) {
    known.settledAhead = known.settledAhead.plus(ahead);
    known.settledAheadAt = later(known.settledAheadAt, message.sentAt);
  }
  if (message.final) known.finalAt = later(known.finalAt, message.sentAt);
  if (!ahead.isZero() || message.final) board.networks.keep(known);
  return settled;
}

/**
 * Releases a reversed amount, at most what is held. An amount that we released after an unanswered decline is deducted
 * first, because the network does not say which hold it reverses, and an approved hold must stay.
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

/** Links a refund to its chain. A refund above the settled amount, or without a known chain, stands alone. */
const withRefundableChain = ({ message, chain }: Pick<Step, 'message' | 'chain'>) =>
  chain && message.amount.lte(refundable(chain.own)) ? { message, chain } : { message };

type AuthorizableMessage = ProcessorMessage &
  Pick<NetworkMessage, 'amount' | 'currency'> & { authentication?: Authentication | undefined };

/** The message in the form that the rules of one authorization take. */
function asProcessorMessage(
  { message, chain }: { message: NetworkMessage; chain?: Authorization | undefined },
  type: ProcessorMessage['type'],
): AuthorizableMessage {
  const { cardId, amount, currency, final, merchant, channel } = message;
  return { type, cardId, amount, currency, final, merchant, channel, referenceId: chain?.referenceId };
}

function noteChain({ authorizationId }: CardTransaction, known: NetworkReference): void {
  if (authorizationId !== null) known.authorizationId = authorizationId;
}

const later = (one: Date | null, other: Date): Date => (one !== null && one > other ? one : other);
