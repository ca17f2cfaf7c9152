import type { ChainNode } from '../../../src/parties/chain/port';
import { startTestChain, type TestChain } from '../../support/chain';
import { type NodeDouble, NodeError, startNodeDouble, testChains } from './node-double';
import { ALICE, HASTY_MS } from './two-nodes';

/** Three nodes of one chain, of which the first lies. */
let chain: TestChain;
let doubles: NodeDouble[];
let liar: NodeDouble;
let node: ChainNode;
let party: ReturnType<typeof testChains>;
beforeAll(async () => {
  chain = await startTestChain();
  const { url } = chain;
  doubles = await Promise.all([1, 2, 3].map(() => startNodeDouble(url)));
  [liar] = doubles as [NodeDouble];
  await chain.client.mine({ blocks: 5 });
});
afterAll(async () => {
  await Promise.all(doubles.map((double) => double.close()));
  await chain.stop();
});
beforeEach(() => {
  for (const double of doubles) {
    double.behaveWell();
    double.asked.length = 0;
  }
  reached();
});

function reached(timeoutMs?: number) {
  party = testChains(timeoutMs);
  node = party.nodeAt(chain.chainId, ...doubles.map(({ url }) => url));
}

const hex = (value: number) => `0x${value.toString(16)}`;

it('one of three nodes cannot raise the head or exclude the others', async () => {
  const own = await node.head();
  liar.on('eth_getBlockByNumber', async ({ params: [height, full] }, ask) => {
    const last = await ask({ params: ['latest', full] });
    const number = height === 'latest' ? own.number + 1_000 : Number(height);
    return { ...last, number: hex(number), timestamp: hex(Number(last.timestamp) + 3_600) };
  });
  expect(await node.head()).toEqual(own);
  expect(await node.agreedBlock(own.number + 900)).toMatchObject({ said: 3, of: 3, isSplit: true });
  expect(party.lines).toEqual([]);
});

it('one of three nodes cannot raise or lower the count of transactions', async () => {
  const payer = await node.nonce(chain.payer);
  await chain.pay(null, ALICE, 1n);
  for (const count of [9_000, 0]) {
    liar.on('eth_getTransactionCount', { result: hex(count) });
    expect(await node.nonce(chain.payer)).toBe(payer + 1);
    const each = [count, payer + 1, payer + 1].map((told) => ({ counted: told, next: told }));
    expect(await node.noncesOf(chain.payer)).toEqual({ counted: payer + 1, each, of: 3 });
  }
});

it('mined transactions are counted when nodes refuse to count pending ones', async () => {
  for (const double of doubles)
    double.on('eth_getTransactionCount', ({ params: [, at] }, ask) =>
      at === 'pending' ? new NodeError(-32_602, 'no such tag') : ask({}),
    );
  const counted = await node.nonce(chain.payer);
  expect(await node.noncesOf(chain.payer)).toMatchObject({
    counted,
    each: [{ next: counted }, { next: counted }, { next: counted }],
  });
});

it('a hanging node delays only one read while the others are a majority', async () => {
  reached(HASTY_MS);
  liar.on('*', 'silent');
  await node.agreedBlock(1);
  liar.asked.length = 0;
  expect(await node.agreedBlock(1)).toMatchObject({ said: 2, of: 3, isSplit: false });
  await node.noncesOf(ALICE);
  expect(liar.asked).toEqual([]);
  // The last node alone is no majority, so the node that hung is asked again.
  liar.behaveWell();
  doubles[1]?.on('*', 'lost');
  expect(await node.agreedBlock(1)).toMatchObject({ said: 2, of: 3 });
  expect(liar.asked).toContain('eth_getBlockByNumber');
});

it('a node cannot exclude another from the count of transactions by claiming a higher block', async () => {
  const counted = await node.nonce(chain.payer);
  const last = await node.head();
  liar.on('eth_getTransactionCount', { result: hex(counted + 9_000) });
  liar.on('eth_getBlockByNumber', async (_, ask) => ({
    ...(await ask({})),
    number: hex(last.number + 1_000),
    timestamp: hex(last.at.getTime() / 1_000 + 3_600),
  }));
  const [, other, away] = doubles as [NodeDouble, NodeDouble, NodeDouble];
  away.on('*', 'lost');
  const each = [counted + 9_000, counted].map((told) => ({ counted: told, next: told }));
  expect(await node.noncesOf(chain.payer)).toEqual({ counted, each, of: 3 });
  other.on('*', 'lost');
  for (const told of [node.noncesOf(chain.payer), node.nonce(chain.payer)])
    await expect(told).rejects.toMatchObject({ name: 'NodesDisagree' });
});

describe('the price of gas', () => {
  const dear = () => {
    liar.on('eth_maxPriorityFeePerGas', { result: hex(40 * 10 ** 9) });
    liar.on('eth_feeHistory', { result: { baseFeePerGas: [hex(900 * 10 ** 9)] } });
  };
  const cheap = () => {
    liar.on('eth_maxPriorityFeePerGas', { result: '0x0' });
    liar.on('eth_feeHistory', { result: { baseFeePerGas: ['0x1'] } });
  };

  it('is the median of three nodes, so that one cannot change it', async () => {
    const own = await node.fees();
    dear();
    expect(await node.fees()).toEqual(own);
    cheap();
    expect(await node.fees()).toEqual(own);
  });

  it('is the lower price of two nodes', async () => {
    const own = await node.fees();
    doubles[1]?.on('*', 'lost');
    dear();
    expect(await node.fees()).toEqual(own);
    cheap();
    expect(await node.fees()).toMatchObject({ baseFee: 1n, maxPriorityFeePerGas: 10n ** 6n });
  });
});
