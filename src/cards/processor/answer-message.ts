import { gathered } from '../../kernel/db/gathered';
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
import { inTime, MONOTONIC, WITHIN } from './in-time';
import { fingerprintOf, keyOfMessage } from './key';
import { storedMessage } from './record';
import { type FoundMessage, keepMessage, lookUpMessages, type MessageLookup } from './store';
import { declineUnanswered } from './unanswered';

/** Any other message is answered whenever it has been booked: what is not is sent again. */
const NOTICE_MS = 10_000;
/** Answers of a process that it gives again without asking the database: of the last half minute at least. */
const REMEMBERED = 30_000;
/** Between two attempts: the first, and the longest. */
const PAUSE_MS = { first: 25, longest: 500 };

export interface ProcessorLine {
  /**
   * Judges a message once for ever, and gives that answer however often it comes.
   * @throws Problem 422 for another message under its id, 503 for what must be sent again, 409 while another process judges it
   */
  answer(message: ProcessorMessage): Promise<KeyedAnswer>;
}

type Message = ProcessorMessage & { fingerprint: Buffer };

interface Given {
  message: Pick<Message, 'fingerprint'>;
  answer: KeyedAnswer;
}

/** A message while it is being answered. */
interface Attempt {
  message: Message;
  /** When it came. Milliseconds, monotonic. */
  since: number;
  /** When its time is over, by this stopwatch. */
  endsAt: number;
  stopwatch: Stopwatch;
  /** Known as soon as its card is. */
  tenantId: string | null;
}

/** What the card processor says by itself, from where it is understood: one a process. */
export function createProcessorLine(services: CardServices): ProcessorLine {
  const within = services.answerWithin ?? WITHIN;
  const { stopwatch = MONOTONIC } = within;
  const underWay = new Map<string, { message: Message; answer: Promise<KeyedAnswer> }>();
  const lookUp = createLookUp(services);
  const given = new Map<string, Given>();

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
    if (!answer) throw new Problem(503, 'unavailable', 'It was not booked: send it again.', undefined, 1);
    return answer;
  }

  function begin(message: Message): Promise<KeyedAnswer> {
    const since = performance.now();
    const endsAt = stopwatch.now() + (isAuthorization(message) ? within.judgeMs : NOTICE_MS);
    const attempt = { message, since, endsAt, stopwatch, tenantId: null };
    return isAuthorization(message) ? authorization(attempt) : notice(attempt);
  }

  /** A repeat is given it, be the database away by then. */
  function remember({ messageId, fingerprint }: Message, answer: KeyedAnswer): void {
    given.set(messageId, { message: { fingerprint }, answer });
    if (given.size > REMEMBERED) given.delete(given.keys().next().value as string);
  }

  return {
    async answer(received) {
      const message = { ...received, fingerprint: fingerprintOf(received.received) };
      const { messageId } = message;
      const known = underWay.get(messageId) ?? given.get(messageId);
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

type LookUp = (lookup: MessageLookup) => Promise<FoundMessage>;

/** Messages that come together are looked up together. */
function createLookUp({ database }: CardServices): LookUp {
  const look = gathered(async (lookups: MessageLookup[]) => {
    const found = await lookUpMessages(database, lookups);
    return new Map(lookups.map((lookup, index) => [lookup, found[index] ?? {}]));
  });
  return async (lookup) => (await look(lookup)).get(lookup) ?? {};
}

/**
 * Tries until the message is judged: nothing may be known of the database for a moment, and another process may have it.
 * @returns nothing when its time is over; it may have been judged then
 */
async function untilJudged(
  services: CardServices,
  lookUp: LookUp,
  attempt: Attempt,
): Promise<KeyedAnswer | undefined> {
  const { endsAt, stopwatch } = attempt;
  let isOurs = false;
  for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.longest)) {
    let elsewhere = false;
    try {
      return await judged(services, lookUp, attempt);
    } catch (error) {
      elsewhere = error instanceof Problem && error.code === 'idempotency_in_progress';
      if (error instanceof Problem && error.status < 500 && !elsewhere) throw error;
      isOurs ||= !elsewhere;
      if (pause === PAUSE_MS.first)
        services.log.warn({ messageId: attempt.message.messageId, err: error }, 'a message is tried again');
    }
    if (stopwatch.now() + pause >= endsAt) {
      if (elsewhere && !isOurs) throw inProgress();
      return undefined;
    }
    await stopwatch.wait(pause);
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

const isMismatch = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'idempotency_mismatch';

/** Another message under the id of one that was judged: it is refused, and what it says of money is shown. */
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
  const { channel, challengeId } = message;
  return {
    ...{ type: 'network', event, cardId, amount, currency, reference, final, merchant, sentAt },
    ...{ channel, challengeId },
  };
}

/** It is kept with its answer, and a person is shown it. */
async function keepUnknownCard({ database }: CardServices, attempt: Attempt): Promise<KeyedAnswer> {
  const { message, since } = attempt;
  const { messageId, fingerprint } = message;
  const answer: StoredAnswer = unknownCardAnswer(message);
  return database.transaction(async (tx) => {
    const kept: Parameters<typeof keepMessage>[1] = {
      ...{ id: newId('processorMessage'), messageId, fingerprint, message: storedMessage(message) },
      ...{ reason: 'unknown_card', ...answer, tenantId: null, settledAt: new Date() },
    };
    const { status, body } = await keepMessage(tx, kept, since);
    await showUnknownCard(tx, message);
    return { status, body, replayed: false };
  });
}
