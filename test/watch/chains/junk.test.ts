import { type NodeDouble, NodeError, startNodeDouble } from '../../parties/chain/node-double';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

/** An unlisted token may leave more logs in a block than a node returns. */

let world: World;
let double: NodeDouble;
beforeEach(async () => {
  world = await openWorld({ before: async (url) => (double = await startNodeDouble(url)).url, alone: true });
  await world.read();
});
afterEach(async () => {
  await world.close();
  await double.close();
});

/** Limits the answer, as nodes do. */
const giving = (most: number) =>
  double.on('eth_getLogs', async (_, ask) => {
    const logs = (await ask({})) as unknown[];
    return logs.length > most ? new NodeError(-32005, `query returned more than ${most} results`) : logs;
  });

const breaks = () =>
  world.api.database.query(
    `select subject, detail from breaks where kind = 'chain_blocks_in_part' and resolved_at is null`,
  );
const credited = async () => (await world.deposits()).map(({ status, terms }) => [status, terms['amount']]);

it('holds back no credit of a listed token, and is noted once a day', async () => {
  const { chain } = world;
  const account = await world.account();
  const address = await world.wallet(account);
  const junk = await chain.token();
  await world.read();
  giving(3);
  for (const units of [5_000_000n, 7_000_000n]) {
    await chain.client.setAutomine(false);
    for (let count = 0; count < 4; count += 1) await chain.write(junk, 'TestUsdt', 'transfer', [address, 1n]);
    await chain.write(world.token, 'TestUsdt', 'transfer', [address, units]);
    await chain.client.mine({ blocks: 1 });
    await chain.client.setAutomine(true);
  }
  await chain.client.mine({ blocks: 3 });
  await world.read();
  expect(await credited()).toEqual([
    ['credited', '5'],
    ['credited', '7'],
  ]);
  expect(await world.available(account)).toBe('12');
  const day = expect.stringMatching(/^blocks of \d{4}-\d\d-\d\d$/);
  expect(await breaks()).toEqual([{ subject: 'chain:local', detail: day }]);
});

it('halves the addresses when even the listed tokens have too many logs', async () => {
  const { chain } = world;
  const account = await world.account();
  const addresses = [await world.wallet(account), await world.wallet(account)];
  await world.read();
  giving(1);
  await chain.client.setAutomine(false);
  for (const address of addresses)
    await chain.write(world.token, 'TestUsdt', 'transfer', [address, 2_000_000n]);
  await chain.client.mine({ blocks: 1 });
  await chain.client.setAutomine(true);
  await chain.client.mine({ blocks: 3 });
  await world.read();
  expect(await credited()).toEqual(Array(2).fill(['credited', '2']));
});
