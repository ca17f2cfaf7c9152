import type { Client, TestApi } from '../../support/api';
import { cardholder, fund, PROCESSOR, simulate, tell } from '../../support/cards';

export async function userAccount(client: Client, currency = 'USD') {
  const userId = (await client.call('POST', '/v1/users', {})).body.id as string;
  const opened = await client.call('POST', `/v1/users/${userId}/accounts`, { currency });
  return { userId, accountId: opened.body.id as string };
}

/** An account of a user, and the master account that pays the fees of settlements. */
export async function ownAccount(api: TestApi, client: Client) {
  const { userId, cardholderId, accountId: master } = await cardholder(client);
  const opened = await client.call('POST', `/v1/users/${userId}/accounts`, { currency: 'USD' });
  await fund(api, master, '1.00');
  return { userId, cardholderId, accountId: opened.body.id as string, master };
}

/** A card with 100.00 on a user's own account. */
export async function ownCard(api: TestApi, client: Client) {
  const { userId, cardholderId, accountId, master } = await ownAccount(api, client);
  await fund(api, accountId, '101.00');
  const asked = { userId, accountId, cardholderId, amount: '100.00' };
  const { body: card } = await client.call('POST', '/v1/cards', asked);
  await tell(api, { type: 'issue', cardId: card.id, reach: null, processor: PROCESSOR });
  return { cardId: card.id as string, userId, accountId, master };
}

/** The same card after spending and closing, with nothing on its account. */
export async function closedCard(api: TestApi, client: Client) {
  const card = await ownCard(api, client);
  const paid = await simulate(client, { cardId: card.cardId, type: 'authorization', amount: '40.00' });
  const referenceId = paid.body.referenceId as string;
  await simulate(client, { cardId: card.cardId, type: 'settle', referenceId, final: true });
  await client.call('DELETE', `/v1/cards/${card.cardId}`);
  await emptied(client, card.accountId, card.master);
  return { ...card, referenceId };
}

/** Moves the whole balance of an account to another. */
export async function emptied(client: Client, accountId: string, into: string): Promise<void> {
  const { body } = await client.call('GET', `/v2/accounts/${accountId}/balance`);
  const asked = { fromAccountId: accountId, toAccountId: into, amount: body.available };
  if (body.available !== '0.00') await client.call('POST', '/v1/users/transfer', asked);
}
