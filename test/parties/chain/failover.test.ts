/** @long */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type Behaviour, testChains } from './node-double';
import { ALICE, thrownBy, twoNodes } from './two-nodes';

const world = twoNodes();

const FAULTS: Behaviour[] = [
  ...(['lost', 'silent', 'half', 'html', 'error-500', 'unauthorized-401', 'redirect-307'] as const),
  { result: 'rubbish' },
  { result: null },
  { result: { number: '0x1', hash: 'KEY-0123456789' } },
  { error: { code: -32005, message: 'daily limit of KEY-0123456789 reached' } },
  { error: { code: -32000, message: 'http://boss:pa$$word@127.0.0.1 says no' } },
  { error: 'TOKEN-9876' },
];

describe.each(FAULTS)('a node that answers with %j', (fault) => {
  it('is skipped for the next; when both fail, the chain is away, and no address is shown', async () => {
    const hangs = fault === 'silent' || fault === 'half';
    const methods = ['eth_getBlockByNumber', 'eth_getLogs', 'eth_getBalance', 'eth_feeHistory'];
    for (const method of methods) world.one.on(method, fault);
    const { number } = await (hangs ? world.inTime(() => world.node.head()) : world.node.head());
    expect(number).toBe(0);
    for (const method of methods) world.two.on(method, fault);
    const error = await thrownBy(world.node.head());
    expect(error).toMatchObject({
      name: 'ChainAway',
      chain: 'local',
      message: 'the chain cannot be reached',
    });
    world.expectNothingTold(error);
    if (hangs || (typeof fault === 'object' && 'result' in fault)) return;
    const others = [
      world.node.balances([ALICE, ALICE], null),
      world.node.fees(),
      world.node.transfersTo({ from: 0, to: 0 }, [ALICE], { native: true }),
    ];
    for (const other of await Promise.all(others.map(thrownBy)))
      expect(other).toMatchObject({ name: 'ChainAway' });
  });
});

it('stops reading an answer at the limit of bytes', async () => {
  world.one.on('eth_getBlockByNumber', 'endless');
  world.two.on('*', 'lost');
  world.reached(600_000); // only the size ends it
  expect(await thrownBy(world.node.head())).toMatchObject({ name: 'ChainAway' });
});

it('asks a failed node last for ten seconds, then in its order again', async () => {
  world.one.on('*', 'error-500');
  world.one.on('eth_chainId', 'error-500');
  await world.node.balance(ALICE, null);
  world.one.behaveWell();
  world.one.asked.length = 0;
  await world.node.balance(ALICE, null);
  await world.node.head();
  expect(world.one.asked).toEqual([]);
  world.party.pass(11);
  world.two.asked.length = 0;
  await world.node.balance(ALICE, null);
  expect([world.one.asked, world.two.asked]).toEqual([['eth_chainId', 'eth_getBalance'], []]);
  expect(world.party.lines.map((line) => JSON.parse(line))).toMatchObject([
    { chain: 'local', place: 0, name: 'NodeAway' },
  ]);
});

it('asks a failed node when there is no other', async () => {
  world.one.on('*', 'lost');
  world.two.on('*', 'lost');
  await expect(world.node.head()).rejects.toThrow();
  world.two.behaveWell();
  expect((await world.node.head()).number).toBe(0);
});

it('uses no node of another chain, logs it without the address, and asks each chain id once', async () => {
  world.one.on('eth_chainId', { result: '0x1' });
  await world.node.head();
  await world.node.head();
  await world.node.balance(ALICE, null);
  expect(world.one.asked).toEqual(['eth_chainId']);
  expect(world.two.asked.filter((method) => method === 'eth_chainId')).toHaveLength(1);
  expect(world.party.lines).toHaveLength(1);
  expect(JSON.parse(world.party.lines[0] as string)).toMatchObject({
    level: 40,
    place: 0,
    name: 'OtherChain',
  });
  world.expectNothingTold(undefined);
  expect(await world.node.chainIds()).toEqual([
    { chainId: 1, url: world.one.url },
    { chainId: world.chain.chainId, url: world.two.url },
  ]);
  world.two.on('*', 'lost');
  expect(await world.node.chainIds()).toEqual([{ chainId: 1, url: world.one.url }]);
  world.one.on('eth_chainId', 'html');
  expect(await world.node.chainIds()).toEqual([]);
});

it('sends credentials of an address as a Basic authorization', async () => {
  await world.node.head();
  expect(new Set(world.one.credentials)).toEqual(new Set([`Basic ${btoa('boss:pa$$word')}`]));
});

it('is away without showing the text when an address is invalid', async () => {
  const none = world.party.nodeAt(
    world.chain.chainId,
    'http://%zz:KEY-0123456789@',
    'http://boss:%zz@127.0.0.1:1/',
  );
  const error = await thrownBy(none.head());
  expect(error).toMatchObject({ name: 'ChainAway' });
  world.expectNothingTold(error);
  expect(await none.chainIds()).toEqual([]);
});

