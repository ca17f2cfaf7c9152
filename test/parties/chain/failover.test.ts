import { inspect } from 'node:util';
import { type Hex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { ChainNode } from '../../../src/parties/chain/port';
import { startTestChain, type TestChain } from '../../support/chain';
import { type Behaviour, type NodeDouble, NodeError, startNodeDouble, testChains } from './node-double';

const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let chain: TestChain;
let one: NodeDouble;
let two: NodeDouble;
let party: ReturnType<typeof testChains>;
let node: ChainNode;

beforeAll(async () => {
  chain = await startTestChain();
  one = await startNodeDouble(chain.url);
  two = await startNodeDouble(chain.url);
});
afterAll(() => Promise.all([one.close(), two.close(), chain.stop()]));

const reached = (timeoutMs?: number) => {
  party = testChains(timeoutMs);
  node = party.nodeAt(chain.chainId, one.url, two.url);
};

beforeEach(() => {
  for (const double of [one, two]) {
    double.behaveWell();
    double.asked.length = 0;
  }
  reached();
});

/** Whatever it throws, logs or counts names no part of an address. */
function expectNothingTold(error: unknown): void {
  const told = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), ...party.lines].join(
    '\n',
  );
  for (const secret of [...one.secrets, ...two.secrets]) expect(told).not.toContain(secret);
}

const thrownBy = (asked: Promise<unknown>) =>
  asked.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (error: unknown) => error as Error,
  );

/** What is waited for one that says nothing; a busy machine may take as long for one that does. */
const HASTY_MS = 2_000;

/** As a node of a public service has it. */
const TOO_LONG = new NodeError(-32602, 'eth_getLogs is limited to a 2 range');

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
  it('is passed over for the next, and when both do the chain is away, and no address is told', async () => {
    const hangs = fault === 'silent' || fault === 'half';
    if (hangs) reached(HASTY_MS);
    const methods = ['eth_getBlockByNumber', 'eth_getLogs', 'eth_getBalance', 'eth_feeHistory'];
    for (const method of methods) one.on(method, fault);
    expect((await node.head()).number).toBe(0);
    for (const method of methods) two.on(method, fault);
    const error = await thrownBy(node.head());
    expect(error).toMatchObject({
      name: 'ChainAway',
      chain: 'local',
      message: 'the chain cannot be reached',
    });
    expectNothingTold(error);
    if (hangs || (typeof fault === 'object' && 'result' in fault)) return;
    const others = [
      node.balances([ALICE, ALICE], null),
      node.fees(),
      node.transfersTo({ from: 0, to: 0 }, [ALICE], { native: true }),
    ];
    for (const other of await Promise.all(others.map(thrownBy)))
      expect(other).toMatchObject({ name: 'ChainAway' });
  });
});

it('reads no more than so much of an answer, before its time is over', async () => {
  one.on('eth_getBlockByNumber', 'endless');
  two.on('*', 'lost');
  reached(600_000); // only its size ends it
  expect(await thrownBy(node.head())).toMatchObject({ name: 'ChainAway' });
});

it('asks the one that failed last for ten seconds, then first again', async () => {
  one.on('*', 'error-500');
  one.on('eth_chainId', 'error-500');
  await node.nonce(ALICE);
  one.behaveWell();
  one.asked.length = 0;
  await node.nonce(ALICE);
  await node.head();
  expect(one.asked).toEqual([]);
  party.pass(11);
  two.asked.length = 0;
  await node.nonce(ALICE);
  expect([one.asked, two.asked]).toEqual([['eth_chainId', 'eth_getTransactionCount'], []]);
  expect(party.lines.map((line) => JSON.parse(line))).toMatchObject([
    { chain: 'local', place: 0, name: 'NodeAway' },
  ]);
});

it('asks one that failed all the same when there is no other', async () => {
  one.on('*', 'lost');
  two.on('*', 'lost');
  await expect(node.head()).rejects.toThrow();
  two.behaveWell();
  expect((await node.head()).number).toBe(0);
});

