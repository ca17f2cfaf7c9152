/** @long */
import { type NodeDouble, NodeError, startNodeDouble } from '../../../../parties/chain/node-double';
import { deployDelegate, GATHERED_MS } from '../../strategies/delegated-station';
import { byHand, OPERATIONS, TOPUPS } from '../by-person/decisions';
import {
  attempts,
  ether,
  execute,
  feesOf,
  sweepOfOne,
  type TestStation,
  testStation,
  unitsOf,
  withoutBlocks,
} from '../support';

/** Three nodes of one chain. The first one lies. */
let world: TestStation;
let doubles: NodeDouble[];
let liar: NodeDouble;
beforeAll(async () => {
  const nodes = async (url: string) => {
    doubles = await Promise.all([1, 2, 3].map(() => startNodeDouble(url)));
    [liar] = doubles as [NodeDouble];
    return doubles.map((double) => double.url);
  };
  world = await testStation({ config: { autoSweep: true, sweepConfirmations: 3 }, nodes });
});
afterAll(async () => {
  await world.close();
  await Promise.all(doubles.map((double) => double.close()));
});
beforeEach(async () => {
  for (const double of doubles) double.behaveWell();
  await pass(11_000); // a node that failed recently is asked again
});
const { exported, confirm } = byHand(() => world);

/** Moves the chain's clock, too, so that its blocks are not older than the operations. */
async function pass(ms: number) {
  world.later(ms);
  await world.chain.client.increaseTime({ seconds: ms / 1_000 });
}

const mine = (blocks: number) => world.chain.client.mine({ blocks });
const hex = (value: number | bigint) => `0x${value.toString(16)}`;

/** Makes a node report a thousand blocks that nobody else has, the last one an hour ahead. */
function tellsOfAHead(double: NodeDouble) {
  double.on('eth_getBlockByNumber', async ({ params: [height, full] }, ask) => {
    const last = await ask({ params: ['latest', full] });
    const number = height === 'latest' ? Number(last.number) + 1_000 : Number(height);
    const own = await ask({ params: [hex(number), full] });
    if (own) return own;
    const hash = `0x${number.toString(16).padStart(64, 'e')}`;
    return { ...last, number: hex(number), hash, timestamp: hex(Number(last.timestamp) + 3_600) };
  });
}

type Receipt = { status: string; gasUsed: string; logs: { data: string }[] };

/** Makes a node report changed receipts. */
function tellsOfReceipts(double: NodeDouble, change: (receipt: Receipt) => object) {
  double.on('eth_getTransactionReceipt', async (_, ask) => {
    const receipt = (await ask({})) as Receipt | null;
    return receipt && { ...receipt, ...change(receipt) };
  });
}

