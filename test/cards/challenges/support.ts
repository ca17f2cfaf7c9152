import { findChallenge } from '../../../src/cards/challenges/operations';
import { sendCode } from '../../../src/cards/challenges/send';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';
import { partySecret } from '../../../src/parties/sandbox/mount';
import type { Answer, Client, TestApi } from '../../support/api';
import { type NetworkCard, nextName, send as sendAt } from '../processor/support';

export const MERCHANT = { id: 'merchant-1', name: 'Bookshop', country: 'AT' };

/** Sends a message as the card processor does, signed with the product's clock. */
export const send = (
  api: TestApi,
  message: Record<string, unknown>,
  options: Parameters<typeof sendAt>[2] = {},
): Promise<Answer> => sendAt(api, message, { at: api.services.now(), ...options });

/** A message that opens a challenge of 60.00 USD, which ends ten minutes from now. */
export function challengeOf(
  card: Pick<NetworkCard, 'reference'>,
  given: Record<string, unknown> = {},
): Record<string, unknown> & { challengeId: string } {
  return {
    messageId: nextName('cm'),
    type: 'challenge',
    challengeId: nextName('acs'),
    cardReference: card.reference,
    amount: '60.00',
    currency: 'USD',
    merchant: MERCHANT,
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
    ...given,
  };
}

/** Sends a message about a challenge that must be answered with 200. */
export async function tellChallenge(
  api: TestApi,
  type: 'verify' | 'resend' | 'cancel',
  challengeId: string,
  given: Record<string, unknown> = {},
) {
  const message = { messageId: nextName('cm'), type: `challenge.${type}`, challengeId, ...given };
  const answer = await send(api, message);
  if (answer.status !== 200) throw new Error(`${type}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Opens a challenge and sends its code, as its workflow does. */
export async function sentChallenge(
  api: TestApi,
  card: NetworkCard,
  given: Record<string, unknown> = {},
): Promise<string> {
  const message = challengeOf(card, given);
  const answer = await send(api, message);
  if (answer.body.accepted !== true) throw new Error(`not accepted: ${answer.text}`);
  await sendPresentCode(api, message.challengeId);
  return message.challengeId;
}

/** Opens a challenge and types its code. */
export async function approvedChallenge(
  api: TestApi,
  client: Client,
  card: NetworkCard,
  given: Record<string, unknown> = {},
): Promise<string> {
  const challengeId = await sentChallenge(api, card, given);
  const answer = await tellChallenge(api, 'verify', challengeId, { code: await newestCode(client) });
  if (answer.result !== 'approved') throw new Error(`not approved: ${JSON.stringify(answer)}`);
  return challengeId;
}

export async function sendPresentCode(api: TestApi, challengeId: string): Promise<string> {
  const challenge = await findChallenge(api.services.database, { challengeId });
  if (!challenge) throw new Error(`no challenge ${challengeId}`);
  return sendCode(api.services, challenge.id, challenge.codeNumber);
}

/** The mails to the client's cardholders, newest first. */
export const mailsOf = async (client: Client) => (await client.call('GET', '/sandbox/mailbox')).body.mails;

/** The code in the newest mail. */
export async function newestCode(client: Client): Promise<string> {
  const [mail] = await mailsOf(client);
  const code = /^\d{6}$/m.exec(mail?.text ?? '')?.[0];
  if (!code) throw new Error('there is no mail with a code');
  return code;
}

/** Another code of six digits. */
export const wrongCode = (right: string, by = 1): string =>
  String((Number(right) + by) % 1_000_000).padStart(6, '0');

/** Reads the state of a challenge as the card processor does. */
export function readChallenge(
  api: TestApi,
  challengeId: string,
  { secret = partySecret(api.services.keyring, 'card-processor'), at = api.services.now() } = {},
): Promise<Answer> {
  const path = `/processor/v1/challenges/${challengeId}`;
  return api.call('GET', path, undefined, {
    [SIGNATURE_HEADER]: signMessage(Buffer.from(path), secret, at),
  });
}
