import { inProgress, mismatch, Problem } from '../../kernel/errors';
import type { KeyedAnswer, StoredAnswer } from '../../kernel/idempotency';
import { newId } from '../../kernel/ids';
import type { ProcessorMessage } from '../../parties/card-processor/message';
import type { NetworkMessage } from '../events/record';
import type { CardServices, Stopwatch } from '../services';
import {
  declined,
  isAuthorization,
  isUnbooked,
  judgedAnswer,
  refusedAnswer,
  unknownCardAnswer,
} from './answers';
import { showUnbooked, showUnknownCard } from './breaks';
import { createLookUp, type LookUp } from './look-up';
import { fingerprintOf, keyOfMessage } from './message-key';
import { storedMessage } from './record';
import { keepMessage } from './store';
import { inTime, MONOTONIC, pause, WITHIN } from './time-limit';
import { declineUnanswered } from './unanswered';

/** How long booking a notice may take, in milliseconds. The processor sends an unanswered notice again. */
const NOTICE_MS = 10_000;
/** The number of answers that a process repeats from memory: at least those of the last half minute. */
const MAX_RECENT_ANSWERS = 30_000;
/** Pauses between attempts, in milliseconds. */
const PAUSE_MS = { first: 25, longest: 500 };

export interface ProcessorLine {
  /**
   * Judges a message once. A repeated message gets the same answer for ever.
   * @throws Problem 422 for another message under the same id, 503 for a message that must be sent again, 409 while
   * another process judges the message
   */
  answer(message: ProcessorMessage): Promise<KeyedAnswer>;
}

type Message = ProcessorMessage & { fingerprint: Buffer };

interface RecentAnswer {
  message: Pick<Message, 'fingerprint'>;
  answer: KeyedAnswer;
}

/** A message that is being answered. */
interface Attempt {
  message: Message;
  /** When the message arrived, in milliseconds of the monotonic clock. */
  since: number;
  /** The deadline, by `stopwatch`. */
  endsAt: number;
  stopwatch: Stopwatch;
  /** The card's tenant; null until the card is found. */
  tenantId: string | null;
}

/** Answers the card processor's messages about networks' transactions. A process has one line. */
export function createProcessorLine(services: CardServices): ProcessorLine {
  const within = services.answerWithin ?? WITHIN;
  const { stopwatch = MONOTONIC } = within;
  const underWay = new Map<string, { message: Message; answer: Promise<KeyedAnswer> }>();
  const lookUp = createLookUp(services.database);
  const recentAnswers = new Map<string, RecentAnswer>();

  async function authorization(attempt: Attempt): Promise<KeyedAnswer> {
    const { message } = attempt;
    const judged = untilJudged(services, lookUp, attempt);
    const answer = await inTime(judged, stopwatch, within.judgeMs);
    if (answer) return answer;
    services.log.warn({ messageId: message.messageId }, 'an authorization was declined without an answer');
    const decline = declined(message, 'processing_error');
    const written = declineUnanswered(services, attempt, decline);
    const kept = await inTime(written, stopwatch, within.keepMs);
    return { ...(kept ?? decline), replayed: false };
  }

  async function notice(attempt: Attempt): Promise<KeyedAnswer> {
    const answer = await untilJudged(services, lookUp, attempt);
    if (!answer)
      throw new Problem(503, 'unavailable', 'The message was not booked. Send it again.', undefined, 1);
    return answer;
  }

  function begin(message: Message): Promise<KeyedAnswer> {
    const since = performance.now();
    const endsAt = stopwatch.now() + (isAuthorization(message) ? within.judgeMs : NOTICE_MS);
    const attempt = { message, since, endsAt, stopwatch, tenantId: null };
    return isAuthorization(message) ? authorization(attempt) : notice(attempt);
  }

  /** Keeps an answer, so that a repeat is answered even when the database is unreachable. */
  function remember({ messageId, fingerprint }: Message, answer: KeyedAnswer): void {
    recentAnswers.set(messageId, { message: { fingerprint }, answer });
    if (recentAnswers.size > MAX_RECENT_ANSWERS)
      recentAnswers.delete(recentAnswers.keys().next().value as string);
  }

  return {
    async answer(received) {
      const message = { ...received, fingerprint: fingerprintOf(received.received) };
      const { messageId } = message;
      const known = underWay.get(messageId) ?? recentAnswers.get(messageId);
      if (known) {
        if (!known.message.fingerprint.equals(message.fingerprint))
          throw await mismatched(services, message, null);
        return { ...(await known.answer), replayed: true };
      }
      const answer = begin(message);
      underWay.set(messageId, { message, answer });
      try {
        remember(message, await answer);
        return await answer;
      } finally {
        underWay.delete(messageId);
      }
    },
  };
}

