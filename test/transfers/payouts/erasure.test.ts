import { newDataKey } from '../../../src/kernel/security/data-keys';
import { advance } from '../../../src/transfers/engine/advance';
import { cardWithdrawalKind } from '../../../src/transfers/external-cards/kind';
import { payoutKind } from '../../../src/transfers/payouts/kind';
import { destinationOf } from '../../../src/transfers/payouts/reveal';
import { age, block, erase } from '../../people/users/erase';
import { type Client, type TestApi, testApi } from '../../support/api';
import { create, created, fundedAccount, IBAN, look, lookUntil, newKey, read, SEPA } from './support';

/** Destinations of a user's payouts, before and after the erasure of the user. */

let api: TestApi;
let client: Client;
let master: string;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  master = await fundedAccount(api, client, '100000.00');
});
afterAll(() => api.close());

async function payer(): Promise<{ userId: string; accountId: string }> {
  const userId = String((await client.call('POST', '/v1/users', {})).body.id);
  const opened = await client.call('POST', `/v1/users/${userId}/accounts`, { currency: 'EUR' });
  const accountId = String(opened.body.id);
  const transfer = { fromAccountId: master, toAccountId: accountId, amount: '1000.00' };
  expect((await client.call('POST', '/v1/users/transfer', transfer)).status).toBeLessThan(300);
  return { userId, accountId };
}

const list = async (accountId: string) =>
  (await client.call('GET', `/v2/accounts/${accountId}/payouts`)).body.data;

const MASKED = { name: 'A*** B***', iban: 'DE89****3000', bic: SEPA.bic };

it('opens the destination with the key of its user only', async () => {
  const { userId, accountId } = await payer();
  const id = await created(client, accountId);
  const opened = () => destinationOf(api.database, api.services.keyring, 'payouts', id);
  expect(await opened()).toEqual(SEPA);
  const ofTenant = await created(client, master);
  await api.database.query('update users set data_key = $2 where id = $1', [
    userId,
    newDataKey(api.services.keyring, userId),
  ]);
  await expect(opened()).rejects.toThrow();
  // The tenant's own destinations are under the installation's key.
  expect((await read(client, master, ofTenant)).destination).toEqual(MASKED);
});

it('erases no user while a payout of them may be ordered again', async () => {
  const { userId, accountId } = await payer();
  const id = await created(client, accountId);
  while ((await look(api, id)) === 'created');
  await api.database.query(`update transfers set ordered_at = now() where id = $1 and ordered_at is null`, [
    id,
  ]);
  await block(api, client, userId);
  await expect(erase(api, userId)).rejects.toThrow(`The user is not erased: payout ${id} is`);
  await lookUntil(api, id, 'completed');
  await erase(api, userId);
});

it('shows the payout of an erased user without its destination', async () => {
  const { userId, accountId } = await payer();
  const id = await created(client, accountId);
  await lookUntil(api, id, 'completed');
  const before = await read(client, accountId, id);
  expect(before.destination).toEqual(MASKED);
  await block(api, client, userId);
  await erase(api, userId);
  expect(await read(client, accountId, id)).toEqual({ ...before, destination: {} });
  expect(await list(accountId)).toEqual([{ ...before, destination: {} }]);
  const opening = destinationOf(api.database, api.services.keyring, 'payouts', id);
  await expect(opening).rejects.toThrow('The user was erased.');
  // A late word of the party needs no destination.
  expect((await advance(api.services, payoutKind, id)).status).toBe('completed');
});

it('repeats the answer of a payout byte for byte, and after an erasure without its destination', async () => {
  const { userId, accountId } = await payer();
  const key = newKey();
  const first = await create(client, accountId, {}, key);
  expect(first.body.destination).toEqual(MASKED);
  const body = { quoteId: first.body.quoteId, destination: SEPA };
  const repeat = () => client.call('POST', `/v2/accounts/${accountId}/payouts`, body, key);
  expect((await repeat()).text).toBe(first.text);
  await lookUntil(api, first.body.id, 'completed');
  await block(api, client, userId);
  await erase(api, userId);
  const again = await repeat();
  expect([again.status, again.headers.get('x-idempotent-replayed')]).toEqual([201, 'true']);
  expect(again.body).toEqual({ ...first.body, destination: {} });
});

it('keeps neither a destination nor its masked form in a readable row', async () => {
  const { accountId } = await payer();
  const id = await created(client, accountId);
  const tables = ['payouts', 'transfers', 'idempotency_keys', 'payout_destinations', 'events', 'quotes'];
  for (const table of tables) {
    const rows = await api.database.query<{ row: string }>(`select t::text as row from ${table} t`);
    const text = rows.map(({ row }) => row).join('\n');
    expect([table, text.includes(IBAN), text.includes(MASKED.iban)]).toEqual([table, false, false]);
  }
  expect((await read(client, accountId, id)).destination).toEqual(MASKED);
});

it('seals the card of a withdrawal under the key of its user', async () => {
  const { userId, accountId } = await payer();
  const asked = { amount: '10.00', paymentMethodToken: 'tok_visa' };
  const path = `/v2/accounts/${accountId}/withdraw/card`;
  const { body } = await client.call('POST', path, asked, newKey());
  await api.database.query('update users set data_key = $2 where id = $1', [
    userId,
    newDataKey(api.services.keyring, userId),
  ]);
  await expect(advance(api.services, cardWithdrawalKind, body.id)).rejects.toThrow();
  await age(api, userId, 6);
});
