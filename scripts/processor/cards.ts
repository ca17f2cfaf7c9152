import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import type { Cardwright } from '../../client/src';
import { authorizationFor } from '../../src/parties/protocol/signature';

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
  client: Cardwright,
  admin: Cardwright,
  processor: Processor,
  count: number,
  mailbox = 'ada',
): Promise<PlayedCard[]> {
  const { data } = await client.listAccounts({ query: { ownerType: 'client', currency: 'USD' } });
  const accountId = data[0]?.id;
  if (!accountId) throw new Error('There is no USD account.');
  const amount = (FUNDED / 100).toFixed(2);
  const deposit = {
    accountId,
    amount: ((FUNDED / 100 + 2_000) * count).toFixed(2),
    reason: 'simulated network',
  };
  await admin.creditAccount({ body: deposit });
  const cards: PlayedCard[] = [];
  while (cards.length < count) {
    const { id: userId } = await client.createUser({ body: { meta: person(mailbox) } });
    const cardholder = await client.createCardholder({
      path: { id: userId },
      body: { accountId, bin: B2B_BIN },
    });
    const card = await client.issueCard({
      body: { userId, accountId, cardholderId: cardholder.id, label: 'Simulated network', amount },
      wait: 30,
    });
    if (card.status !== 'active') throw new Error(`The card ${card.id} is ${card.status}, not active.`);
    cards.push({ id: card.id, reference: await referenceOf(processor, card.id) });
  }
  return cards;
}

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