/**
 * Tries until the message is judged, because the database may be unreachable for a moment or another process may hold
 * the key.
 * @returns undefined at the deadline, although the message may have been judged
 */
async function untilJudged(
  services: CardServices,
  lookUp: LookUp,
  attempt: Attempt,
): Promise<KeyedAnswer | undefined> {
  const { endsAt, stopwatch } = attempt;
  let wasTriedHere = false;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
    let elsewhere = false;
    try {
      return await judged(services, lookUp, attempt);
    } catch (error) {
      elsewhere = error instanceof Problem && error.code === 'idempotency_in_progress';
      if (error instanceof Problem && error.status < 500 && !elsewhere) throw error;
      wasTriedHere ||= !elsewhere;
      if (pauseMs === PAUSE_MS.first)
        services.log.warn(
          { messageId: attempt.message.messageId, err: error },
          'a message of the card processor is judged again',
        );
    }
    if (stopwatch.now() + pauseMs >= endsAt) {
      if (elsewhere && !wasTriedHere) throw inProgress();
      return undefined;
    }
    await pause(stopwatch, pauseMs);
  }
}

async function judged(services: CardServices, lookUp: LookUp, attempt: Attempt): Promise<KeyedAnswer> {
  const { message, endsAt, stopwatch } = attempt;
  const { kept, card } = await lookUp(message);
  if (kept) {
    if (!kept.fingerprint.equals(message.fingerprint)) throw await mismatched(services, message, null);
    return { status: kept.status, body: kept.body, replayed: true };
  }
  if (!card) return keepUnknownCard(services, attempt);
  attempt.tenantId = card.tenantId;
  const answer = await services.gatherer
    .submit({
      message: { ...networkMessage(message, card.id), reach: card.tenantId },
      key: keyOfMessage(card.tenantId, message),
      patienceMs: endsAt - stopwatch.now(),
      render: ({ transaction }) => judgedAnswer(message, transaction),
      refuse: () => refusedAnswer(message),
    })
    .catch(async (error: unknown) => {
      throw isMismatch(error) ? await mismatched(services, message, card.tenantId) : error;
    });
  if (!isAuthorization(message) && isUnbooked(answer))
    await showUnbooked(services.database, 'processor_message_unbooked', card.tenantId, message);
  return answer;
}

/** Whether another message is booked under the name. */
export const isMismatch = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'idempotency_mismatch';

/**
 * The error for a second message under the id of a judged one. Opens a break, because the second message may be about
 * money.
 */
async function mismatched(
  { database }: CardServices,
  message: ProcessorMessage,
  tenantId: string | null,
): Promise<Problem> {
  await showUnbooked(database, 'processor_message_mismatch', tenantId, message);
  return mismatch();
}

function networkMessage(message: ProcessorMessage, cardId: string): NetworkMessage {
  const { type: event, networkReference: reference, amount, currency, final, merchant, sentAt } = message;
  const { channel, challengeId, authenticated } = message;
  return {
    type: 'network',
    event,
    cardId,
    amount,
    currency,
    reference,
    final,
    merchant,
    sentAt,
    channel,
    challengeId,
    authenticated,
  };
}

/** Stores a message about an unknown card with its answer, and opens a break. */
async function keepUnknownCard({ database, now }: CardServices, attempt: Attempt): Promise<KeyedAnswer> {
  const { message, since } = attempt;
  const { messageId, fingerprint } = message;
  const answer: StoredAnswer = unknownCardAnswer(message);
  return database.transaction(async (tx) => {
    const kept: Parameters<typeof keepMessage>[1] = {
      id: newId('processorMessage'),
      messageId,
      fingerprint,
      message: storedMessage(message),
      reason: 'unknown_card',
      ...answer,
      tenantId: null,
      settledAt: now(),
    };
    const { status, body } = await keepMessage(tx, kept, since);
    await showUnknownCard(tx, message);
    return { status, body, replayed: false };
  });
}
