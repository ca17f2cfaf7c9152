import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { startOfDay } from '../../kernel/utc-day';
import type { ChallengeAnswer, VerifyAnswer } from '../../parties/card-processor/challenge-message';
import { requireCardholder } from '../../people/cardholders/operations';
import { settingsOf } from '../../tenants/clients/operations';
import { requireCard, requireLockedCard } from '../cards/operations';
import type { CardServices } from '../services';
import { isCode } from './code';
import type { Challenge, ChallengeStatus } from './record';
import { codeTimes, judgeCode, MAX_RESENDS, statusAt, transition } from './rules';
import { challengeSettingsSection } from './settings';
import { countChallenges, insertChallenge, lockChallenge, updateChallenge } from './store';
import { startSending } from './workflows';

export { findChallenge } from './store';

export type NewChallenge = Pick<
  Challenge,
  'challengeId' | 'cardId' | 'amount' | 'currency' | 'merchant' | 'expiresAt'
>;

const refused = (reason: string): ChallengeAnswer => ({ accepted: false, reason });

/**
 * Opens a challenge and starts the workflow that mails its code, or refuses. Locks: the card.
 * @returns `reason`: `challenge_known`, `card_not_active`, `user_blocked`, `mail_not_configured`, `no_address`,
 * `too_many_challenges` or `expired`
 */
export async function openChallenge(
  services: CardServices,
  tx: Tx,
  { cardId, ...given }: NewChallenge,
): Promise<ChallengeAnswer> {
  const at = services.now();
  if (!services.parties.mail.configured) return refused('mail_not_configured');
  if (given.expiresAt <= at) return refused('expired');
  const card = await requireLockedCard(tx, cardId);
  if (card.status !== 'active') return refused('card_not_active');
  if (card.userBlocked) return refused('user_blocked');
  const { maskedEmail } = await requireCardholder(tx, null, card.cardholderId);
  if (maskedEmail === '') return refused('no_address');
  const { perCardAndDay } = await settingsOf(tx, card.tenantId, challengeSettingsSection);
  if ((await countChallenges(tx, cardId, startOfDay(at))) >= perCardAndDay)
    return refused('too_many_challenges');
  const challenge: Challenge = {
    id: newId('challenge'),
    tenantId: card.tenantId,
    cardId,
    ...given,
    status: 'sending',
    codeNumber: 1,
    wrongCodes: 0,
    ...codeTimes(at, given.expiresAt),
    createdAt: at,
    updatedAt: at,
  };
  if (!(await insertChallenge(tx, challenge))) return refused('challenge_known');
  services.commands.append(tx, [startSending(challenge)]);
  return { accepted: true, maskedDestination: maskedEmail };
}

/** Judges a code that the payer typed. Locks: the challenge. */
export async function verifyChallenge(
  { keyring, now }: Pick<CardServices, 'keyring' | 'now'>,
  tx: Tx,
  challengeId: string,
  code: string,
): Promise<VerifyAnswer> {
  const challenge = await lockChallenge(tx, { challengeId });
  const at = now();
  const { result, triesLeft, change } = judgeCode(challenge, isCode(keyring, challenge, code), at);
  if (change) await updateChallenge(tx, challenge.id, change, at);
  return { result, triesLeft };
}

/**
 * Invalidates the current code and starts the workflow that mails the next one. Locks: the challenge.
 * @returns `reason`: `too_many_resends`, `expired`, or the status that admits no further code
 */
export async function resendChallenge(
  services: CardServices,
  tx: Tx,
  challengeId: string,
): Promise<ChallengeAnswer> {
  const challenge = await lockChallenge(tx, { challengeId });
  const at = services.now();
  if (at >= challenge.expiresAt) return refused('expired');
  const present = statusAt(challenge, at);
  const status = transition(present, 'resend');
  if (!status) return refused(present);
  if (challenge.codeNumber > MAX_RESENDS) return refused('too_many_resends');
  const next = { status, codeNumber: challenge.codeNumber + 1, ...codeTimes(at, challenge.expiresAt) };
  await updateChallenge(tx, challenge.id, next, at);
  services.commands.append(tx, [startSending({ ...challenge, ...next })]);
  const { cardholderId } = await requireCard(tx, null, challenge.cardId);
  const { maskedEmail } = await requireCardholder(tx, null, cardholderId);
  return { accepted: true, maskedDestination: maskedEmail };
}

/**
 * Cancels a challenge that was not used. Locks: the challenge.
 * @returns the new status, or the present one if it cannot be cancelled
 */
export async function cancelChallenge(
  { now }: Pick<CardServices, 'now'>,
  tx: Tx,
  challengeId: string,
): Promise<ChallengeStatus> {
  const challenge = await lockChallenge(tx, { challengeId });
  const at = now();
  const present = statusAt(challenge, at);
  const status = transition(present, 'cancel');
  if (!status) return present;
  await updateChallenge(tx, challenge.id, { status }, at);
  return status;
}
