import { type NodeDouble, startNodeDouble } from '../../../parties/chain/node-double';
import { type TestStation, testStation } from './support';

const CONFIRMATIONS = 12;
const BLOCK_MS = 12_000;

let world: TestStation;
const doubles: NodeDouble[] = [];
beforeAll(async () => {
  world = await testStation({
    // A development chain is asked at each look, because it makes blocks only for transactions.
    chain: { chainId: 11_155_111, blockTime: 'manual' },
    config: { sweepConfirmations: CONFIRMATIONS, autoSweep: true },
    nodes: async (url) => {
      for (let count = 0; count < 3; count += 1) doubles.push(await startNodeDouble(url));
      return doubles.map((double) => double.url);
    },
  });
});
afterAll(async () => {
  await Promise.all([world.close(), ...doubles.map((double) => double.close())]);
});

const asked = () => doubles.map((double) => double.credentials.length);

/** Leads an operation as its workflow does, while the chain makes a block each 12 seconds. */
async function lead(id: string): Promise<void> {
  let sinceBlock = 0;
  for (;;) {
    const { open, lookAt } = await world.advance(id);
    if (!open || lookAt === null) return;
    let left = Math.max(1, lookAt - world.services.now().getTime());
    while (left > 0) {
      const passed = Math.min(left, BLOCK_MS - sinceBlock);
      world.later(passed);
      left -= passed;
      sinceBlock = (sinceBlock + passed) % BLOCK_MS;
      if (sinceBlock === 0) await mine();
    }
  }
}

async function mine(): Promise<void> {
  const { client } = world.chain;
  await client.setNextBlockTimestamp({
    timestamp: BigInt(Math.ceil(world.services.now().getTime() / 1_000)),
  });
  await client.mine({ blocks: 1 });
}

it('asks each node at most 15 times from the broadcast to the last confirmation', async () => {
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const { id } = await world.sweep(wallet!.id);
  await world.advance(id); // signs and sends
  const before = asked();
  await lead(id);
  expect(await world.read(id)).toMatchObject({ status: 'completed' });
  const requests = asked().map((count, place) => count - (before[place] ?? 0));
  expect(Math.max(...requests)).toBeLessThanOrEqual(15);
});