it('uses none that is of another chain, says so without its address, and asks each but once', async () => {
  one.on('eth_chainId', { result: '0x1' });
  await node.head();
  await node.head();
  await node.nonce(ALICE);
  expect(one.asked).toEqual(['eth_chainId']);
  expect(two.asked.filter((method) => method === 'eth_chainId')).toHaveLength(1);
  expect(party.lines).toHaveLength(1);
  expect(JSON.parse(party.lines[0] as string)).toMatchObject({ level: 40, place: 0, name: 'OtherChain' });
  expectNothingTold(undefined);
  expect(await node.chainIds()).toEqual([
    { chainId: 1, url: one.url },
    { chainId: chain.chainId, url: two.url },
  ]);
  two.on('*', 'lost');
  expect(await node.chainIds()).toEqual([{ chainId: 1, url: one.url }]);
  one.on('eth_chainId', 'html');
  expect(await node.chainIds()).toEqual([]);
});

it('sends credentials of an address as HTTP has them', async () => {
  await node.head();
  expect(new Set(one.credentials)).toEqual(new Set([`Basic ${btoa('boss:pa$$word')}`]));
});

it('is away, and tells nothing, where an address is none', async () => {
  const none = party.nodeAt(chain.chainId, 'http://%zz:KEY-0123456789@', 'http://boss:%zz@127.0.0.1:1/');
  const error = await thrownBy(none.head());
  expect(error).toMatchObject({ name: 'ChainAway' });
  expectNothingTold(error);
  expect(await none.chainIds()).toEqual([]);
});

it('keeps one node for an address, and counts its calls', async () => {
  expect(party.nodeAt(chain.chainId, one.url, two.url)).toBe(node);
  expect(party.nodeAt(chain.chainId, two.url, one.url)).not.toBe(node);
  await node.head();
  expect(party.calls.map(({ party, operation, outcome }) => [party, operation, outcome])).toEqual([
    ['chain', 'head', 'ok'],
  ]);
});

describe('of nodes that differ', () => {
  const behind =
    (blocks: number): Behaviour =>
    async ({ params: [height, full] }, ask) => {
      const head = Number((await ask({ method: 'eth_blockNumber', params: [] })) as string) - blocks;
      if (height !== 'latest' && Number(height) > head) return null;
      return ask({ params: [height === 'latest' ? `0x${head.toString(16)}` : height, full] });
    };

  beforeAll(() => chain.client.mine({ blocks: 5 }));

  it('the block is agreed on when all who answer name the same', async () => {
    const { number, hash } = await node.head();
    expect(await node.agreedBlock(number)).toEqual({ hash, said: 2, of: 2, isSplit: false });
    two.on('*', 'lost');
    expect(await node.agreedBlock(number)).toEqual({ hash, said: 1, of: 2, isSplit: false });
    two.behaveWell();
    two.on('eth_getBlockByNumber', behind(2));
    expect(await node.agreedBlock(number)).toEqual({ hash, said: 2, of: 2, isSplit: true });
    two.on('eth_getBlockByNumber', (call, ask) => ask({ ...call, params: ['0x1', false] }));
    expect(await node.agreedBlock(number)).toEqual({ hash: null, said: 2, of: 2, isSplit: true });
    two.on('eth_chainId', { result: '0x1' });
    const other = testChains().nodeAt(chain.chainId, one.url, two.url);
    expect(await other.agreedBlock(number)).toEqual({ hash, said: 1, of: 2, isSplit: false });
    for (const double of [one, two]) double.on('*', 'lost');
    const away = testChains().nodeAt(chain.chainId, one.url, two.url);
    await expect(away.agreedBlock(number)).rejects.toMatchObject({ name: 'ChainAway' });
  });

  it('one that has stopped counts as away, and the newest block is the other one’s', async () => {
    const before = await node.head();
    one.on('eth_getBlockByNumber', behind(4));
    await chain.client.mine({ blocks: 4, interval: 60 });
    const head = await node.head();
    expect(head.number).toBe(before.number + 4);
    expect(await node.agreedBlock(head.number)).toEqual({ hash: head.hash, said: 1, of: 2, isSplit: false });
    one.asked.length = 0;
    await node.nonce(ALICE);
    expect(one.asked).toEqual([]);
    expect(party.lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, place: 0 }]);
    one.behaveWell();
    await node.head();
    expect(await node.agreedBlock(head.number)).toMatchObject({ said: 2, isSplit: false });
  });

  it('one that lags has no transfers of a range to tell, and does not know a transaction that another knows', async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const hash = await chain.pay(null, to, 5n);
    const { number } = await node.head();
    one.on('eth_getBlockByNumber', behind(2));
    one.on('eth_getTransactionByHash', { result: null });
    one.on('eth_getTransactionReceipt', { result: null });
    const { transfers } = await node.transfersTo({ from: number, to: number }, [to], { native: true });
    expect(transfers).toMatchObject([{ txHash: hash, units: 5n }]);
    expect(await node.transaction(hash)).toMatchObject({ status: 'succeeded' });
    expect((await node.head()).number).toBe(number);
    expect(await node.block(number)).toMatchObject({ number });
    two.on('eth_getTransactionByHash', { result: null });
    two.on('eth_getTransactionReceipt', { result: null });
    expect(await node.transaction(hash)).toEqual({ status: 'unknown' });
    two.on('eth_getTransactionByHash', undefined);
    expect(await node.transaction(hash)).toEqual({ status: 'pending' });
  });
});

