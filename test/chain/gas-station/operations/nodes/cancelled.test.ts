/** @long */
import { type NodeDouble, NodeError, startNodeDouble } from '../../../../parties/chain/node-double';
import { deployDelegate, GATHERED_MS } from '../../strategies/delegated-station';
import { OPERATIONS } from '../by-person/decisions';
import {
  attempts,
  breaksOf,
  ether,
  feesOf,
  fundNative,
  sweepOfOne,
  type TestStation,
  testStation,
  unitsOf,
  withoutBlocks,
} from '../support';

const SEND = 'eth_sendRawTransaction';
const AGAIN_MS = 60_000;

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

const fail = (id: string, more: object = {}) =>
  world.admin.call('POST', `${OPERATIONS}/${id}/fail`, { reason: 'not needed', ...more });
const failure = { code: 'by_operator', reason: 'not needed' };

/** Makes the node refuse the operation's present transactions and accept all others. */
async function refuses(id: string): Promise<void> {
  const own = (await attempts(world, id)).map(({ raw }) => raw);
  double.on(SEND, ({ params: [raw] }, ask) =>
    own.includes(raw) ? new NodeError(-32_000, 'refused by the policy of this node') : ask({}),
  );
}

/** A sweep that was signed and broadcast, and that no node has. */
async function refusedSweep(): Promise<{ id: string; address: `0x${string}` }> {
  const made = await sweepOfOne(world);
  double.on(SEND, () => new NodeError(-32_000, 'refused by the policy of this node'));
  await world.advance(made.id);
  await refuses(made.id);
  return made;
}

it('shows consecutive refusals by all nodes, until one accepts', async () => {
  const { id } = await refusedSweep();
  for (let turn = 0; turn < 3; turn += 1) await world.advance(id);
  expect(await breaksOf(world, id)).toEqual([]);
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ status: 'confirming', waitsFor: 'refused' });
  expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_transaction_refused', open: true }]);
  double.behaveWell();
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_transaction_refused', open: false }]);
});

it('cancels by an empty transaction under the same nonce, and the sender goes on', async () => {
  const { id, address } = await refusedSweep();
  const before = await world.held('gas', 'ETH');
  expect(await fail(id)).toMatchObject({ status: 200, body: { status: 'confirming', cancelling: true } });
  expect((await fail(id)).body).toMatchObject({ cancelling: true });
  expect(await world.lead(id)).toMatchObject({ status: 'failed' });
  const [first, second, ...more] = await attempts(world, id);
  expect([second?.nonce, more]).toEqual([first?.nonce, []]);
  for (const price of ['max_fee_per_gas', 'max_priority_fee_per_gas'] as const)
    expect(BigInt(second![price]) * 8n).toBeGreaterThanOrEqual(BigInt(first![price]) * 9n);
  const read = await world.read(id);
  expect(read).toMatchObject({ failure, txHash: second?.hash, movedAmount: '0.000000' });
  expect(read).not.toHaveProperty('cancelling');
  const cost = await feesOf(world.chain, [second!.hash!]);
  expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
  expect(await world.tokens(address)).toBe(4_000_000n);
  const next = await world.sweep(read.walletId);
  expect(await world.lead(next.id)).toMatchObject({ status: 'completed' });
  expect((await attempts(world, next.id)).map(({ nonce }) => nonce)).toEqual(['1']);
});

it('completes when its own transaction is mined instead of the cancellation', async () => {
  const { id } = await sweepOfOne(world);
  await withoutBlocks(world, async () => {
    await world.advance(id);
    expect((await fail(id)).body).toMatchObject({ cancelling: true });
  });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).not.toHaveProperty('cancelling');
});

it('waits while a cap forbids the cancellation, and shows it', async () => {
  const { id } = await refusedSweep();
  const [first] = await attempts(world, id);
  await world.configure({ maxGasPrice: (Number(first!.max_fee_per_gas) / 1e9).toFixed(9) });
  await fail(id);
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ cancelling: true, waitsFor: 'gas_price' });
  expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_cancel_capped', open: true }]);
  await world.configure({ dailyGasBudget: '0.0000000001' });
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ cancelling: true, waitsFor: 'daily_budget' });
  await world.configure({});
  expect(await world.lead(id)).toMatchObject({ status: 'failed' });
  expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_cancel_capped', open: false }]);
});

it('orders gas for the cancellation when its sender has none', async () => {
  const { id, address } = await refusedSweep();
  await fundNative(world.chain, address, 1n);
  await fail(id);
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ cancelling: true, waitsFor: 'gas' });
  const { body } = await world.admin.call('GET', OPERATIONS);
  const [topup] = body.data.filter(({ type }: { type: string }) => type === 'topup');
  expect(topup).toMatchObject({ to: address, amount: '0.002000000000000000' });
  expect(await world.lead(topup.id)).toMatchObject({ status: 'completed' });
  world.later(AGAIN_MS);
  expect(await world.lead(id)).toMatchObject({ status: 'failed' });
  expect(await world.read(id)).toMatchObject({ failure });
});

it('cancels all operations that share the transaction, once a person has confirmed that', async () => {
  await deployDelegate(world.chain, world);
  await world.configure({ sweepStrategy: 'delegated' });
  const wallets = await world.wallets(3, 1_000_000n);
  const ids: string[] = [];
  for (const { id } of wallets) ids.push((await world.sweep(id)).id);
  const [leader = '', member = ''] = ids;
  world.later(GATHERED_MS);
  double.on(SEND, () => new NodeError(-32_000, 'refused by the policy of this node'));
  for (const id of ids) await world.advance(id);
  await refuses(leader);
  const before = await world.held('gas', 'ETH');
  for (const id of [leader, member]) {
    const { status, body } = await fail(id);
    expect([status, body.field]).toEqual([409, 'batch']);
    for (const each of ids) expect(body.message).toContain(each);
  }
  expect((await fail(member, { batch: true })).body).toMatchObject({ id: member, cancelling: true });
  for (const id of ids) expect(await world.read(id)).toMatchObject({ cancelling: true });
  for (const id of ids) expect(await world.lead(id)).toMatchObject({ status: 'failed' });
  for (const id of ids) expect(await world.read(id)).toMatchObject({ failure });
  const cost = await feesOf(world.chain, [(await attempts(world, leader)).at(-1)!.hash!]);
  expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before) + cost));
  await world.configure({ sweepStrategy: 'transfer' });
});
