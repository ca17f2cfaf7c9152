import { orderCard } from '../../../src/cards/orders/issuance';
import type { Client, TestApi } from '../../support/api';
import { cardholder, DEMO_BIN, fund } from '../../support/cards';

/** Requests a card through the API without running its workflow. The account covers amount and fee. */
export async function requestedCard(
  api: TestApi,
  client: Client,
  given: { amount?: string; label?: string } = {},
  bin = DEMO_BIN,
  currency = 'USD',
): Promise<{ id: string; userId: string; accountId: string; cardholderId: string }> {
  const { userId, accountId, cardholderId } = await cardholder(client, bin, currency);
  await fund(api, accountId, '200.00');
  const asked = await client.call('POST', '/v1/cards', { userId, accountId, cardholderId, ...given });
  if (asked.status !== 201) throw new Error(`no card: ${asked.text}`);
  return { id: asked.body.id as string, userId, accountId, cardholderId };
}

/** Requests a card and issues it by the sandbox's processor, which decides at once. */
export async function issuedCard(
  api: TestApi,
  client: Client,
  given: { amount?: string; label?: string } = {},
) {
  const card = await requestedCard(api, client, given);
  const progress = await orderCard(api.services, card.id);
  if (progress !== 'active') throw new Error(`the card is ${progress}`);
  return card;
}

/** `available pending` of an account in the API. */
export async function accountBalance(client: Client, accountId: string): Promise<string> {
  const { body } = await client.call('GET', `/v2/accounts/${accountId}/balance`);
  return `${body.available} ${body.pending}`;
}

type Processor = TestApi['services']['parties']['cardProcessor'];

/** Replaces some answers of the card processor while the work runs. */
export async function whileProcessor<T>(
  api: TestApi,
  other: Partial<Processor>,
  work: () => Promise<T>,
): Promise<T> {
  const own = api.services.parties.cardProcessor;
  api.services.parties.cardProcessor = { ...own, ...other };
  try {
    return await work();
  } finally {
    api.services.parties.cardProcessor = own;
  }
}