describe('transfers', () => {
  it('of another block than was asked for are not believed', async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const token = await chain.token();
    const { number } = await node.head();
    await chain.pay(token, to, 1n);
    one.on('eth_getLogs', async ({ params: [filter] }, ask) =>
      ask({ params: [{ ...filter, toBlock: 'latest' }] }),
    );
    const { transfers } = await node.transfersTo({ from: number, to: number }, [to], { native: false });
    expect(transfers).toEqual([]);
    expect(two.asked).toContain('eth_getLogs');
    one.on('eth_getBlockByNumber', (_, ask) => ask({ params: ['0x1', false] }));
    expect(await node.block(number)).toMatchObject({ number });
  });

  it('are read in parts of a range that a node finds too long', async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const token = await chain.token();
    const { number: from } = await node.head();
    for (const units of [1n, 2n, 3n, 4n, 5n, 6n]) await chain.pay(token, to, units);
    const head = await node.head();
    const ranges: number[] = [];
    const narrow: Behaviour = async ({ params: [filter] }, ask) => {
      const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
      ranges.push(blocks);
      return ask({});
    };
    one.on('eth_getLogs', narrow);
    await node.transfersTo({ from, to: head.number }, [to], { native: false });
    expect(ranges).toEqual([7]);
    one.on('eth_getLogs', async (call, ask) =>
      Number(call.params[0].toBlock) - Number(call.params[0].fromBlock) > 1 ? TOO_LONG : ask({}),
    );
    const { transfers } = await node.transfersTo({ from, to: head.number }, [to], { native: false });
    expect(transfers.map(({ units }) => units)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
    expect(two.asked).not.toContain('eth_getLogs');
  });

  it('are read in parts of a range whose answer is too long to be read', async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const token = await chain.token();
    const { number: from } = await node.head();
    for (const units of [1n, 2n]) await chain.pay(token, to, units);
    const head = await node.head();
    one.on('eth_getLogs', async (call, ask) =>
      call.params[0].toBlock === call.params[0].fromBlock ? ask({}) : 'x'.repeat(33 * 1024 * 1024),
    );
    two.on('eth_getLogs', 'lost');
    const { transfers } = await node.transfersTo({ from, to: head.number }, [to], { native: false });
    expect(transfers.map(({ units }) => units)).toEqual([1n, 2n]);
  });

  it.each([0n, 1n])('are read again when the chain is reorganised meanwhile (%s)', async (units) => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const token = await chain.token();
    await chain.pay(token, to, units); // what is gone afterwards: a payment, or nothing that was seen
    const { number } = await node.head();
    let reorganisations = 0;
    one.on('eth_getLogs', async (_, ask) => {
      const logs = await ask({});
      if (reorganisations === 1) return logs;
      reorganisations += 1;
      await chain.client.request({ method: 'anvil_rollback', params: [1] } as never);
      await chain.pay(token, to, 2n);
      return logs;
    });
    const found = await node.transfersTo({ from: number, to: number }, [to], { native: false });
    const head = await node.head();
    expect(reorganisations).toBe(1);
    expect(found.toBlockHash).toBe(head.hash);
    expect(found.transfers).toMatchObject([{ units: 2n, block: head }]);
  });
});

