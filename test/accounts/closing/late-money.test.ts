import { checkLedger } from '../../../src/kernel/ledger/check';
import { checkRunningSums } from '../../../src/transfers/check';
import { closeAccount } from '../../../src/transfers/close-account';
import { resolveSuspense, suspenseOf } from '../../../src/transfers/suspense';
import { accountBalance } from '../../cards/cards/support';
import type { TestApi } from '../../support/api';
import { openWorld } from '../../transfers/chain-deposits/support';
import { completed, depositWorld, look, lookTwice } from '../../transfers/deposits/support';
import { emptied, userAccount } from './support';

/** Reports of a party that arrive after an account was closed. */

const closed = (api: TestApi, id: string) =>
  api.database.transaction((tx) => closeAccount(tx, id, new Date()));
const inSuspense = async (api: TestApi, id: string) =>
  (await suspenseOf(api.database, id)).map(({ amount, currency }) => `${amount.toFixed(2)} ${currency}`);
const allHolds = async (api: TestApi) => [
  ...(await checkLedger(api.database)),
  ...(await checkRunningSums(api.database)),
];

describe('a deposit', () => {
  it('that is disputed afterwards: the closed account pays, and gets its money back when the dispute is won', async () => {
    const world = await depositWorld();
    const { api, client } = world;
    const deposit = await completed(world);
    const { accountId } = await userAccount(client);
    await emptied(client, deposit.accountId, accountId);
    await closed(api, deposit.accountId);
    deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'open' });
    await look(world, deposit.id);
    expect(await accountBalance(client, deposit.accountId)).toBe('-96.80 0.00');
    for (const dispute of deposit.session.disputes) dispute.status = 'won';
    await lookTwice(world, deposit.id);
    expect([await accountBalance(client, deposit.accountId), await inSuspense(api, deposit.id)]).toEqual([
      '0.00 0.00',
      [],
    ]);
    expect(await allHolds(api)).toEqual([]);
    await world.close();
  });

  it('that was disputed before: money won after the closing goes to suspense and is paid out elsewhere', async () => {
    const world = await depositWorld();
    const { api, client } = world;
    const deposit = await completed(world);
    const { accountId: other } = await userAccount(client);
    deposit.session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'open' });
    await look(world, deposit.id);
    await closed(api, deposit.accountId);
    for (const dispute of deposit.session.disputes) dispute.status = 'won';
    await lookTwice(world, deposit.id);
    const now = async () => [
      await accountBalance(client, deposit.accountId),
      await inSuspense(api, deposit.id),
      await accountBalance(client, other),
    ];
    expect(await now()).toEqual(['0.00 0.00', ['96.80 USD'], '0.00 0.00']);
    const through = (accountId: string) =>
      api.database.transaction((tx) =>
        resolveSuspense(api.services, tx, {
          transferId: deposit.id,
          resolution: 'credit',
          accountId,
          reason: 'theirs',
          decidedBy: 'operator:ida',
        }),
      );
    await expect(through(deposit.accountId)).rejects.toMatchObject({ code: 'account_closed' });
    await through(other);
    expect(await now()).toEqual(['0.00 0.00', [], '96.80 0.00']);
    expect(await allHolds(api)).toEqual([]);
    await world.close();
  });
});

it('keeps a chain payment that is found after the closing uncredited, in suspense', async () => {
  const world = await openWorld();
  const { api, client } = world;
  const account = await world.account();
  const address = await world.wallet(account);
  await world.read();
  await world.payTwice(address);
  await world.chain.client.mine({ blocks: 5 });
  await client.call('POST', '/v1/wallets/release', { chain: 'local', address });
  await closed(api, account);
  await world.read();
  const found = await world.deposits();
  expect(found.map(({ status, failure }) => [status, failure])).toEqual([
    ['uncredited', 'account_closed'],
    ['uncredited', 'account_closed'],
  ]);
  expect([await world.available(account), await world.booked('suspense:USDT')]).toEqual(['0', '5']);
  expect(await allHolds(api)).toEqual([]);
  await world.close();
});
