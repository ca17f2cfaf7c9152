/** @long */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkTerms } from '../../../src/chain/networks/operations';
import { requireNetwork, saveNetwork } from '../../../src/chain/networks/operations';
import { openWorld, type World } from './support';

/** A known deposit is answered, whatever the chain now says of its transaction. */

let world: World;
beforeEach(async () => {
  world = await openWorld();
  await world.turn(); // begins at the head
});
afterEach(() => world.close());

const claim = (given: object, headers?: Record<string, string>, client = world.client) =>
  client.call('POST', '/v1/wallets/deposit', { chain: 'local', ...given }, headers);
const mine = (blocks: number) => world.chain.client.mine({ blocks });

async function change(terms: Partial<NetworkTerms>): Promise<void> {
  const { database, services } = world.api;
  const network = await requireNetwork(database, 'local');
  const given = { ...network, rpcUrls: [world.chain.url], ...terms };
  await database.transaction((tx) => saveNetwork(services, tx, 'local', given, network.version));
}

it('answers a deposit lost in a reorganisation, before and after it was final', async () => {
  const { chain, token } = world;
  const account = await world.account();
  const address = await world.wallet(account);
  const before = await chain.client.snapshot();
  const txHash = await chain.pay(token, address, 5_000_000n);
  const first = await claim({ address, txHash, logIndex: 0 });
  expect(first.body).toMatchObject({ status: 'confirming', logIndex: 0 });
  await chain.client.revert({ id: before });
  await mine(2);
  const { id } = first.body;
  for (const named of [{}, { logIndex: 0 }]) {
    const { status, body } = await claim({ address, txHash, ...named });
    expect([status, body]).toMatchObject([202, { id, status: 'confirming' }]);
  }
  expect((await claim({ address, txHash, logIndex: 1 })).body).toMatchObject({ field: 'txHash' });
  await world.looks();
  expect((await claim({ address, txHash })).body).toMatchObject({ id, status: 'confirming' });
});

it('answers a deposit that was taken back after its credit', async () => {
  const { chain, token } = world;
  const address = await world.wallet(await world.account());
  const before = await chain.client.snapshot();
  const txHash = await chain.pay(token, address, 5_000_000n);
  await mine(2);
  await world.read();
  const { body } = await claim({ address, txHash });
  expect(body).toMatchObject({ status: 'credited' });
  await chain.client.revert({ id: before });
  await mine(4);
  await world.read();
  await mine(8);
  await world.read();
  const { id } = body;
  for (const named of [{}, { logIndex: 0 }])
    expect((await claim({ address, txHash, ...named })).body).toMatchObject({
      id,
      status: 'uncredited',
      failure: 'reversed_on_chain',
    });
});

it('answers a known deposit while no node answers, and when the network no longer carries the asset', async () => {
  const { chain, token } = world;
  const address = await world.wallet(await world.account());
  const txHash = await chain.pay(token, address, 5_000_000n);
  const { id } = (await claim({ address, txHash })).body;
  await change({ rpcUrls: ['http://127.0.0.1:1'] });
  for (const named of [{}, { logIndex: 0 }])
    expect((await claim({ address, txHash, ...named })).body).toMatchObject({ id, status: 'confirming' });
  expect((await claim({ address, txHash: `0x${'1'.repeat(64)}` })).status).toBe(503);
  const { assets } = await requireNetwork(world.api.database, 'local');
  await change({ assets: assets.filter(({ contract }) => contract === null) });
  const answer = await claim({ address, txHash });
  expect([answer.status, answer.body]).toMatchObject([202, { id, status: 'confirming' }]);
  const stranger = await world.api.client();
  expect((await claim({ address, txHash }, {}, stranger)).status).toBe(404);
});

it('books further transfers of a known transaction, and answers the same deposit as before', async () => {
  const { api } = world;
  const address = await world.wallet(await world.account());
  const txHash = await world.payTwice(address);
  const { id } = (await claim({ address, txHash, logIndex: 1 })).body;
  // As if only the second transfer had been known.
  await api.database.query(`delete from transfers where kind = 'chain_deposit' and id <> $1`, [id]);
  expect((await claim({ address, txHash })).body).toMatchObject({ id, amount: '3.000000' });
  expect((await claim({ address, txHash, logIndex: 0 })).body).toMatchObject({ amount: '2.000000' });
  expect(await world.deposits()).toHaveLength(2);
});

it('sends the idempotency key of the recording call with every event of the deposit', async () => {
  const { chain, token, api } = world;
  const account = await world.account();
  const address = await world.wallet(account);
  const txHash = await world.payTwice(address);
  await claim({ address, txHash }, { 'x-idempotency-key': 'told-by-us' });
  await mine(2);
  await world.read();
  const found = await world.wallet(account);
  await chain.pay(token, found, 4_000_000n);
  await mine(2);
  await world.read();
  const events = await api.database.query<{ event: string; key: string | null; count: number }>(
    `select event, idempotency_key as key, count(*)::int as count from events group by 1, 2 order by 1, 2`,
  );
  expect(events).toEqual([
    { event: 'account_transaction', key: 'told-by-us', count: 2 },
    { event: 'account_transaction', key: null, count: 1 },
    { event: 'transfer.status_changed', key: 'told-by-us', count: 2 },
    { event: 'transfer.status_changed', key: null, count: 1 },
  ]);
});

it("waits for a deposit without an owner when the wallet's former tenant claims it", async () => {
  const { chain, token } = world;
  const address = await world.wallet(await world.account());
  await world.client.call('POST', '/v1/wallets/release', { chain: 'local', address });
  await chain.client.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(Date.now() / 1000) + 3_600) });
  const txHash = await chain.pay(token, address, 5_000_000n);
  await mine(2);
  const waiting = claim({ address, txHash }, { prefer: 'wait=20' });
  let ended = false;
  void waiting.finally(() => (ended = true));
  while (!ended) {
    await world.looks();
    await sleep(20);
  }
  const { headers, body } = await waiting;
  expect(headers.get('preference-applied')).toBe('wait=20');
  expect(body).toMatchObject({ status: 'uncredited', failure: 'not_allocated' });
});

it('shows a company no late payment to a released wallet, whatever it allocates later', async () => {
  const { chain, token, api, client } = world;
  const next = await api.client();
  const allocated = async (of: typeof next) => {
    const accountId = await world.account('USDT', of);
    const asked = { chain: 'local', asset: 'USDT', accountId, reference: 'payer' };
    return (await of.call('POST', '/v1/wallets/allocate', asked)).body.address as string;
  };
  const address = await allocated(client);
  await client.call('POST', '/v1/wallets/release', { chain: 'local', address });
  await api.database.query('update wallets set quarantined_until = now()');
  expect(await allocated(next)).not.toBe(address);
  await chain.client.setNextBlockTimestamp({ timestamp: BigInt(Math.ceil(Date.now() / 1_000) + 1) });
  const txHash = await chain.pay(token, address, 5_000_000n);
  const notTheirs = async () =>
    expect(await claim({ address, txHash }, {}, next)).toMatchObject({
      status: 404,
      body: { field: 'address' },
    });
  await notTheirs();
  expect(await world.deposits()).toEqual([]);
  const theirs = await claim({ address, txHash });
  expect([theirs.status, theirs.body.status]).toEqual([202, 'confirming']);
  await notTheirs();
});