describe('a word of a node', () => {
  it('on what a call would come to is not asked of another', async () => {
    one.on('eth_estimateGas', { error: { code: -32000, message: 'insufficient funds for transfer' } });
    const asked = { from: ALICE, to: ALICE, value: 1n, data: '0x' };
    await expect(node.estimateGas(asked)).rejects.toMatchObject({
      ...{ name: 'ChainRefused', code: 'insufficient_funds' },
    });
    expect(two.asked).toEqual([]);
  });

  it('that is nothing of a token is asked of another, and of all before there is none', async () => {
    const token = await chain.token();
    one.on('eth_call', { result: '0x' });
    expect(await node.decimals(token)).toBe(6);
    expect(await node.balance(ALICE, token)).toBe(0n);
    two.on('eth_call', { result: '0x' });
    await expect(node.decimals(token)).rejects.toMatchObject({ name: 'ChainRefused', code: 'no_token' });
    await expect(node.balance(ALICE, token)).rejects.toMatchObject({ code: 'no_token' });
  });

  it('counts whatever the status of HTTP', async () => {
    one.on('eth_estimateGas', 'reverted-500');
    const asked = { from: ALICE, to: ALICE, value: 1n, data: '0x' };
    await expect(node.estimateGas(asked)).rejects.toMatchObject({ name: 'ChainRefused', code: 'reverted' });
    expect(two.asked).toEqual([]);
  });

  it('on a fee counts what the chain below took', async () => {
    const hash = await chain.pay(null, ALICE, 5n);
    const before = await node.transaction(hash);
    one.on('eth_getTransactionReceipt', async (_, ask) => ({ ...(await ask({})), l1Fee: '0x64' }));
    const after = await node.transaction(hash);
    expect('fee' in after && 'fee' in before && after.fee - before.fee).toBe(100n);
  });

  it('on a tip is believed within bounds', async () => {
    const { baseFee } = await node.fees();
    one.on('eth_maxPriorityFeePerGas', { result: '0x0' });
    expect(await node.fees()).toMatchObject({ maxPriorityFeePerGas: 10n ** 6n });
    one.on('eth_maxPriorityFeePerGas', { result: `0x${'f'.repeat(40)}` });
    const tip = 50n * 10n ** 9n;
    expect(await node.fees()).toEqual({
      baseFee,
      maxPriorityFeePerGas: tip,
      maxFeePerGas: 2n * baseFee + tip,
    });
  });

  it('that is an error is one, also beside a result', async () => {
    const hash = await chain.pay(null, ALICE, 5n);
    for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt'])
      one.on(method, { result: null, error: 'no more today' });
    expect(await node.transaction(hash)).toMatchObject({ status: 'succeeded' });
  });

  it.each([
    ['that misses an answer', (all: unknown[]) => all.slice(1)],
    ['that has one twice', ([first, , ...others]: unknown[]) => [first, first, ...others]],
  ])('on several things at once %s is none: no answer is another one’s', async (_, changed) => {
    one.changeBatches(changed);
    expect(await node.balances([chain.payer, ALICE], null)).toEqual([
      await node.balance(chain.payer, null),
      await node.balance(ALICE, null),
    ]);
    expect(two.asked).toContain('eth_getBalance');
  });

  it('on several things at once may come in any order', async () => {
    const balances = await node.balances([chain.payer, ALICE], null);
    one.changeBatches((all) => all.reverse());
    expect(await node.balances([chain.payer, ALICE], null)).toEqual(balances);
    expect(two.asked).toEqual([]);
  });

  it('on several things at once is taken apart by a node that takes no batches', async () => {
    const balances = await node.balances([chain.payer, ALICE], null);
    one.refuseBatches();
    expect(await node.balances([chain.payer, ALICE], null)).toEqual(balances);
    expect(two.asked).toEqual([]);
  });
});

