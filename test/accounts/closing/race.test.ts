import { transfer } from '../../../src/accounts/accounts/internal-transfer';
import { findAccount } from '../../../src/accounts/accounts/store';
import type { Tx } from '../../../src/kernel/db/database';
import { Problem } from '../../../src/kernel/errors';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { closeAccount } from '../../../src/transfers/close-account';
import { accountBalance } from '../../cards/cards/support';
import { insertNetwork } from '../../chain/wallets/support';
import { type Answer, type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount, simulate } from '../../support/cards';
import { until } from '../../support/until';
import { closedCard, ownAccount } from './support';

/** Closing an account concurrently with calls that move its money or open something on it. */

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi(DECIDED_AT_ONCE);
  await insertNetwork(api.database, { chain: 'racing', chainId: 78 });
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

interface Rival {
  accountId: string;
  send(): Promise<Answer>;
  /** A closed account refuses the call; a message of a card network is never refused. */
  isRefused: boolean;
}

/** Rivals of a closing. Each prepares an account that could be closed, and the call that would come too late. */
const RIVALS: Record<string, () => Promise<Rival>> = {
  async 'a transfer to it'() {
    const { accountId, master } = await ownAccount(api, client);
    const asked = { fromAccountId: master, toAccountId: accountId, amount: '0.50' };
    return { accountId, isRefused: true, send: () => client.call('POST', '/v1/users/transfer', asked) };
  },
  async 'an operator’s credit'() {
    const { accountId } = await ownAccount(api, client);
    const admin = await api.client('admin');
    const asked = { accountId, amount: '5.00', reason: 'test' };
    const send = () => admin.call('POST', '/v1/accounts/admin-deposit', asked);
    return { accountId, isRefused: true, send };
  },
  async 'a deposit'() {
    const { accountId } = await ownAccount(api, client);
    const path = `/v2/accounts/${accountId}/deposit`;
    const { quoteId } = (await client.call('POST', `${path}-quote`, { method: 'card', amount: '5' })).body;
    const asked = { quoteId, returnUrl: 'https://shop.example/back' };
    const key = { 'x-idempotency-key': quoteId as string };
    return { accountId, isRefused: true, send: () => client.call('POST', `${path}s`, asked, key) };
  },
  async 'an order of the exchange that credits it'() {
    const { accountId } = await ownAccount(api, client);
    const fromAccountId = await masterAccount(client, 'EUR');
    await fund(api, fromAccountId, '20.00');
    const asked = { fromAccountId, toAccountId: accountId, amount: '10.00' };
    const key = { 'x-idempotency-key': accountId };
    return {
      accountId,
      isRefused: true,
      send: () => client.call('POST', '/v1/exchange/orders', asked, key),
    };
  },
  async 'a card'() {
    const { accountId, userId, cardholderId } = await ownAccount(api, client);
    const asked = { userId, accountId, cardholderId };
    const send = () => client.call('POST', '/v1/cards', asked);
    return { accountId, isRefused: true, send };
  },
  async 'a wallet'() {
    const { accountId } = await ownAccount(api, client);
    const asked = { chain: 'racing', asset: 'USDT', accountId, reference: accountId };
    return { accountId, isRefused: true, send: () => client.call('POST', '/v1/wallets/allocate', asked) };
  },
  async 'a refund to a closed card of it'() {
    const { cardId, referenceId, accountId } = await closedCard(api, client);
    const asked = { cardId, type: 'refund', referenceId, amount: '15.00' };
    return { accountId, isRefused: false, send: () => simulate(client, asked) };
  },
};

const statusOf = async (id: string) => (await findAccount(api.database, null, id))?.status;
const closed = (id: string) => api.database.transaction((tx) => closeAccount(tx, id, new Date()));

/** Waits until another connection waits for a lock. */
const isWaiting = async () =>
  (
    await api.database.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).length > 0;

/** Runs work in a transaction that ends on command. */
async function held(work: (tx: Tx) => Promise<unknown>) {
  let end = () => {};
  const may = new Promise<void>((resolve) => (end = resolve));
  let begun = () => {};
  const isDone = new Promise<void>((resolve) => (begun = resolve));
  const all = api.database.transaction(async (tx) => {
    await work(tx);
    begun();
    await may;
  });
  await Promise.race([isDone, all]);
  return async () => {
    end();
    await all;
  };
}

describe.each(Object.keys(RIVALS))('%s', (name) => {
  const rival = () => (RIVALS[name] as () => Promise<Rival>)();

  it('waits for a closing that began first, and finds the account closed', async () => {
    const { accountId, send, isRefused } = await rival();
    const end = await held((tx) => closeAccount(tx, accountId, new Date()));
    const sent = send();
    await until(isWaiting);
    await end();
    const answer = await sent;
    expect([answer.status, answer.body.code]).toEqual(isRefused ? [409, 'account_closed'] : [201, undefined]);
    expect([await statusOf(accountId), await accountBalance(client, accountId)]).toEqual([
      'closed',
      '0.00 0.00',
    ]);
  });

  it('leaves every account empty, with nothing open on it, after many races with a closing', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { accountId, send, isRefused } = await rival();
      const [answer, closing] = await Promise.all([
        send(),
        closed(accountId).catch((error: unknown) => error),
      ]);
      const status = await statusOf(accountId);
      if (closing instanceof Problem) {
        expect([closing.code, status]).toEqual(['invalid_transition', 'active']);
        expect(answer.status).toBeLessThan(300);
      } else {
        expect([status, await accountBalance(client, accountId)]).toEqual(['closed', '0.00 0.00']);
        expect(answer.body.code).toBe(isRefused ? 'account_closed' : undefined);
      }
    }
  });
});

it('waits for a transfer that began first, and then refuses because of its money', async () => {
  const { accountId, master } = await ownAccount(api, client);
  const asked = { fromAccountId: master, toAccountId: accountId, amount: new Decimal('0.50') };
  const end = await held((tx) => transfer(tx, null, asked, undefined));
  const closing = closed(accountId).catch((error: unknown) => error);
  await until(isWaiting);
  await end();
  expect(await closing).toMatchObject({ code: 'invalid_transition' });
  expect([await statusOf(accountId), await accountBalance(client, accountId)]).toEqual([
    'active',
    '0.50 0.00',
  ]);
});

it('closes once when ten closings arrive together', async () => {
  const { accountId } = await ownAccount(api, client);
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => closed(accountId)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const each of all)
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'account_closed' });
});
