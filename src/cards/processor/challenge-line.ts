import type { Tx } from '../../kernel/db/database';
import { unavailable } from '../../kernel/errors';
import { type KeyedAnswer, type StoredAnswer, withKey } from '../../kernel/idempotency';
import type { ChallengeAnswer, VerifyAnswer } from '../../parties/card-processor/challenge-message';
import type { ChallengeMessage } from '../../parties/card-processor/message';
import {
  cancelChallenge,
  findChallenge,
  openChallenge,
  resendChallenge,
  verifyChallenge,
} from '../challenges/operations';
import type { CardServices } from '../services';
import { fingerprintOf, keyOfMessage } from './message-key';
import { findCardNamed } from './store';
import { inTime, MONOTONIC, WITHIN } from './time-limit';

export interface ChallengeLine {
  /**
   * Answers a message about a challenge once. A repeated message gets the same answer for ever. A message about an
   * unknown card or challenge has no effect, so its answer is not stored.
   * @throws Problem 422 for another message under the same id, 503 for a message that must be sent again, 409 while
   * another process answers the message
   */
  answer(message: ChallengeMessage): Promise<KeyedAnswer>;
}

/** Answers the card processor's messages about challenges. A challenge moves no money, so no message waits for card events. */
export function createChallengeLine(services: CardServices): ChallengeLine {
  const { judgeMs, stopwatch = MONOTONIC } = services.answerWithin ?? WITHIN;
  return {
    async answer(message) {
      const answer = await inTime(answerOnce(services, message), stopwatch, judgeMs);
      if (!answer) throw unavailable('The message was not answered in time. Send it again.');
      return answer;
    },
  };
}

type Body = ChallengeAnswer | VerifyAnswer | { status: string };

const answered = (body: Body): StoredAnswer => ({ status: 200, body: JSON.stringify(body) });

async function answerOnce(services: CardServices, message: ChallengeMessage): Promise<KeyedAnswer> {
  const subject = await subjectOf(services, message);
  if (!subject) return { ...answered(answerToUnknown(message)), replayed: false };
  const { code: _, ...compared } = message.received; // a fingerprint of the code would reveal it
  const key = keyOfMessage(subject.tenantId, {
    messageId: message.messageId,
    fingerprint: fingerprintOf(compared),
  });
  const work = async (tx: Tx) => answered(await perform(services, tx, message, subject.cardId));
  return withKey(services.database, key, work, () => {
    throw new Error('messages about challenges are never refused');
  });
}

/** The card that a message is about; undefined when the card or challenge is unknown. */
async function subjectOf(
  { database }: CardServices,
  message: ChallengeMessage,
): Promise<{ tenantId: string; cardId: string } | undefined> {
  if (message.type !== 'challenge') return findChallenge(database, { challengeId: message.challengeId });
  return findCardNamed(database, message.cardReference);
}

function answerToUnknown({ type }: ChallengeMessage): Body {
  if (type === 'challenge') return { accepted: false, reason: 'unknown_card' };
  if (type === 'challenge.resend') return { accepted: false, reason: 'unknown_challenge' };
  if (type === 'challenge.cancel') return { status: 'unknown_challenge' };
  return { result: 'failed', triesLeft: 0 };
}

async function perform(
  services: CardServices,
  tx: Tx,
  message: ChallengeMessage,
  cardId: string,
): Promise<Body> {
  const { challengeId } = message;
  switch (message.type) {
    case 'challenge': {
      const { amount, currency, merchant, expiresAt } = message;
      return openChallenge(services, tx, { challengeId, cardId, amount, currency, merchant, expiresAt });
    }
    case 'challenge.verify':
      return verifyChallenge(services, tx, challengeId, message.code);
    case 'challenge.resend':
      return resendChallenge(services, tx, challengeId);
    case 'challenge.cancel':
      return { status: await cancelChallenge(services, tx, challengeId) };
  }
}