it('keeps one node for each list of addresses, and counts its calls', async () => {
  expect(world.party.nodeAt(world.chain.chainId, world.one.url, world.two.url)).toBe(world.node);
  expect(world.party.nodeAt(world.chain.chainId, world.two.url, world.one.url)).not.toBe(world.node);
  await world.node.head();
  expect(world.party.calls.map(({ party, operation, outcome }) => [party, operation, outcome])).toEqual([
    ['chain', 'head', 'ok'],
  ]);
});

describe('a chain whose nodes differ', () => {
  const behind =
    (blocks: number): Behaviour =>
    async ({ params: [height, full] }, ask) => {
      const head = Number((await ask({ method: 'eth_blockNumber', params: [] })) as string) - blocks;
      if (height !== 'latest' && Number(height) > head) return null;
      return ask({ params: [height === 'latest' ? `0x${head.toString(16)}` : height, full] });
    };

  beforeAll(() => world.chain.client.mine({ blocks: 5 }));

  it('agrees on a block when all answering nodes name the same hash', async () => {
    const { number, hash } = await world.node.head();
    expect(await world.node.agreedBlock(number)).toEqual({ hash, said: 2, of: 2, isSplit: false });
    world.two.on('*', 'lost');
    expect(await world.node.agreedBlock(number)).toEqual({ hash, said: 1, of: 2, isSplit: false });
    world.two.behaveWell();
    world.two.on('eth_getBlockByNumber', behind(2));
    expect(await world.node.agreedBlock(number)).toEqual({ hash, said: 2, of: 2, isSplit: true });
    world.two.on('eth_getBlockByNumber', (call, ask) => ask({ ...call, params: ['0x1', false] }));
    expect(await world.node.agreedBlock(number)).toEqual({ hash: null, said: 2, of: 2, isSplit: true });
    world.two.on('eth_chainId', { result: '0x1' });
    const other = testChains().nodeAt(world.chain.chainId, world.one.url, world.two.url);
    expect(await other.agreedBlock(number)).toEqual({ hash, said: 1, of: 2, isSplit: false });
    for (const double of [world.one, world.two]) double.on('*', 'lost');
    const away = testChains().nodeAt(world.chain.chainId, world.one.url, world.two.url);
    await expect(away.agreedBlock(number)).rejects.toMatchObject({ name: 'ChainAway' });
  });

  it('excludes a stopped node, so that the other one gives the newest block', async () => {
    const before = await world.node.head();
    world.one.on('eth_getBlockByNumber', behind(4));
    await world.chain.client.mine({ blocks: 4, interval: 60 });
    const head = await world.node.head();
    expect(head.number).toBe(before.number + 4);
    expect(await world.node.agreedBlock(head.number)).toEqual({
      hash: head.hash,
      said: 1,
      of: 2,
      isSplit: false,
    });
    world.one.asked.length = 0;
    await world.node.balance(ALICE, null);
    expect(world.one.asked).toEqual([]);
    expect(world.party.lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, place: 0 }]);
    world.one.behaveWell();
    await world.node.head();
    expect(await world.node.agreedBlock(head.number)).toMatchObject({ said: 2, isSplit: false });
  });

  it('reads transfers and transactions from the other node when one lags', async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const hash = await world.chain.pay(null, to, 5n);
    const { number } = await world.node.head();
    world.one.on('eth_getBlockByNumber', behind(2));
    world.one.on('eth_getTransactionByHash', { result: null });
    world.one.on('eth_getTransactionReceipt', { result: null });
    const { transfers } = await world.node.transfersTo({ from: number, to: number }, [to], { native: true });
    expect(transfers).toMatchObject([{ txHash: hash, units: 5n }]);
    expect(await world.node.transaction(hash)).toMatchObject({ status: 'succeeded' });
    expect((await world.node.head()).number).toBe(number);
    expect(await world.node.block(number)).toMatchObject({ number });
    world.two.on('eth_getTransactionByHash', { result: null });
    world.two.on('eth_getTransactionReceipt', { result: null });
    expect(await world.node.transaction(hash)).toEqual({ status: 'unknown' });
    world.two.on('eth_getTransactionByHash', undefined);
    expect(await world.node.transaction(hash)).toMatchObject({ status: 'pending' });
  });
});

it('refuses addresses that are not public, except for loopback names of this machine', async () => {
  const { port } = new URL(world.one.url);
  await expect(
    world.party.nodeAt(world.chain.chainId, `http://localhost:${port}`).head(),
  ).resolves.toBeDefined();
  world.one.asked.length = 0;
  // 0.0.0.0 leads to this machine as well, but is no loopback name.
  for (const url of [`http://0.0.0.0:${port}`, 'https://169.254.169.254', 'http://10.0.0.1'])
    await expect(world.party.nodeAt(world.chain.chainId, url).head()).rejects.toMatchObject({
      name: 'ChainAway',
    });
  expect(world.one.asked).toEqual([]);
});
