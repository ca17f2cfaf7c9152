/** @long */
import { bookDeposits } from '../../../src/transfers/chain-deposits/book';
import { readChain } from '../../../src/watch/chains/follow-blocks';
import { nothingRemembered } from '../../../src/watch/chains/reading';
import { type NodeDouble, startNodeDouble } from '../../parties/chain/node-double';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

let world: World;
/** The only address of the network, which may hide several nodes. */
let double: NodeDouble;
beforeEach(async () => {
  world = await openWorld({ before: async (url) => (double = await startNodeDouble(url)).url, alone: true });
  await world.turn();
});
afterEach(async () => {
  await world.close();
  await double.close();
});

interface Log {
  topics: string[];
}

const statuses = async () => (await world.deposits()).map(({ status }) => status);
const mine = (blocks: number) => world.chain.client.mine({ blocks });
const paid = async (account: string) => world.chain.pay(world.token, await world.wallet(account), 5_000_000n);

it('finds a transfer that its node left out at the first reading', async () => {
  const account = await world.account();
  double.on('eth_getLogs', { result: [] }); // the logs lag behind the head
  await paid(account);
  await world.read();
  expect(await statuses()).toEqual([]);
  double.behaveWell();
  await mine(3);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  expect(await world.available(account)).toBe('5');
});

it('finds it also after a reorganisation below the blocks that were read twice', async () => {
  const account = await world.account();
  const { client } = world.chain;
  const snapshot = await client.snapshot();
  await mine(20);
  await world.read();
  await client.revert({ id: snapshot });
  await paid(account);
  await mine(21);
  let isFirst = true;
  double.on('eth_getLogs', (_, ask) => {
    if (!isFirst) return ask({});
    isFirst = false; // the logs lag behind the head
    return [];
  });
  await world.read();
  expect(await statuses()).toEqual(['credited']);
});

const ASKED_BY_A_LOOK = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
];

/**
 * Records the node's present answers.
 * @returns a function that makes it repeat them
 */
function recorded(): () => void {
  const said = new Map<string, unknown>();
  const keyOf = ({ method, params }: { method: string; params: unknown }) => JSON.stringify([method, params]);
  for (const method of ASKED_BY_A_LOOK)
    double.on(method, async (call, ask) => {
      const result: unknown = await ask({});
      said.set(keyOf(call), result);
      return result;
    });
  return () => {
    for (const method of ASKED_BY_A_LOOK) double.on(method, (call, ask) => said.get(keyOf(call)) ?? ask({}));
  };
}

it.each([
  [
    'the address',
    ({ topics, ...log }: Log) => ({
      ...log,
      topics: [...topics.slice(0, 2), `0x${'cd'.repeat(20).padStart(64, '0')}`],
    }),
  ],
  ['the token', (log: Log) => ({ ...log, address: `0x${'ab'.repeat(20)}` })],
])('credits nothing when the final transfer is no longer to %s', async (_, other) => {
  const account = await world.account();
  await paid(account);
  await world.read();
  double.on('eth_getTransactionReceipt', async (_call, ask) => {
    const receipt = await ask({});
    return receipt && { ...receipt, logs: receipt.logs.map(other) };
  });
  await mine(4);
  await world.read();
  await world.lookAgain();
  expect(await statuses()).toEqual(['confirming']);
  double.behaveWell();
  await mine(1);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
});

it('takes back a gone deposit, although the node first named the old chain', async () => {
  const { client } = world.chain;
  const account = await world.account();
  const snapshot = await client.snapshot();
  await paid(account);
  await mine(2);
  const asBefore = recorded();
  await world.read();
  await world.lookAgain();
  double.behaveWell();
  expect(await statuses()).toEqual(['credited']);
  await client.revert({ id: snapshot });
  await mine(4);
  while ((await world.turn()) !== 'rests');
  asBefore();
  await world.looks();
  double.behaveWell();
  expect(await statuses()).toEqual(['credited']);
  for (let blocks = 0; blocks < 10; blocks += 1) {
    await mine(1);
    await world.read();
  }
  expect(await statuses()).toEqual(['uncredited']);
  expect(await world.available(account)).toBe('0');
});

it('accepts no range that does not follow the last block', async () => {
  await paid(await world.account());
  double.on('eth_getBlockByNumber', async ({ params }, ask) => {
    const block = await ask({ params });
    // The newest block follows the last one, and the range is of another chain.
    return params[0] === 'latest' ? block : { ...block, parentHash: `0x${'e'.repeat(64)}` };
  });
  expect(await world.turn()).toBe('rests');
  expect(await statuses()).toEqual([]);
  double.behaveWell();
  await world.read();
  expect(await statuses()).toEqual(['confirming']);
});

it('keeps the position of another watcher that has read on while the node was slow', async () => {
  const account = await world.account();
  await paid(account);
  let isFirst = true;
  double.on('eth_getLogs', async (_, ask) => {
    const logs: unknown = await ask({});
    if (isFirst) {
      isFirst = false;
      await mine(2);
      while ((await readChain(world.api.services, 'local')) !== 'rests');
    }
    return logs;
  });
  const placeOf = async () =>
    (await world.api.database.query<{ at: number }>('select block_number::int as at from chain_places'))[0]
      ?.at;
  expect(await world.turn()).toBe('rests');
  expect(await placeOf()).toBe(Number(await world.chain.client.getBlockNumber()));
  double.behaveWell();
  await world.read();
  expect(await statuses()).toEqual(['credited']);
});

it('books a deposit that the last block makes final, although its step asked earlier and the chain rests', async () => {
  const account = await world.account();
  await paid(account);
  await mine(2);
  const { services } = world.api;
  const head = Number(await world.chain.client.getBlockNumber());
  await readChain(services, 'local', nothingRemembered(), async (ids) => {
    // Answers as to a step that asked before the last block and ended after it.
    double.on('eth_getBlockByNumber', ({ params }, ask) => (Number(params[0]) >= head ? null : ask({})));
    await bookDeposits(services, ids);
    double.behaveWell();
  });
  expect(await statuses()).toEqual(['confirming']);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  const told = world.api.commands.length;
  await world.turn();
  expect(world.api.commands).toHaveLength(told);
});
