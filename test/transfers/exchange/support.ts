import type { Database } from '../../../src/kernel/db/database';
import { advance, type Progress } from '../../../src/transfers/engine/advance';
import { exchangeKey, exchangeOrderKind } from '../../../src/transfers/exchange/orders/kind';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { type ExchangeDouble, exchangeDouble } from './double';

export interface World {
  api: TestApi;
  double: ExchangeDouble;
  client: Client;
  admin: Client;
  /** The ids of the client's own accounts. */
  eur: string;
  usd: string;
}

/** Opens the API with a client that has 1,000.00 EUR, and an exchange that the test controls. */
export async function world(wrap?: (database: Database) => Database): Promise<World> {
  const double = exchangeDouble();
  const api = await testApi({ parties: { exchange: double.port } }, wrap);
  const [client, admin] = [await api.client(), await api.client('admin')];
  const [eur, usd] = [await masterAccount(client, 'EUR'), await masterAccount(client, 'USD')];
  await fund(api, eur, '1000.00');
  return { api, double, client, admin, eur, usd };
}

/** Moves all clocks ahead. A reading includes everything that was sent more than five seconds before it. */
export function later({ api: { services }, double: { clock } }: World, seconds: number): void {
  const [ours, theirs] = [services.now, clock.now];
  services.now = () => new Date(ours().getTime() + seconds * 1_000);
  clock.now = () => theirs() + seconds * 1_000;
}

let keys = 0;
export const newKey = () => ({ 'x-idempotency-key': `exchange-${(keys += 1)}` });

/** The client, and its two accounts. */
type Pair = Pick<World, 'client' | 'eur' | 'usd'>;

export const ask = ({ client, eur, usd }: Pair, given: Record<string, unknown> = {}, headers = newKey()) =>
  client.call(
    'POST',
    '/v1/exchange/orders',
    { fromAccountId: eur, toAccountId: usd, amount: '100.00', ...given },
    headers,
  );

/** Creates an order, without a step of its workflow. */
export async function ordered(on: Pair, given: Record<string, unknown> = {}): Promise<string> {
  const answer = await ask(on, given);
  if (answer.status !== 201) throw new Error(`no order: ${answer.text}`);
  return answer.body.id as string;
}

/** Makes one step of the order's workflow. */
export const looked = ({ api: { services } }: World, id: string): Promise<Progress> =>
  advance(services, exchangeOrderKind, id);

export const read = async ({ client }: Pick<World, 'client'>, id: string) =>
  (await client.call('GET', `/v1/exchange/orders/${id}`)).body;

export const statusesOf = (on: Pick<World, 'client'>, ...ids: string[]): Promise<string[]> =>
  Promise.all(ids.map(async (id) => (await read(on, id)).status));

/** Creates an order that is filled and waits for its settlement. @param fills as `sold bought` */
export async function dealt(on: World, amount: string, ...fills: string[]): Promise<string> {
  const id = await ordered(on, { amount });
  await looked(on, id);
  on.double.say(exchangeKey(id), 'filled', ...fills);
  await looked(on, id);
  return id;
}

/** The balance of an account as `available pending`. */
export async function balance(client: Client, accountId: string): Promise<string> {
  const { body } = await client.call('GET', `/v2/accounts/${accountId}/balance`);
  return `${body.available} ${body.pending}`;
}

/** The balance of an internal account. */
export async function internal({ api }: World, account: string): Promise<number> {
  const [row] = await api.database.query<{ sum: string }>(
    'select coalesce(sum(available), 0) as sum from ledger_legs where account_id = $1',
    [account],
  );
  return Number(row?.sum);
}

/** An account's transactions as `type/subtype amount`, oldest first. */
export async function lines({ api }: World, accountId: string): Promise<string[]> {
  const rows = await api.database.query<{ name: string; amount: string }>(
    `select type || '/' || subtype as name, available::numeric(20, 2)::text as amount from ledger_legs
      where account_id = $1 and listed and type || '/' || subtype <> 'deposit/admin_deposit' order by number`,
    [accountId],
  );
  return rows.map(({ name, amount }) => `${name} ${amount}`);
}

export async function breaks({ api }: World, subject: string): Promise<string[]> {
  const rows = await api.database.query<{ kind: string; amount: string | null; currency: string | null }>(
    'select kind, amount, currency from breaks where subject = $1 and resolved_at is null order by kind, currency',
    [subject],
  );
  return rows.map(({ kind, amount, currency }) => [kind, amount, currency].filter(Boolean).join(' '));
}

/** Runs a check of the settlement as an admin. */
export const check = ({ admin }: World, currency = 'USD', headers: Record<string, string> = {}) =>
  admin.call('POST', '/v1/exchange/settlement/check-increase', { currency }, headers);
