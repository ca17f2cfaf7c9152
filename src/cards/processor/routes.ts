import { type RawRequest, type Route, route } from '../../http/route';
import { invalid, notFound, Problem } from '../../kernel/errors';
import type { KeyedAnswer } from '../../kernel/idempotency';
import { PARTY_NAMES } from '../../kernel/parties';
import { isChallengeMessage } from '../../parties/card-processor/message';
import type { ReceivedMessage } from '../../parties/card-processor/port';
import { createForgedCount, showUnreadable } from '../../process/callbacks/operations';
import { UnreadableCallback } from '../../process/party-errors';
import { findChallenge } from '../challenges/operations';
import { challengeSchema, challengeView } from '../challenges/view';
import type { CardServices } from '../services';
import { createProcessorLine } from './answer-message';
import { createChallengeLine } from './challenge-line';
import { MESSAGES_PATH } from './message-key';
import { createReportLine, REPORT_BOOKED } from './report-line';

/** In bytes; far more than any message needs. */
const BODY_LIMIT = 64 * 1024;
const PARTY = PARTY_NAMES.cardProcessor;

/** Receives the messages that the card processor forwards from card networks (docs/parties.md). */
export function processorMessageRoute(services: CardServices): Route {
  const line = createProcessorLine(services);
  const challenges = createChallengeLine(services);
  const reports = createReportLine(services, line);
  const countForged = createForgedCount(services, PARTY);
  return route({
    method: 'POST',
    path: MESSAGES_PATH,
    tag: 'Callbacks',
    summary: 'A message of the card processor',
    role: 'public',
    raw: { limit: BODY_LIMIT },
    async gathered({ raw }) {
      if (!raw) throw new Error('the route does not take raw bodies');
      const message = await verified(services, raw);
      if (message?.type === 'report') {
        await reports.book(message);
        return REPORT_BOOKED;
      }
      if (message && isChallengeMessage(message)) return challenges.answer(message);
      if (message) return inProcessorsForm(services, await line.answer(message));
      services.observeForged(PARTY);
      await countForged(raw.bytes);
      throw new Problem(401, 'unauthorized', 'The signature does not match the message.');
    },
  });
}

/** Our answer to a message, in the form that the processor reads. */
function inProcessorsForm({ parties }: CardServices, answer: KeyedAnswer) {
  return { ...answer, ...parties.cardProcessor.renderAnswer?.(answer.body) };
}

/** Lets the card processor read the state of a challenge. */
export function challengeRoute(services: CardServices): Route {
  const { database, parties, now } = services;
  return route({
    method: 'GET',
    path: '/processor/v1/challenges/{id}',
    tag: 'Callbacks',
    summary: 'The state of a challenge',
    role: 'public',
    raw: { limit: 0 },
    response: challengeSchema,
    async read({ params, raw }) {
      if (!raw) throw new Error('the route does not take raw requests');
      if (!parties.cardProcessor.verifyQuestion(raw.bytes.toString(), raw.headers))
        throw new Problem(401, 'unauthorized', 'The signature does not match the request.');
      const challenge = await findChallenge(database, { challengeId: params['id'] ?? '' });
      if (!challenge) throw notFound('challenge');
      return challengeView(challenge, now());
    },
  });
}

/**
 * A message with a valid signature; undefined without one. Shows an unreadable message to operators.
 * @throws Problem 400 for a signed message that cannot be read
 */
async function verified(
  services: CardServices,
  { bytes, headers }: RawRequest,
): Promise<ReceivedMessage | undefined> {
  try {
    return services.parties.cardProcessor.verifyMessage(bytes, headers);
  } catch (error) {
    if (!(error instanceof UnreadableCallback)) throw error;
    services.observeUnusable(PARTY, 'callback');
    await showUnreadable(services, PARTY, bytes);
    throw error.cause instanceof Problem ? error.cause : invalid('The message cannot be read.');
  }
}
