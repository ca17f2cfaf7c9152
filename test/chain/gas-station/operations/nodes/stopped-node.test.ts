/** @long */
import { type NodeDouble, NodeError, startNodeDouble } from '../../../../parties/chain/node-double';
import { deployDelegate, GATHERED_MS } from '../../strategies/delegated-station';
import { attempts, breaksOf, outbid, sweepOfOne, type TestStation, testStation } from '../support';

/** One of two nodes stopped long ago. The node still answers, with its last block. */

const STUCK_MS = 3 * 60_000;
const SHOWN_MS = 15 * 60_000;
/** Time after which a failed node is asked again. */
const PASSED_OVER_MS = 11_000;

let world: TestStation;
let first: NodeDouble;
let stopped: NodeDouble;
beforeEach(async () => {
  const nodes = async (url: string) => {
    [first, stopped] = (await Promise.all([1, 2].map(() => startNodeDouble(url)))) as [
      NodeDouble,
      NodeDouble,
    ];
    return [first.url, stopped.url];
  };
  world = await testStation({ config: { autoSweep: true }, nodes });
});
afterEach(async () => {
  await world.close();
  await Promise.all([first.close(), stopped.close()]);
});

async function pass(ms: number): Promise<void> {
  world.later(ms);
  await world.chain.client.increaseTime({ seconds: ms / 1_000 });
}
const hex = (value: number | bigint) => `0x${value.toString(16)}`;

/** Makes the node know blocks only up to `last`. */
function stopsAt(last: bigint): void {
  stopped.on('eth_getBlockByNumber', ({ params: [height, full] }, ask) => {
    if (height === 'latest') return ask({ params: [hex(last), full] });
    return BigInt(height) > last ? null : ask({});
  });
  stopped.on('eth_getTransactionCount', ({ params: [of] }, ask) => ask({ params: [of, hex(last)] }));
}

/**
 * A wallet with money that has sent a transaction since the second node stopped.
 * @returns its id
 */
async function walletThatHasSent(): Promise<string> {
  const { client } = world.chain;
  const { id } = await sweepOfOne(world, '1');
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  const { walletId, from } = await world.read(id);
  const last = (await client.getBlockNumber()) - 1n;
  await world.chain.pay(world.token, from, 4_000_000n);
  await pass(SHOWN_MS);
  await client.mine({ blocks: 10 });
  stopsAt(last);
  stopped.on('eth_getTransactionByHash', { result: null });
  stopped.on('eth_getTransactionReceipt', { result: null });
  return walletId;
}

async function goesOn(): Promise<void> {
  stopped.behaveWell();
  await pass(PASSED_OVER_MS);
}

it("signs a wallet's authorization only with its own nonce", async () => {
  await deployDelegate(world.chain, world);
  const walletId = await walletThatHasSent();
  await world.configure({ sweepStrategy: 'delegated' });
  const { id } = await world.sweep(walletId);
  await pass(GATHERED_MS + PASSED_OVER_MS);
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'nodes_disagree' });
  await goesOn();
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).toMatchObject({ movedAmount: '4.000000' });
});

it('does not show an unknown transaction as vanished when the other node fails once', async () => {
  const { id } = await world.sweep(await walletThatHasSent());
  let isFirst = true;
  first.on('eth_getTransactionByHash', (_, ask) => {
    if (!isFirst) return ask({});
    isFirst = false;
    return new NodeError(-32_005, 'limit exceeded');
  });
  await world.advance(id);
  const shown = await world.services.database.query(`select kind from breaks where kind like 'gas_%'`);
  expect(shown).toEqual([]);
  first.behaveWell();
  await goesOn();
  const { status } = await world.lead(id);
  expect([status, (await world.read(id)).waitsFor]).toEqual(['completed', undefined]);
});

it('makes nothing wait for transactions that were mined long ago', async () => {
  const walletId = await walletThatHasSent();
  const { client } = world.chain;
  stopped.behaveWell();
  const { id } = await world.sweep(walletId);
  await client.setAutomine(false);
  await world.advance(id);
  stopsAt((await client.getBlockNumber()) - 12n);
  for (let turn = 0; turn < 3; turn += 1) {
    world.later(SHOWN_MS);
    await world.advance(id);
  }
  const { waitsFor } = await world.read(id);
  expect(waitsFor).not.toBe('nonce_gap');
  expect((await breaksOf(world, id)).map(({ kind }) => kind)).not.toContain('gas_nonce_gap');
  stopped.behaveWell();
  await outbid(world, id, STUCK_MS);
  await world.advance(id);
  expect((await attempts(world, id)).length).toBeGreaterThan(1);
  await client.setAutomine(true);
  await client.mine({ blocks: 1 });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
});
