/** @long repeats races. */
import { checkLedger } from '../../../../src/kernel/ledger/check';
import { disableDestination } from '../../../../src/transfers/exchange/withdrawals/disable-destination';
import { accountBalance } from '../../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { fund } from '../../../support/cards';
import { countConflicts } from '../../../support/conflicts';
import { fundedAccount } from '../../payouts/support';
import { destinationOf, exchangeDouble, look, OPERATOR, read, withdraw } from './support';

const { conflicts, counting } = countConflicts();
let api: TestApi;
let client: Client;
let accounts: string[];
beforeAll(async () => {
  api = await testApi({}, counting);
  exchangeDouble(api);
  client = await api.client();
  const { id: userId } = (await client.call('POST', '/v1/users', {})).body;
  const own = (await client.call('POST', `/v1/users/${userId}/accounts`, { currency: 'EUR' })).body.id;
  await fund(api, own, '5000.00');
  accounts = [await fundedAccount(api, client), own];
});
afterAll(() => api.close());

/** Creates withdrawals from both accounts in turn. */
const make = async (destinationId: string, count: number) => {
  const asked = (each: number) => ({ accountId: accounts[each % 2], destinationId, amount: '1.00' });
  return Promise.all(Array.from({ length: count }, (_, each) => withdraw(client, asked(each))));
};

const disabled = (id: string) =>
  api.services.database.transaction((tx) => disableDestination(api.services, tx, { id, by: OPERATOR }));

it('a destination is disabled during twenty creations and twenty steps without a deadlock', async () => {
  const made: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const destinationId = await destinationOf(api, client);
    const before = (await make(destinationId, 20)).map(({ body }) => body.id as string);
    const [answers, changed] = await Promise.all([
      make(destinationId, 20),
      disabled(destinationId),
      ...before.toReversed().map((id) => look(api, id)),
    ]);
    const added = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as string);
    expect(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code)).toEqual(
      Array.from({ length: 20 - added.length }, () => 'invalid_transition'),
    );
    for (const id of [...before, ...added])
      expect((await read(client, id)).status).toBe(
        changed.cancelled.includes(id) ? 'cancelled' : 'processing',
      );
    made.push(...[...before, ...added].filter((id) => !changed.cancelled.includes(id)));
  }
  // The test counts retried deadlocks itself, because the statistics of Postgres lag by a second and more.
  expect(conflicts()).toBe(0);
  const pending = await Promise.all(
    accounts.map(async (id) => (await accountBalance(client, id)).split(' ')[1]),
  );
  expect(pending.reduce((sum, amount) => sum + Number(amount), 0)).toBe(made.length);
  expect(await checkLedger(api.database)).toEqual([]);
});
