import { parseGwei } from 'viem';
import { brokenOff } from './broken-off';
import { type NodeDouble, nodeDouble } from './node-double';
import {
  attempts,
  ether,
  feesOf,
  fundNative,
  sendAs,
  type TestStation,
  testStation,
  unitsOf,
} from './support';

const SEND = 'eth_sendRawTransaction';
const STUCK_MS = 3 * 60_000;

let world: TestStation;
let double: NodeDouble;
beforeAll(async () => {
  let node = '';
  double = await nodeDouble(() => node);
  const rpcUrl = (url: string) => {
    node = url;
    return double.url;
  };
  world = await testStation({ config: { autoSweep: true }, rpcUrl });
});
afterAll(async () => {
  await world.close();
  await double.close();
});

const sweepOfOne = async (gas = '0.05') => {
  const [wallet] = await world.wallets(1, 4_000_000n, gas);
  const { id } = await world.sweep(wallet!.id);
  return { id, address: wallet!.address };
};

const sentBy = (address: `0x${string}`) => world.chain.client.getTransactionCount({ address });

/** Nothing gets into a block until it is over. */
async function withoutBlocks(work: () => Promise<void>): Promise<void> {
  await world.chain.client.setAutomine(false);
  await work();
  await world.chain.client.setAutomine(true);
  await world.chain.client.mine({ blocks: 1 });
}

it('hands the same bytes over again when the answer was lost after a broadcast', async () => {
  const { id, address } = await sweepOfOne();
  double.next(SEND, 'lost');
  await expect(world.advance(id)).rejects.toThrow('outcome is not known');
  expect(await world.read(id)).toMatchObject({ status: 'confirming' });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await sentBy(address)).toBe(1);
  expect((await attempts(world, id)).map(({ nonce }) => nonce)).toEqual(['0']);
});

it('follows what was executed though its answer was lost and a block costs more than the cap since', async () => {
  const { id, address } = await sweepOfOne();
  double.next(SEND, 'lost');
  await expect(world.advance(id)).rejects.toThrow('outcome is not known');
  await world.configure({ maxGasPrice: '0.000001' });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await sentBy(address)).toBe(1);
  await world.configure({});
});

it('replaces what is stuck by a dearer one under the same nonce, and pays for one alone', async () => {
  const { id, address } = await sweepOfOne();
  await withoutBlocks(async () => {
    await world.advance(id);
    world.later(STUCK_MS - 10_000);
    await world.advance(id);
    expect(await attempts(world, id)).toHaveLength(1);
    world.later(10_000);
    await world.advance(id);
  });
  const [first, second] = await attempts(world, id);
  expect([second?.nonce, second?.attempt]).toEqual([first?.nonce, 1]);
  for (const price of ['max_fee_per_gas', 'max_priority_fee_per_gas'] as const)
    expect(BigInt(second![price]) * 8n).toBeGreaterThanOrEqual(BigInt(first![price]) * 9n);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).toMatchObject({ txHash: second?.hash });
  expect(await sentBy(address)).toBe(1);
});

it('completes by whichever of its attempts gets into a block', async () => {
  const { id } = await sweepOfOne();
  await withoutBlocks(async () => {
    await world.advance(id);
    world.later(STUCK_MS);
    double.next(SEND, 'refused', 100);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'confirming', waitsFor: 'refused' });
  });
  double.next(SEND, 'refused', 0);
  const [first, second] = await attempts(world, id);
  expect(second?.hash).toBeTruthy();
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).toMatchObject({ txHash: first?.hash });
});

it('replaces nothing above the cap, nor with gas that is not there', async () => {
  const { id, address } = await sweepOfOne();
  await withoutBlocks(async () => {
    await world.advance(id);
    const [first] = await attempts(world, id);
    const cap = Number(BigInt(first!.max_fee_per_gas)) / 1e9;
    await world.configure({ maxGasPrice: cap.toFixed(9) });
    world.later(STUCK_MS);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'confirming', waitsFor: 'gas_price' });
    await world.configure({});
    await fundNative(world.chain, address, parseGwei('100'));
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ waitsFor: 'gas' });
    expect(await attempts(world, id)).toHaveLength(1);
    await fundNative(world.chain, address, parseGwei('50000000'));
  });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
});

it('hands over again what the chain has lost in a reorganisation', async () => {
  await world.configure({ sweepConfirmations: 2 });
  const { id, address } = await sweepOfOne();
  const before = await world.chain.client.snapshot();
  expect(await world.advance(id)).toMatchObject({ status: 'confirming' });
  const { txHash } = await world.read(id);
  await world.chain.client.revert({ id: before });
  expect(await sentBy(address)).toBe(0);
  world.later(1_000);
  await world.advance(id);
  expect(await sentBy(address)).toBe(1);
  await world.chain.client.mine({ blocks: 1 });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).toMatchObject({ txHash });
  await world.configure({});
});

it('shows a nonce that was used by a transaction of somebody else, and lets a person end it', async () => {
  const { id, address } = await sweepOfOne();
  await world.chain.client.setAutomine(false);
  await world.advance(id);
  await world.chain.client.dropTransaction({ hash: (await attempts(world, id))[0]!.hash! });
  await world.chain.client.setAutomine(true);
  await sendAs(world.chain, address, { to: address });
  expect(await world.advance(id)).toMatchObject({ status: 'confirming', open: true });
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ waitsFor: 'nonce_taken' });
  const breaks = await world.services.database.query('select kind from breaks where subject = $1', [id]);
  expect(breaks).toEqual([{ kind: 'gas_nonce_taken' }]);
  const failed = await world.admin.call('POST', `/v1/gas-station/operations/${id}/fail`, { reason: 'taken' });
  expect(failed.body).toMatchObject({ status: 'failed' });
});

describe('broken off anywhere', () => {
  it.each(['before', 'after'] as const)('it has been done once (a fault %s each call)', async (moment) => {
    const hashes: `0x${string}`[] = [];
    const before = { gas: await world.held('gas', 'ETH'), treasury: await world.tokens(world.treasury) };
    let faults = 0;
    for (let place = 0; ; place += 1) {
      const { id, address } = await sweepOfOne();
      const broken = brokenOff(world.services, place, moment);
      const failed = await world.advance(id, broken.services).then(
        () => false,
        () => true,
      );
      expect(await world.lead(id)).toMatchObject({ status: 'completed', open: false });
      expect(await sentBy(address)).toBe(1);
      const kept = await attempts(world, id);
      expect(kept).toHaveLength(1);
      hashes.push(kept[0]!.hash!);
      if (!broken.broke()) break;
      faults += 1;
      expect(failed).toBe(true);
    }
    expect(faults).toBeGreaterThan(10);
    const swept = 4_000_000n * BigInt(hashes.length);
    expect(await world.tokens(world.treasury)).toBe(before.treasury + swept);
    const fees = await feesOf(world.chain, hashes);
    expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(before.gas) + fees));
  });
});
