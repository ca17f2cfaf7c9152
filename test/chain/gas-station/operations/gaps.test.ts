import { keepChainReading } from '../../../../src/chain/reconciliation/readings';
import { type NodeDouble, NodeError, startNodeDouble } from '../../../parties/chain/node-double';
import { TOPUPS } from './by-hand';
import { attempts, type TestStation, testStation } from './support';

const STUCK_MS = 3 * 60_000;
const SHOWN_MS = 15 * 60_000;

let world: TestStation;
let double: NodeDouble;
beforeAll(async () => {
  const nodes = async (url: string) => [(double = await startNodeDouble(url)).url];
  world = await testStation({ config: { autoSweep: true }, nodes });
});
afterAll(async () => {
  await world.close();
  await double.close();
});
beforeEach(() => double.behaveWell());

const breaks = (id: string) =>
  world.services.database.query(
    'select kind, resolved_at is null as open from breaks where subject = $1 order by id',
    [id],
  );
const noncesOf = async (id: string) => (await attempts(world, id)).map(({ nonce }) => Number(nonce));
const drop = async (id: string) => {
  for (const { hash } of await attempts(world, id))
    if (hash) await world.chain.client.dropTransaction({ hash });
};

async function withoutBlocks<T>(work: () => Promise<T>): Promise<T> {
  await world.chain.client.setAutomine(false);
  const done = await work();
  await world.chain.client.setAutomine(true);
  await world.chain.client.mine({ blocks: 1 });
  return done;
}

type Wallet = { id: string };

/** Two of the station, the second behind the first, and both are in no block. */
async function twoOnTheirWay([one, other]: readonly Wallet[]): Promise<[string, string]> {
  return [await onItsWay(one), await onItsWay(other)];
}

async function onItsWay(wallet: Wallet | undefined): Promise<string> {
  const { id } = await world.topup(wallet!.id);
  await world.advance(id);
  return id;
}

it('waits where its only node tells of more transactions than there can be, and shows it', async () => {
  double.on('eth_getTransactionCount', ({ params: [, at] }, ask) => (at === 'pending' ? '0x2328' : ask({})));
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const { id } = await world.sweep(wallet!.id);
  await world.advance(id);
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'nonce_gap' });
  expect(await noncesOf(id)).toEqual([]);
  expect(await breaks(id)).toEqual([{ kind: 'gas_nonce_gap', open: true }]);
  double.behaveWell();
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await breaks(id)).toEqual([{ kind: 'gas_nonce_gap', open: false }]);
});

it('asks a node that tells nothing of what is pending for what is in blocks', async () => {
  double.on('eth_getTransactionCount', ({ params: [, at] }, ask) =>
    at === 'pending' ? new NodeError(-32_602, 'unknown block tag') : ask({}),
  );
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const { id } = await world.sweep(wallet!.id);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
});

it('makes nothing dearer that waits behind another, and goes on once it is the next', async () => {
  const wallets = await world.wallets(2, 4_000_000n);
  const [first, second] = await withoutBlocks(async () => {
    const ids = await twoOnTheirWay(wallets);
    // Of the first the second depends: the node drops both.
    await drop(ids[0]);
    world.later(STUCK_MS);
    await world.advance(ids[1]);
    expect(await world.read(ids[1])).toMatchObject({ status: 'confirming', waitsFor: 'nonce_gap' });
    expect(await breaks(ids[1])).toEqual([]);
    world.later(SHOWN_MS);
    await world.advance(ids[1]);
    expect(await breaks(ids[1])).toEqual([{ kind: 'gas_nonce_gap', open: true }]);
    expect(await noncesOf(ids[1])).toHaveLength(1);
    return ids;
  });
  expect(await world.lead(first)).toMatchObject({ status: 'completed' });
  expect(await world.lead(second)).toMatchObject({ status: 'completed' });
  expect(await noncesOf(second)).toHaveLength(1);
  expect(await breaks(second)).toEqual([{ kind: 'gas_nonce_gap', open: false }]);
});

it('is ended by a person behind another while no node has it, and its nonce goes to the next', async () => {
  const wallets = await world.wallets(3, 4_000_000n);
  const [first, second, third] = await withoutBlocks(async () => {
    const ids = await twoOnTheirWay(wallets);
    const fail = (id: string) => world.admin.call('POST', `${TOPUPS}/${id}/fail`, { reason: 'test' });
    expect((await fail(ids[1])).status).toBe(409);
    await drop(ids[0]);
    // Its nonce is the next: whoever has its bytes can have it executed.
    expect((await fail(ids[0])).status).toBe(409);
    // It may be handed over again, until it is kept back.
    expect((await fail(ids[1])).status).toBe(409);
    world.later(STUCK_MS);
    await world.advance(ids[1]);
    expect((await fail(ids[1])).body).toMatchObject({ status: 'failed' });
    return [...ids, await onItsWay(wallets[2])] as const;
  });
  expect(await noncesOf(third)).toEqual(await noncesOf(second));
  expect(await world.lead(first)).toMatchObject({ status: 'completed' });
  expect(await world.lead(third)).toMatchObject({ status: 'completed' });
  await keepChainReading(world.api.services, 'local');
  expect(await breaks(second)).toEqual([]);
});
