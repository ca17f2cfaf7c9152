/** @long */
import { type NodeDouble, startNodeDouble } from '../../parties/chain/node-double';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

let world: World;
/** Proxy before the first of the network's two nodes. */
let double: NodeDouble;
let account: string;
/** Follows the chain, and pays 5 USDT to the account. */
beforeEach(async () => {
  world = await openWorld({ before: async (url) => (double = await startNodeDouble(url)).url });
  await world.turn();
  account = await world.account();
  await paid();
});
afterEach(async () => {
  await world.close();
  await double.close();
});

const statuses = async () => (await world.deposits()).map(({ status }) => status);
const mine = (blocks: number) => world.chain.client.mine({ blocks });
const paid = async () => world.chain.pay(world.token, await world.wallet(account), 5_000_000n);
async function isCreditedOnceBothSaySo(): Promise<void> {
  double.behaveWell();
  await mine(1);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  expect(await world.available(account)).toBe('5');
}

it('credits nothing while two nodes name different blocks', async () => {
  await world.read();
  double.on('eth_getBlockByNumber', async ({ params }, ask) => {
    const block = await ask({ params });
    return params[0] === 'latest' || block === null ? block : { ...block, hash: `0x${'e'.repeat(64)}` };
  });
  await mine(6);
  for (let turns = 0; turns < 5; turns += 1) await world.turn();
  await world.looks();
  expect(await statuses()).toEqual(['confirming']);
  await isCreditedOnceBothSaySo();
});

it('neither credits nor takes back by the word of a lagging node', async () => {
  await mine(2);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  const stands = (await world.chain.client.getBlockNumber()) - 4n;
  const isLater = (height: unknown) => BigInt(String(height)) > stands;
  double.on('eth_getTransactionByHash', { result: null });
  double.on('eth_getTransactionReceipt', { result: null });
  double.on('eth_getBlockByNumber', async ({ params: [height, full] }, ask) => {
    if (height === 'latest') return ask({ params: [`0x${stands.toString(16)}`, full] });
    return isLater(height) ? null : ask({ params: [height, full] });
  });
  await paid();
  await mine(12);
  await world.read();
  await world.lookAgain();
  expect(await statuses()).toEqual(['credited', 'confirming']);
  expect(await world.available(account)).toBe('5');
  double.behaveWell();
  await mine(1);
  await world.read();
  expect(await statuses()).toEqual(['credited', 'credited']);
  expect(await world.available(account)).toBe('10');
});

it('continues with the other node when one fails midway, and credits once both agree', async () => {
  await world.turn();
  double.on('*', 'lost');
  await mine(3);
  await world.read();
  expect(await statuses()).toEqual(['confirming']);
  await isCreditedOnceBothSaySo();
});

it('credits nothing by the word of one of two nodes', async () => {
  double.on('eth_getTransactionReceipt', async (_, ask) => {
    const receipt = await ask({});
    const logs = receipt.logs.map((log: object) => ({
      ...log,
      data: `0x${'0'.repeat(48)}${'f'.repeat(16)}`,
    }));
    return { ...receipt, logs };
  });
  await mine(3);
  await world.read();
  await world.lookAgain();
  expect(await statuses()).toEqual(['confirming']);
  expect(await world.booked('pool@local:USDT')).toBe('0');
});

it('takes nothing back by the word of one of two nodes, although both name other blocks', async () => {
  const { client } = world.chain;
  const snapshot = await client.snapshot();
  await paid();
  await mine(3);
  await world.read();
  expect(await statuses()).toEqual(['credited', 'credited']);
  await client.revert({ id: snapshot });
  double.on('eth_getTransactionByHash', 'lost');
  for (let blocks = 0; blocks < 12; blocks += 1) {
    await mine(1);
    await world.read();
    await world.lookAgain();
  }
  expect(await statuses()).toEqual(['credited', 'credited']);
  double.behaveWell();
  await mine(1);
  await world.read();
  await world.lookAgain();
  expect(await statuses()).toEqual(['credited', 'uncredited']);
});