const LIES: [string, (receipt: Receipt) => object][] = [
  ['a revert', () => ({ status: '0x0', logs: [] })],
  ['another fee', () => ({ gasUsed: hex(1_000_000) })],
  [
    'more than was moved',
    ({ logs }) => ({ logs: logs.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` })) }),
  ],
  ['another status', () => ({ status: '0x0' })],
];

describe('a broadcast transaction', () => {
  it("is final by the blocks that most nodes have, not by one node's head", async () => {
    tellsOfAHead(liar);
    const { id } = await sweepOfOne(world);
    await world.advance(id);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'confirming' });
    liar.behaveWell();
    await mine(2);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  it("is not final by one node's word while the others are away", async () => {
    const { id } = await sweepOfOne(world);
    await world.advance(id);
    await mine(2);
    for (const double of doubles.slice(1)) double.on('*', 'lost');
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'confirming', waitsFor: 'nodes_disagree' });
    for (const double of doubles) double.behaveWell();
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  it.each(LIES)('ends as most nodes say when one reports %s', async (_, change) => {
    tellsOfReceipts(liar, change);
    const before = await world.held('gas', 'ETH');
    const { id } = await sweepOfOne(world);
    await world.advance(id);
    await mine(2);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    const { txHash, movedAmount } = await world.read(id);
    expect(movedAmount).toBe('4.000000');
    const cost = await feesOf(world.chain, [txHash]);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
  });

  it('waits while no two nodes agree on it', async () => {
    tellsOfReceipts(liar, () => ({ gasUsed: hex(1_000_000) }));
    doubles[1]?.on('*', 'lost');
    const { id } = await sweepOfOne(world);
    await world.advance(id);
    await mine(2);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'confirming', waitsFor: 'nodes_disagree' });
    liar.behaveWell();
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  const SHOWN_MS = 15 * 60_000;
  const shown = (id: string) =>
    world.services.database.query<{ open: boolean }>(
      "select resolved_at is null as open from breaks where subject = $1 and kind = 'gas_nodes_disagree'",
      [id],
    );

  it('is shown to a person after long disagreement, until the nodes agree', async () => {
    const { id } = await sweepOfOne(world);
    await world.advance(id);
    await mine(2);
    for (const double of doubles.slice(1)) double.on('*', 'lost');
    await world.advance(id);
    await world.advance(id);
    expect(await shown(id)).toEqual([]);
    await pass(SHOWN_MS);
    await world.advance(id);
    expect(await shown(id)).toEqual([{ open: true }]);
    for (const double of doubles) double.behaveWell();
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await shown(id)).toEqual([{ open: false }]);
  });

  it("gets no nonce by one node's word, even when that makes the others look far behind", async () => {
    const { id } = await sweepOfOne(world);
    tellsOfAHead(liar);
    liar.on('eth_getTransactionCount', { result: hex(9_000) });
    for (const double of doubles.slice(1)) double.on('*', 'lost');
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'nodes_disagree' });
    await pass(SHOWN_MS);
    await world.advance(id);
    expect(await shown(id)).toEqual([{ open: true }]);
    doubles[1]?.behaveWell();
    await pass(11_000);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'nonce_gap' });
    doubles[2]?.behaveWell();
    await pass(11_000);
    await world.advance(id);
    expect((await attempts(world, id)).map(({ nonce }) => nonce)).toEqual(['0']);
    expect(await shown(id)).toEqual([{ open: false }]);
    for (const double of doubles) double.behaveWell();
    await mine(2);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  /** Only the first node answers: it does not know the transaction and reports its nonce as used. */
  function deniedByOne() {
    liar.on('eth_getTransactionByHash', { result: null });
    liar.on('eth_getTransactionCount', { result: hex(9_000) });
    for (const double of doubles.slice(1)) double.on('*', 'lost');
  }

  it('loses its nonce, and can be failed, only by the word of most nodes', async () => {
    const { id } = await sweepOfOne(world);
    await withoutBlocks(world, async () => {
      await world.advance(id);
      deniedByOne();
      await world.advance(id);
      expect(await world.read(id)).toMatchObject({ status: 'confirming', waitsFor: 'nodes_disagree' });
      const failed = await world.admin.call('POST', `${OPERATIONS}/${id}/fail`, { reason: 'test' });
      expect([failed.status, failed.body.code]).toEqual([503, 'unavailable']);
    });
    for (const double of doubles) double.behaveWell();
    await mine(2);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  });

  it('cannot be ordered, and leaves no trace, while only one node answers', async () => {
    const [wallet] = await world.wallets(1, 4_000_000n);
    for (const double of doubles.slice(1)) double.on('*', 'lost');
    const ordered = await world.admin.call('POST', TOPUPS, { walletId: wallet!.id });
    expect([ordered.status, ordered.body.code]).toEqual([503, 'unavailable']);
    for (const double of doubles) double.behaveWell();
  });

  it.each([5, 9_000])(
    'gets the next nonce that most nodes report, although one reports %i pending',
    async (count) => {
      liar.on('eth_getTransactionCount', ({ params: [, at] }, ask) =>
        at === 'pending' ? hex(count) : ask({}),
      );
      const { id } = await sweepOfOne(world);
      await world.advance(id);
      expect((await attempts(world, id)).map(({ nonce }) => nonce)).toEqual(['0']);
      await mine(2);
      expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    },
  );
});

it("signs a delegation with the wallet's nonce that most nodes report", async () => {
  await deployDelegate(world.chain, world);
  await world.configure({ sweepStrategy: 'delegated' });
  const { id, address } = await sweepOfOne(world, '0');
  for (const double of doubles.slice(1))
    double.on('eth_getTransactionCount', ({ params: [of] }, ask) =>
      of.toLowerCase() === address.toLowerCase() ? new NodeError(-32_000, 'not now') : ask({}),
    );
  await pass(GATHERED_MS);
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'nodes_disagree' });
  expect(await attempts(world, id)).toEqual([]);
  for (const double of doubles) double.behaveWell();
  await pass(11_000);
  await world.advance(id);
  await mine(2);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  await world.configure({ sweepStrategy: 'transfer' });
});

describe('a transaction that a person executed', () => {
  beforeAll(() => world.configure({ autoSweep: false }));

  async function executed() {
    const { id } = await sweepOfOne(world);
    const hash = await execute(world, (await exported(OPERATIONS, id)).transactions[0]);
    return { id, hash };
  }

  it('is followed, and not booked, by the head of one node', async () => {
    tellsOfAHead(liar);
    const { id, hash } = await executed();
    expect((await confirm(OPERATIONS, id, hash)).body).toMatchObject({ status: 'confirming' });
    liar.behaveWell();
    await mine(2);
    expect((await confirm(OPERATIONS, id, hash)).body).toMatchObject({ status: 'completed' });
  });

  it('is booked as most nodes report it, and not by one node alone', async () => {
    tellsOfReceipts(liar, () => ({ gasUsed: hex(1_000_000) }));
    const before = await world.held('gas', 'ETH');
    const { id, hash } = await executed();
    await mine(2);
    doubles[1]?.on('*', 'lost');
    expect((await confirm(OPERATIONS, id, hash)).body).toMatchObject({ status: 'confirming' });
    doubles[1]?.behaveWell();
    world.later(11_000);
    expect((await confirm(OPERATIONS, id, hash)).body).toMatchObject({ status: 'completed' });
    const cost = await feesOf(world.chain, [hash]);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
  });

  it('is refused without an error when all nodes report a revert that used no gas', async () => {
    const { id, hash } = await executed();
    await mine(2);
    for (const double of doubles)
      tellsOfReceipts(double, () => ({ status: '0x0', logs: [], gasUsed: '0x0' }));
    const { status, body } = await confirm(OPERATIONS, id, hash);
    expect([status, body.message]).toEqual([409, expect.stringContaining('it was reverted')]);
    expect(await world.read(id)).toMatchObject({ status: 'awaiting_confirmation' });
  });
});