describe('a broadcast', () => {
  const key = generatePrivateKey();
  const payer = privateKeyToAccount(key).address;
  let signed: string;

  beforeAll(() => chain.pay(null, payer, parseEther('10')));
  beforeEach(async () => {
    signed = await privateKeyToAccount(key).signTransaction({
      ...{ type: 'eip1559', chainId: chain.chainId, gas: 21_000n, to: ALICE, value: 1n },
      ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, nonce: await node.nonce(payer) },
    });
  });

  const SEND = 'eth_sendRawTransaction';
  const tooLow = { error: { code: -32000, message: 'nonce too low: next nonce 9' } };

  it('goes to every address, and one that takes it suffices', async () => {
    one.on(SEND, 'silent');
    const { hash } = await node.broadcast(signed);
    await chain.mined(hash as Hex);
    expect(await node.transaction(hash)).toMatchObject({ status: 'succeeded' });
    expect(one.asked).toContain(SEND);
  });

  it('whose answer is lost may have arrived; handed over again it is known', async () => {
    reached(HASTY_MS);
    for (const double of [one, two]) double.on(SEND, 'done-and-silent');
    const error = await thrownBy(node.broadcast(signed));
    expect(error).toMatchObject({ name: 'OutcomeUnknown' });
    expectNothingTold(error);
    one.behaveWell();
    two.behaveWell();
    const { hash } = await node.broadcast(signed);
    await chain.mined(hash as Hex);
    expect(await node.transaction(hash)).toMatchObject({ status: 'succeeded' });
  });

  it('is refused only when nobody else may have it', async () => {
    reached(HASTY_MS);
    one.on(SEND, tooLow);
    two.on(SEND, 'silent');
    await expect(node.broadcast(signed)).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    reached();
    two.on(SEND, { error: { code: -32000, message: 'txpool is full' } });
    await expect(node.broadcast(signed)).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    two.on(SEND, 'unauthorized-401');
    await expect(node.broadcast(signed)).rejects.toMatchObject({
      name: 'ChainRefused',
      code: 'nonce_too_low',
    });
    two.on(SEND, tooLow);
    const error = await thrownBy(node.broadcast(signed));
    expect(error).toMatchObject({ name: 'ChainRefused', code: 'nonce_too_low' });
    expectNothingTold(error);
  });

  it('that nobody could be sent has not been done', async () => {
    for (const double of [one, two]) double.on('*', 'silent'); // they do not even name their chain
    const unknown = testChains(HASTY_MS).nodeAt(chain.chainId, one.url, two.url);
    await expect(unknown.broadcast(signed)).rejects.toMatchObject({ name: 'ChainAway' });
    const nobody = party.nodeAt(chain.chainId, 'http://127.0.0.1:1/');
    await expect(nobody.broadcast(signed)).rejects.toMatchObject({ name: 'ChainAway' });
  });

  it.each([
    ['already known', 'taken'],
    ['Known transaction', 'taken'],
    ['AlreadyKnown', 'taken'],
    ['replacement transaction underpriced', 'underpriced'],
    ['max fee per gas less than block base fee', 'underpriced'],
    ['insufficient funds for gas * price + value', 'insufficient_funds'],
    ['OldNonce', 'nonce_too_low'],
    ['exceeds block gas limit', 'refused'],
    ['unknown transaction type', 'refused'],
    ['rate limit reached', undefined],
    ['Nonce too far in the future', undefined],
  ])('knows what a node means by %p', async (message, meaning) => {
    for (const double of [one, two]) double.on(SEND, { error: { code: -32000, message } });
    const outcome = await node.broadcast(signed).then(
      () => 'taken',
      ({ code }: { code?: string }) => code,
    );
    expect(outcome).toBe(meaning);
  });
});

it('is never asked at an address that is not public, unless it names this machine itself', async () => {
  const { port } = new URL(one.url);
  await expect(party.nodeAt(chain.chainId, `http://localhost:${port}`).head()).resolves.toBeDefined();
  one.asked.length = 0;
  // 0.0.0.0 leads to this machine as well, and is none of its names.
  for (const url of [`http://0.0.0.0:${port}`, 'https://169.254.169.254', 'http://10.0.0.1'])
    await expect(party.nodeAt(chain.chainId, url).head()).rejects.toMatchObject({ name: 'ChainAway' });
  expect(one.asked).toEqual([]);
});
