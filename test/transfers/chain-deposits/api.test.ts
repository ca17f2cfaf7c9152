import { requireNetwork, saveNetwork } from '../../../src/chain/networks/operations';
import { revertedHash, transfer } from '../../chain/gas-station/operations/by-person/decisions';
import { sendAs } from '../../chain/gas-station/operations/support';
import { openWorld, type World } from './support';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const claim = (given: object, client = world.client) =>
  client.call('POST', '/v1/wallets/deposit', { chain: 'local', ...given });

it('credits a final deposit, and answers its state for every repeat', async () => {
  const { chain, token } = world;
  const account = await world.account();
  const address = await world.wallet(account);
  const txHash = await chain.pay(token, address, 25_000_000n);
  const first = await claim({ address, txHash });
  expect([first.status, first.body]).toMatchObject([
    202,
    { status: 'confirming', asset: 'USDT', amount: '25.000000', confirmations: 3, accountId: account },
  ]);
  await world.looks();
  expect(
    (await claim({ address: address.toLowerCase(), txHash: txHash.toUpperCase().replace('0X', '0x') })).body,
  ).toMatchObject({
    id: first.body.id,
    status: 'confirming',
    logIndex: 0,
  });
  await chain.client.mine({ blocks: 2 });
  await world.looks();
  expect((await claim({ address, txHash })).body).toMatchObject({
    id: first.body.id,
    status: 'credited',
    creditedAmount: '25.000000',
    creditedCurrency: 'USDT',
  });
  expect(await world.available(account)).toBe('25');
  expect(await world.booked('pool@local:USDT')).toBe('-25');
});

it('refuses claims that the chain does not confirm, and changes nothing', async () => {
  const { chain, token, api } = world;
  const account = await world.account();
  const [address, other] = [await world.wallet(account), await world.wallet(account)];
  const stranger = await api.client();
  const txHash = await chain.pay(token, address, 1_000_000n);
  const before = (await world.deposits()).length;
  const refused: [object, number, string, typeof stranger?][] = [
    [{ address, txHash: `0x${'1'.repeat(64)}` }, 400, 'txHash'],
    [{ address, txHash: '0x12' }, 400, 'txHash'],
    [{ address, txHash: txHash.slice(2) }, 400, 'txHash'], // as other chains write it
    [{ address: other, txHash }, 400, 'txHash'],
    [{ address, txHash, logIndex: 9 }, 400, 'logIndex'],
    [{ address: chain.payer, txHash }, 404, 'address'],
    [{ address: 'nothing', txHash }, 404, 'address'],
    [{ address, txHash, chain: 'mars' }, 404, 'chain'],
    [{ address, txHash, chain: 'm\u0000' }, 404, 'chain'],
    [{ address: 'a'.repeat(150), txHash }, 404, 'address'],
    [{ address, txHash }, 404, 'address', stranger],
  ];
  for (const [given, status, field, client] of refused)
    expect([given, (await claim(given, client)).status, (await claim(given, client)).body.field]).toEqual([
      ...[given, status, field],
    ]);
  expect(await world.deposits()).toHaveLength(before);
});

it('refuses reverted and pending transactions, and changes nothing', async () => {
  const { chain, token } = world;
  const address = await world.wallet(await world.account());
  const before = (await world.deposits()).length;
  const data = transfer(address, 10n ** 30n); // more than the sender has
  const reverted = await sendAs(chain, chain.payer, { to: token, data }).catch(() => revertedHash(chain));
  await chain.client.setAutomine(false);
  const pending = await chain.write(token, 'TestUsdt', 'transfer', [address, 4_000_000n]);
  const answers = [await claim({ address, txHash: reverted }), await claim({ address, txHash: pending })];
  await chain.client.setAutomine(true);
  await chain.client.mine({ blocks: 1 });
  expect(answers.map(({ status, body: { code, field, message } }) => [status, code, field, message])).toEqual(
    ['was reverted', 'not in a block yet'].map((why) => [
      ...[400, 'invalid_request', 'txHash', expect.stringContaining(why)],
    ]),
  );
  expect(await world.deposits()).toHaveLength(before);
  expect(await claim({ address, txHash: pending })).toMatchObject({
    status: 202,
    body: { status: 'confirming', amount: '4.000000' },
  });
  await chain.client.mine({ blocks: 2 });
  await world.looks();
});

