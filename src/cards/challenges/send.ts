import { emailOf, requireCardholder } from '../../people/cardholders/operations';
import { type LOST, RecordLost, unlessLost } from '../../process/lost-record';
import { PartyRefused } from '../../process/party-errors';
import { requireTenant, sectionOf } from '../../tenants/clients/operations';
import { requireCard } from '../cards/operations';
import type { CardServices } from '../services';
import { codeOf } from './code';
import { renderCodeMail } from './mail';
import type { Challenge, ChallengeStatus, ChallengeTrigger } from './record';
import { CODE_MS, statusAt, transition } from './rules';
import { challengeSettingsSection } from './settings';
import { findChallenge, lockChallenge, updateChallenge } from './store';

/**
 * Mails a code of a challenge, unless a time limit, the payer or a resend has ended the code. Each attempt mails the
 * same code under the same `Message-ID`. Idempotent.
 * @returns the status of the challenge, or `lost`
 * @throws PartyAway when the mail server cannot be reached; OutcomeUnknown when the mail may have been sent
 */
export function sendCode(
  services: CardServices,
  id: string,
  codeNumber: number,
): Promise<ChallengeStatus | typeof LOST> {
  return unlessLost(services.database, () => sendKnown(services, id, codeNumber));
}

async function sendKnown(services: CardServices, id: string, codeNumber: number): Promise<ChallengeStatus> {
  const { database, parties, now } = services;
  const challenge = await findChallenge(database, { id });
  if (!challenge) throw new RecordLost('challenge', id);
  const isPresent = challenge.codeNumber === codeNumber;
  if (!isPresent || statusAt(challenge, now()) !== 'sending') return closeOverdue(services, id);
  try {
    await parties.mail.send(await mailOf(services, challenge));
  } catch (error) {
    if (!(error instanceof PartyRefused)) throw error;
    return record(services, challenge, 'mail_refused');
  }
  return record(services, challenge, 'mailed');
}

/** Stores the end of a challenge that ran out of time. @returns its status */
export async function closeOverdue(
  { database, now }: Pick<CardServices, 'database' | 'now'>,
  id: string,
): Promise<ChallengeStatus> {
  return database.transaction(async (tx) => {
    const challenge = await lockChallenge(tx, { id });
    const at = now();
    const status = statusAt(challenge, at);
    if (status !== challenge.status) await updateChallenge(tx, id, { status }, at);
    return status;
  });
}

/** Records the outcome of a mail, unless a resend has replaced its code meanwhile. */
function record(
  { database, now }: Pick<CardServices, 'database' | 'now'>,
  { id, codeNumber }: Challenge,
  trigger: ChallengeTrigger,
): Promise<ChallengeStatus> {
  return database.transaction(async (tx) => {
    const challenge = await lockChallenge(tx, { id });
    const status = transition(challenge.status, trigger);
    if (!status || challenge.codeNumber !== codeNumber) return challenge.status;
    await updateChallenge(tx, id, { status }, now());
    return status;
  });
}

async function mailOf(services: CardServices, challenge: Challenge) {
  const { database, keyring } = services;
  const { tenantId, amount, currency, merchant } = challenge;
  const card = await requireCard(database, null, challenge.cardId);
  const cardholder = await requireCardholder(database, null, card.cardholderId);
  const tenant = await requireTenant(database, tenantId);
  const { name: sender } = tenant;
  const { language } = sectionOf(tenant, challengeSettingsSection);
  const rendered = renderCodeMail({
    language,
    sender,
    amount: amount.toFixed(),
    currency,
    merchant: merchant.name,
    last4: card.last4 ?? '',
    code: codeOf(keyring, challenge),
    minutes: CODE_MS / 60_000,
  });
  return {
    id: `${challenge.id}.${challenge.codeNumber}`,
    tenantId,
    senderName: sender,
    to: await emailOf(services, database, cardholder),
    ...rendered,
  };
}
