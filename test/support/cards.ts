import { recordCardEvent } from '../../src/cards/events/operations';
import type { Message } from '../../src/cards/events/record';
import { newId } from '../../src/kernel/ids';
import { Decimal } from '../../src/kernel/money/money';
import { keepCountingRates } from '../../src/process/limits/rates';
import type { Client, TestApi } from './api';

export interface TestCard {
  id: string;
  userId: string;
  accountId: string;
  cardholderId: string;
  bin: string;
  currency: string;
}

export const DEMO_BIN = '44112200';

/** Returns the tenant's master account of a currency. */
export async function masterAccount(client: Client, currency = 'USD'): Promise<string> {
  const accounts = await client.call('GET', '/v1/accounts?ownerType=client&limit=100');
  return accounts.body.data.find((account: { currency: string }) => account.currency === currency).id;
}

/**
 * Credits an account as an operator does. Limits need fresh rates, so a test that has moved its clock gets new ones.
 */
export async function fund(api: TestApi, accountId: string, amount: string): Promise<void> {
  await api.services.parties.rates.ready();
  const admin = await api.client('admin');
  const answer = await admin.call('POST', '/v1/accounts/admin-deposit', {
    accountId,
    amount,
    reason: 'test',
  });
  if (answer.status !== 201) throw new Error(`not funded: ${answer.text}`);
}

/** Stores rates for limits, for an installation without a rates party. */
export const keepRates = (api: TestApi): Promise<void> =>
  keepCountingRates(api.database, {
    asOf: api.services.now(),
    freshUntil: null,
    mids: new Map([
      ['USD', new Decimal(1)],
      ['EUR', new Decimal('1.1')],
    ]),
  });

/** Creates a user with an approved B2B cardholder on the demo BIN, on the tenant's master account. */
export async function cardholder(client: Client, bin = DEMO_BIN, currency = 'USD') {
  const email = `${newId('user')}@example.com`;
  const user = await client.call('POST', '/v1/users', {
    meta: { firstName: 'Ada', lastName: 'Byron', email },
  });
  const accountId = await masterAccount(client, currency);
  const made = await client.call('POST', `/v1/users/${user.body.id}/cardholder`, { accountId, bin });
  if (made.status !== 201) throw new Error(`no cardholder: ${made.text}`);
  return { userId: user.body.id as string, accountId, cardholderId: made.body.id as string, bin, currency };
}

/**
 * Creates an active card with this amount, by a request to the API and the steps of its workflow. Funds the master
 * account with the cost of the card.
 */
export async function activeCard(
  api: TestApi,
  client: Client,
  amount = '100.00',
  bin = DEMO_BIN,
  currency = 'USD',
): Promise<TestCard> {
  const holder = await cardholder(client, bin, currency);
  await fund(api, holder.accountId, new Decimal(amount).plus(1).toFixed(2));
  const { userId, accountId, cardholderId } = holder;
  const asked = await client.call('POST', '/v1/cards', { userId, accountId, cardholderId, amount });
  if (asked.status !== 201) throw new Error(`no card: ${asked.text}`);
  await tell(api, { type: 'issue', cardId: asked.body.id, reach: null, processor: PROCESSOR });
  return { id: asked.body.id, ...holder };
}

export const PROCESSOR = { reference: 'test', last4: '4242', expiryMonth: 12, expiryYear: 2031 };

/** Records a message about a card in its own transaction. */
export function tell(api: TestApi, message: Message) {
  return api.database.transaction((tx) => recordCardEvent(tx, api.services, message));
}

/** Sends a simulated processor message through the API. */
export function simulate(
  client: Client,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  return client.call('POST', '/sandbox/transactions', body, headers);
}

/** Returns `available pending spent` of a card from the API. */
export async function cardBalance(client: Client, cardId: string): Promise<string> {
  const { balance } = (await client.call('GET', `/v1/cards/${cardId}`)).body;
  return `${balance.available} ${balance.pending} ${balance.spent}`;
}