it('appears in the mixed history of its account with its status and its booking', async () => {
  const { chain, token, client } = world;
  const account = await world.account();
  const address = await world.wallet(account);
  const { id } = (await claim({ address, txHash: await chain.pay(token, address, 6_000_000n) })).body;
  const items = async () => {
    const { status, body } = await client.call('GET', `/v2/accounts/${account}/transactions?limit=3`);
    expect(status).toBe(200);
    return body.data;
  };
  const confirming = { kind: 'chain_deposit', recordId: id, status: 'confirming' };
  const [begun] = await items();
  expect(begun).toMatchObject(confirming);
  expect(begun).not.toHaveProperty('previousStatus');
  await chain.client.mine({ blocks: 2 });
  await world.looks();
  const history = await items();
  expect(history).toMatchObject([
    { kind: 'chain_deposit', recordId: id, status: 'credited', previousStatus: 'confirming' },
    { kind: 'account_transaction', type: 'deposit', subtype: 'crypto', amount: '6.000000' },
    confirming,
  ]);
  expect(new Set(history.map(({ referenceId }: { referenceId: string }) => referenceId)).size).toBe(1);
  const { body } = await client.call(
    'GET',
    `/v2/accounts/${account}/transactions?kind=chain_deposit&limit=1`,
  );
  expect(body.data).toEqual([history[0]]);
});

it('credits exactly the minimum, and withholds one unit less and payments to unallocated wallets', async () => {
  const { chain, token } = world;
  const account = await world.account();
  const [small, enough] = [await world.wallet(account), await world.wallet(account)];
  const nobodys = await world.wallet();
  const before = Number(await world.available(account));
  const admin = await world.api.client('admin');
  for (const [address, units] of [
    [small, 999_999n],
    [enough, 1_000_000n],
    [nobodys, 7_000_000n],
  ] as const)
    await claim({ address, txHash: await chain.pay(token, address, units) }, admin);
  await world.looks();
  await chain.client.mine({ blocks: 2 });
  await world.read();
  // The first reading begins at the head, and still tells deposits decided below it.
  const after = (await world.deposits()).filter(({ terms }) =>
    [small, enough, nobodys].includes(String(terms['address'])),
  );
  expect(after.map(({ status, failure }) => `${status} ${failure}`)).toEqual([
    'uncredited below_minimum',
    'credited null',
    'uncredited not_allocated',
  ]);
  expect(Number(await world.available(account))).toBe(before + 1);
  expect(await world.booked('suspense:USDT')).toBe('7.999999');
});

it('exchanges at the bid when the account has another currency', async () => {
  const { chain, token, api } = world;
  const account = await world.account('EUR');
  const address = await world.wallet(account);
  const txHash = await chain.pay(token, address, 10_000_000n);
  await chain.client.mine({ blocks: 2 });
  await claim({ address, txHash });
  await world.looks();
  const { body } = await claim({ address, txHash });
  const { bid } = api.services.parties.rates.rate('USDT', 'EUR');
  expect(body).toMatchObject({ status: 'credited', creditedCurrency: 'EUR', rate: bid.toFixed() });
  expect(body.creditedAmount).toBe(bid.times(10).toFixed(2, 1));
  expect(await world.available(account)).toBe('9.25');
});

it("accepts the native coin, and rounds 18 decimals down to the ledger's", async () => {
  const { chain } = world;
  const account = await world.account('ETH');
  const address = await world.wallet(account);
  const txHash = await chain.pay(null, address, 1_500_000_000_000_000_001n);
  await chain.client.mine({ blocks: 2 });
  await claim({ address, txHash });
  await world.looks();
  expect((await claim({ address, txHash })).body).toMatchObject({
    status: 'credited',
    amount: '1.500000000000000001',
  });
});

it('answers 503 and records nothing while no node answers, except for a repeated key', async () => {
  const { database, services } = world.api;
  const address = await world.wallet(await world.account());
  const txHash = await world.chain.pay(world.token, address, 3_000_000n);
  const keyed = () =>
    world.client.call(...(['POST', '/v1/wallets/deposit', { chain: 'local', address, txHash }] as const), {
      'x-idempotency-key': 'claimed-once',
    });
  const first = await keyed();
  expect(first.status).toBe(202);
  const network = await requireNetwork(database, 'local');
  const away = { ...network, rpcUrls: ['http://127.0.0.1:1'] };
  await database.transaction((tx) => saveNetwork(services, tx, 'local', away, network.version));
  expect((await claim({ address, txHash: `0x${'2'.repeat(64)}` })).status).toBe(503);
  const repeated = await keyed();
  expect([repeated.status, repeated.text]).toEqual([202, first.text]);
  expect(repeated.headers.get('x-idempotent-replayed')).toBe('true');
  const back = { ...network, rpcUrls: [world.chain.url] };
  await database.transaction((tx) => saveNetwork(services, tx, 'local', back, network.version + 1));
});
