import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { authorizationFor } from '../../src/parties/protocol/signature';
import type { Call, Json } from '../support/api';

const B2B_BIN = '44112200';

export interface PlayedCard {
  id: string;
  /** The processor's name of the card. */
  reference: string;
}

/** Money on each card, in minor units. */
export const FUNDED = 500_000;

/** Address of the card processor, which knows its own names of the cards. */
export interface Processor {
  url: string;
  secret: Buffer;
}

/** Issues cards, each for a new user and with {@link FUNDED}. @param mailbox local part of their e-mail addresses */
export async function issueCards(
  client: Call,
  admin: Call,
  processor: Processor,
  count: number,
  mailbox = 'ada',
): Promise<PlayedCard[]> {
  const accounts = (await client('GET', '/v1/accounts?ownerType=client&limit=100'))['data'] as Record<
    string,
    string
  >[];
  const accountId = accounts.find(({ currency }) => currency === 'USD')?.['id'];
  if (!accountId) throw new Error('There is no USD account.');
  const amount = (FUNDED / 100).toFixed(2);
  const deposit = {
    accountId,
    amount: ((FUNDED / 100 + 2_000) * count).toFixed(2),
    reason: 'simulated network',
  };
  await admin('POST', '/v1/accounts/admin-deposit', deposit);
  const cards: PlayedCard[] = [];
  while (cards.length < count) {
    const userId = idOf(await client('POST', '/v1/users', { meta: person(mailbox) }));
    const cardholder = await client('POST', `/v1/users/${userId}/cardholder`, { accountId, bin: B2B_BIN });
    const body = { userId, accountId, cardholderId: idOf(cardholder), label: 'Simulated network', amount };
    const headers = { 'x-idempotency-key': randomUUID(), prefer: 'wait=30' };
    const card = await client('POST', '/v1/cards', body, headers);
    if (card['status'] !== 'active')
      throw new Error(`The card ${idOf(card)} is ${card['status']}, not active.`);
    cards.push({ id: idOf(card), reference: await referenceOf(processor, idOf(card)) });
  }
  return cards;
}

const idOf = (record: Json): string => record['id'] as string;

const person = (mailbox: string) => ({
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: `${mailbox}@${randomUUID().slice(0, 8)}.example.com`,
});

/** The processor's name of a card. */
export async function referenceOf({ url, secret }: Processor, cardId: string): Promise<string> {
  const { statusCode, body } = await request(`${url}/cards/issue-${cardId}`, {
    headers: { authorization: authorizationFor(secret), accept: 'application/json' },
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`The card processor answered ${statusCode} for ${cardId}: ${text}`);
  return (JSON.parse(text) as { reference: string }).reference;
}
