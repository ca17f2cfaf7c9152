import type { NetworkTerms } from '../../../src/chain/networks/operations';
import { type NodeDouble, NodeError, startNodeDouble } from '../../parties/chain/node-double';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

const EPOCH = 4;
/** Further blocks after which the block of a payment is under the tag. */
const UNTIL = { safe: EPOCH, finalized: 2 * EPOCH } as const;

let world: World;
let double: NodeDouble;
afterEach(async () => {
  await world.close();
  await double.close();
});

async function open(finality: NetworkTerms['finality'], confirmations = 2): Promise<void> {
  world = await openWorld({
    blockTime: 'manual',
    epoch: EPOCH,
    network: { finality, confirmations },
    before: async (url) => {
      double = await startNodeDouble(url);
      return double.url;
    },
  });
  await world.turn();
}

async function mine(blocks: number): Promise<void> {
  await world.chain.client.mine({ blocks });
  await world.read();
}

const statuses = async () => (await world.deposits()).map(({ status }) => status);

async function paid(): Promise<void> {
  await world.chain.pay(world.token, await world.wallet(await world.account()), 5_000_000n);
  await mine(1);
}

it.each(['safe', 'finalized'] as const)('credits a payment when its block is %s', async (tag) => {
  await open(tag);
  await paid();
  await mine(UNTIL[tag] - 1); // more than its confirmations
  expect(await statuses()).toEqual(['confirming']);
  await mine(1);
  expect(await statuses()).toEqual(['credited']);
});

it('credits nothing by the word of one of two nodes', async () => {
  await open('safe');
  double.on('eth_getBlockByNumber', async ({ params }, ask) =>
    ask({ params: params[0] === 'safe' ? ['latest', false] : params }),
  );
  await paid();
  await mine(UNTIL.safe - 1);
  expect(await statuses()).toEqual(['confirming']);
  await mine(1);
  expect(await statuses()).toEqual(['credited']);
});

it('is refused where most nodes do not know the tag, and keeps a deposit by the terms of its time', async () => {
  await open('confirmations');
  const admin = await world.api.client('admin');
  const put = async (change: object) => {
    const { version } = (await admin.call('GET', '/v1/networks/local')).body;
    return admin.call('PUT', '/v1/networks/local', { ...change, version });
  };
  double.on('eth_getBlockByNumber', async ({ params }, ask) =>
    params[0] === 'finalized' ? new NodeError(-32602, 'invalid block tag') : ask({ params }),
  );
  expect(await put({ finality: 'finalized' })).toMatchObject({ status: 400, body: { field: 'finality' } });
  await paid();
  expect(await put({ finality: 'safe', requestsPerSecond: 1000 })).toMatchObject({
    status: 200,
    body: { finality: 'safe', requestsPerSecond: 1000 },
  });
  await mine(1);
  expect(await statuses()).toEqual(['credited']);
  expect(await put({ requestsPerSecond: null })).toMatchObject({
    body: { finality: 'safe', requestsPerSecond: null },
  });
});
