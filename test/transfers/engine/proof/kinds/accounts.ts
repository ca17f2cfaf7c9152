import { correct } from '../../../../../src/accounts/accounts/admin';
import { newId } from '../../../../../src/kernel/ids';
import { Decimal } from '../../../../../src/kernel/money/money';
import type { Answer, Client, TestApi } from '../../../../support/api';
import { masterAccount } from '../../../../support/cards';
import { close } from '../acts';
import { oneOf } from '../random';

const FUNDS = new Decimal(1_000_000_000);

/** Funds an account as an operator does. */
const fund = (api: TestApi, accountId: string, amount: Decimal) =>
  api.database.transaction((tx) =>
    correct(tx, null, 'deposit/admin_deposit', { accountId, amount }, undefined),
  );

/** Funds the client's own accounts, so that they never run dry. */
export const provide = (api: TestApi, client: Client): Promise<void> =>
  provideIn(api, client, ['USD', 'EUR']);

/** @param currencies of the accounts */
export async function provideIn(api: TestApi, client: Client, currencies: readonly string[]): Promise<void> {
  for (const currency of currencies) await fund(api, await masterAccount(client, currency), FUNDS);
}

/**
 * Creates a transfer of the client's own account, which never runs dry, or of a user's account with money for one
 * transfer. The user's account may be closed, and may fall below zero by late words.
 * @param make creates the transfer and returns the answer of the API
 */
export async function onSomeAccount(
  api: TestApi,
  client: Client,
  { currency, amount }: { currency: string; amount: number },
  random: () => number,
  make: (accountId: string) => Promise<Answer>,
): Promise<string> {
  const own = await masterAccount(client, currency);
  if (random() < 0.4) return idOf(await make(own));
  const known = await usersAccounts(api, client, currency);
  const accountId =
    known.length > 0 && random() < 0.6
      ? oneOf(random, known)
      : await usersAccount(api, client, currency, amount);
  const answer = await make(accountId);
  return idOf(answer.status === 409 ? await make(own) : answer);
}

function idOf({ status, body, text }: Answer): string {
  if (status >= 300) throw new Error(text);
  return body.id;
}

async function usersAccounts(
  { database }: TestApi,
  { clientId }: Client,
  currency: string,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select id from accounts where tenant_id = $1 and currency = $2 and owner_type = 'user' order by id`,
    [clientId, currency],
  );
  return rows.map(({ id }) => id);
}

async function usersAccount(api: TestApi, client: Client, currency: string, amount: number): Promise<string> {
  const meta = { firstName: 'Ada', lastName: 'Byron', email: `${newId('user')}@example.com` };
  const user = await client.call('POST', '/v1/users', { meta });
  const id = idOf(await client.call('POST', `/v1/users/${user.body.id}/accounts`, { currency }));
  await fund(api, id, new Decimal(amount));
  return id;
}

/** Sometimes closes a user's account before the first step. */
export async function sometimesClosed(api: TestApi, transferId: string, random: () => number): Promise<void> {
  if (random() < 0.2) await close(api.database, transferId);
}
