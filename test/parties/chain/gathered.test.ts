import { NodeError } from './node-double';
import { twoNodes } from './two-nodes';

const world = twoNodes();

/** The node through the first address alone. Its requests are counted after it has named its chain. */
async function alone() {
  const node = world.party.nodeAt(world.chain.chainId, world.one.url);
  await node.head();
  world.one.asked.length = 0;
  world.one.credentials.length = 0;
  return node;
}
const requests = () => world.one.credentials.length;

test('calls of one turn travel in one request, and equal ones are asked once', async () => {
  await world.chain.client.mine({ blocks: 4 });
  const node = await alone();
  const heights = [1, 2, 3, 2, 1];
  const blocks = await Promise.all(heights.map((number) => node.block(number)));
  expect(blocks.map((block) => block?.number)).toEqual(heights);
  expect(requests()).toBe(1);
  expect(world.one.asked).toEqual(Array(3).fill('eth_getBlockByNumber'));
});

test('a request has twenty calls at most', async () => {
  const node = await alone();
  const addresses = Array.from({ length: 45 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`);
  expect(await Promise.all(addresses.map((address) => node.nonce(address)))).toEqual(Array(45).fill(0));
  expect([requests(), world.one.asked.length]).toEqual([3, 45]);
});

test('each answer is judged on its own', async () => {
  const node = await alone();
  world.one.on('eth_getBlockByNumber', ({ params }, ask) =>
    params[0] === '0x1' ? new NodeError(-32000, 'no such block') : ask({}),
  );
  const [refused, found] = await Promise.allSettled([node.block(1), node.block(2)]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { name: 'ChainAway' } });
  expect(found).toMatchObject({ status: 'fulfilled', value: { number: 2 } });
});

test.each([
  ['a JSON-RPC error', () => world.one.refuseBatches()],
  ['an answer that is no list', () => world.one.changeBatches(() => null as never)],
])('a node that refuses several calls with %s gets single ones', async (_, refuse) => {
  const node = await alone();
  refuse();
  for (let times = 0; times < 2; times += 1) {
    const blocks = await Promise.all([node.block(1), node.block(2)]);
    expect(blocks.map((block) => block?.number)).toEqual([1, 2]);
  }
});

test('an answer that lacks a call counts as no answer to that call', async () => {
  const node = await alone();
  world.one.changeBatches((answers) => answers.slice(1));
  const [lost, found] = await Promise.allSettled([node.block(1), node.block(2)]);
  expect(lost).toMatchObject({ status: 'rejected', reason: { name: 'ChainAway' } });
  expect(found.status).toBe('fulfilled');
});

test('a node that has too much to do gets no further requests for the same calls', async () => {
  const node = await alone();
  world.one.on('*', 'too-many-429');
  const blocks = await Promise.allSettled([node.block(1), node.block(2), node.block(3)]);
  expect(blocks.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(requests()).toBe(1);
});
