/** @long */
import { parseGwei, toEventSelector } from 'viem';
import { spentToday } from '../../../../../src/chain/gas-station/operations/budget';
import { committedBy } from '../../../../../src/chain/gas-station/operations/nonces-store';
import { findOperation } from '../../../../../src/chain/gas-station/operations/store';
import { compareChain } from '../../../../../src/chain/reconciliation/compare';
import { keepChainReading } from '../../../../../src/chain/reconciliation/readings';
import { checkLedger } from '../../../../../src/kernel/ledger/check';
import { ZERO } from '../../../../../src/kernel/money/money';
import {
  attempts,
  breaksOf,
  fundNative,
  outbid,
  posted,
  sendAs,
  sweepOfOne,
  type TestStation,
  testStation,
  withoutBlocks,
  withParties,
} from '../support';
import { type NodeDouble, nodeDouble } from './node-double';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const SEND = 'eth_sendRawTransaction';
const STUCK_MS = 3 * 60_000;
/** For any call, emits a transfer of 1,000 units less than requested, and returns true. */
const KEEPS_SOME =
  `0x6103e860243503600052600435337f${TRANSFER.slice(2)}60206000a3600160005260206000f3` as const;

let world: TestStation;
let double: NodeDouble;
beforeAll(async () => {
  const nodes = async (url: string) => [(double = await nodeDouble(() => url)).url];
  world = await testStation({ config: { autoSweep: true }, nodes });
});
afterAll(async () => {
  await world.close();
  await double.close();
});

beforeEach(async () => {
  await cheapBlock();
  await world.chain.client.mine({ blocks: 1 });
});

const cheapBlock = () => world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('0.5') });

type Held = Awaited<ReturnType<typeof attempts>>[number];
const sentBy = (address: `0x${string}`) => world.chain.client.getTransactionCount({ address });

it('broadcasts the same bytes again when the answer to a broadcast was lost', async () => {
  const { id, address } = await sweepOfOne(world);
  double.next(SEND, 'lost');
  await expect(world.advance(id)).rejects.toThrow('the outcome is unknown');
  expect(await world.read(id)).toMatchObject({ status: 'confirming' });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await sentBy(address)).toBe(1);
  expect((await attempts(world, id)).map(({ nonce }) => nonce)).toEqual(['0']);
});

it('follows a transaction whose answer was lost, although blocks now cost more than the cap', async () => {
  const { id, address } = await sweepOfOne(world);
  double.next(SEND, 'lost');
  await expect(world.advance(id)).rejects.toThrow('the outcome is unknown');
  await world.configure({ maxGasPrice: '0.000001' });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await sentBy(address)).toBe(1);
  await world.configure({});
});

it('replaces a stuck transaction under the same nonce, and pays for only one', async () => {
  const { id, address } = await sweepOfOne(world);
  await withoutBlocks(world, async () => {
    await world.advance(id);
    await outbid(world, id, STUCK_MS - 10_000);
    await world.advance(id);
    expect(await attempts(world, id)).toHaveLength(1);
    world.later(10_000);
    await world.advance(id);
    // Either may be executed, so the higher cost is reserved.
    const { database, now } = world.services;
    const [, { gas, max_fee_per_gas: price }] = (await attempts(world, id)) as [unknown, Held];
    const most = BigInt(gas) * BigInt(price);
    expect((await spentToday(database, 'local', now())).reserved).toBe(most);
    expect(await committedBy(database, { chain: 'local', address, from: 0, except: 'swp_other' })).toBe(most);
  });
  const [first, second] = await attempts(world, id);
  expect([second?.nonce, second?.attempt]).toEqual([first?.nonce, 1]);
  for (const price of ['max_fee_per_gas', 'max_priority_fee_per_gas'] as const)
    expect(BigInt(second![price]) * 8n).toBeGreaterThanOrEqual(BigInt(first![price]) * 9n);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).toMatchObject({ txHash: second?.hash });
  expect(await sentBy(address)).toBe(1);
});

it('replaces nothing while no block comes, or while blocks ask no more than it offers', async () => {
  const { id } = await sweepOfOne(world);
  const { client } = world.chain;
  await withoutBlocks(world, async () => {
    await world.advance(id);
    await outbid(world, id, -1_000);
    const unpriced = async () => {
      world.later(STUCK_MS);
      await world.advance(id);
      expect(await attempts(world, id)).toHaveLength(1);
      expect(await breaksOf(world, id)).toEqual([]);
    };
    await unpriced(); // the market is above the offer, and the newest block is older
    const [{ hash }] = (await attempts(world, id)) as [Held];
    await client.dropTransaction({ hash: hash! });
    await cheapBlock();
    await client.mine({ blocks: 1 });
    await unpriced();
    await unpriced();
  });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await attempts(world, id)).toHaveLength(1);
});

it('moves less of the native coin when a replacement costs more, and books no loss', async () => {
  await world.configure({ gasThreshold: '0', gasTopupAmount: '0.000000001' });
  const [wallet] = await world.wallets(1, 1n, '1');
  const { id } = await posted(world.admin, '/v1/gas-station/operations', {
    walletId: wallet!.id,
    asset: 'ETH',
  });
  await withoutBlocks(world, async () => {
    await world.advance(id);
    const { amount } = await world.read(id);
    await outbid(world, id, STUCK_MS);
    await world.advance(id);
    expect(Number((await world.read(id)).amount)).toBeLessThan(Number(amount));
  });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await attempts(world, id)).toHaveLength(2);
  expect(await world.lost('ETH')).toBe('0');
  await world.configure({});
});

it('completes with whichever attempt is mined', async () => {
  const { id } = await sweepOfOne(world);
  await withoutBlocks(world, async () => {
    await world.advance(id);
    await outbid(world, id, STUCK_MS);
    double.next(SEND, 'refused', 100);
    await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'confirming', waitsFor: 'refused' });
    // The node has dropped the first attempt for its price. Somebody who kept its bytes broadcasts it.
    await cheapBlock();
    const [{ raw }] = (await attempts(world, id)) as [Held];
    await world.chain.client.sendRawTransaction({ serializedTransaction: raw! });
  });
  double.next(SEND, 'refused', 0);
  const [first, second] = await attempts(world, id);
  expect(second?.hash).toBeTruthy();
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).toMatchObject({ txHash: first?.hash });
});

it('replaces nothing above the cap, or without enough gas', async () => {
  const { id, address } = await sweepOfOne(world);
  await withoutBlocks(world, async () => {
    await world.advance(id);
    const [first] = await attempts(world, id);
    const cap = Number(BigInt(first!.max_fee_per_gas)) / 1e9;
    await world.configure({ maxGasPrice: cap.toFixed(9) });
    await outbid(world, id, STUCK_MS);
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

it('broadcasts nothing, planned or signed, while blocks cost more than the cap, and continues below it', async () => {
  const { client } = world.chain;
  const blocksCost = async (gwei: string) => {
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) });
    await client.mine({ blocks: 1 });
  };
  await world.configure({ maxGasPrice: '20' });
  const { id, address } = await sweepOfOne(world);
  const handedOver = double.asked(SEND);
  const waits = async () => {
    await world.advance(id);
    const { waitsFor } = await world.read(id);
    return [waitsFor, await sentBy(address), double.asked(SEND) - handedOver];
  };
  await blocksCost('50');
  expect(await waits()).toEqual(['gas_price', 0, 0]);
  expect(await attempts(world, id)).toEqual([]);
  await blocksCost('1');
  const { signer } = world.services.parties;
  const sign: typeof signer.sign = async (...given) => {
    await blocksCost('50');
    return signer.sign(...given);
  };
  await world.advance(id, withParties(world.services, { signer: { ...signer, sign } }));
  expect(await attempts(world, id)).toMatchObject([{ raw: expect.any(String), broadcast_at: null }]);
  expect(await waits()).toEqual(['gas_price', 0, 0]);
  await blocksCost('1');
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect([await sentBy(address), await attempts(world, id)]).toEqual([1, [expect.anything()]]);
  await world.configure({});
});

it('broadcasts again what the chain has lost in a reorganisation', async () => {
  await world.configure({ sweepConfirmations: 2 });
  const { id, address } = await sweepOfOne(world);
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

const vanishedBreaks = async (id: string) =>
  (await breaksOf(world, id)).filter(({ kind, open }) => open && kind === 'gas_operation_vanished');

it('broadcasts a lost final transaction again, so that no nonce is skipped', async () => {
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const before = await world.chain.client.snapshot();
  const first = await world.sweep(wallet!.id);
  expect(await world.lead(first.id)).toMatchObject({ status: 'completed' });
  await world.chain.client.revert({ id: before });
  const second = await world.sweep(wallet!.id);
  await world.lead(second.id);
  expect(await sentBy(wallet!.address)).toBe(1);
  expect(await vanishedBreaks(first.id)).toMatchObject([{ detail: `${wallet!.address}/0` }]);
  await world.chain.pay(world.token, wallet!.address, 6_000_000n);
  expect(await world.lead(second.id)).toMatchObject({ status: 'completed' });
  expect((await attempts(world, second.id)).map(({ nonce }) => nonce)).toEqual(['1']);
  expect(await sentBy(wallet!.address)).toBe(2);
  // A block has the transaction again, so the break closes.
  expect(await vanishedBreaks(first.id)).toHaveLength(1);
  await keepChainReading(world.api.services, 'local');
  expect(await vanishedBreaks(first.id)).toEqual([]);
});

/** Difference between the chain and the books of the native coin on all of our addresses. Gifts to them are not booked. */
const difference = async () =>
  (await compareChain(world.api.services, 'local')).lines
    .filter(({ asset }) => asset === 'ETH')
    .reduce((sum, line) => sum.plus(line.difference), ZERO);

it('books the fee again when a deep reorganisation has put a final transaction into another block', async () => {
  const { client } = world.chain;
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const unbooked = await difference();
  const before = await client.snapshot();
  const { id } = await world.sweep(wallet!.id);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  const [attempt] = await attempts(world, id);
  const paid = (await findOperation(world.services.database, id))?.feeUnits;
  expect(await difference()).toEqual(unbooked);

  await client.revert({ id: before });
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('0.75') });
  const hash = await client.sendRawTransaction({ serializedTransaction: attempt!.raw! });
  const { gasUsed, effectiveGasPrice } = await world.chain.receipt(hash);
  expect(gasUsed * effectiveGasPrice).not.toBe(paid);
  expect(await difference()).not.toEqual(unbooked);

  await keepChainReading(world.api.services, 'local');
  expect(await difference()).toEqual(unbooked);
  expect(await findOperation(world.services.database, id)).toMatchObject({
    status: 'completed',
    feeUnits: gasUsed * effectiveGasPrice,
  });
  expect(await checkLedger(world.services.database)).toEqual([]);
});

it('closes the break of a lost revert that has come back, whatever failed its operation', async () => {
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const { client } = world.chain;
  const before = await client.snapshot();
  const code = (await client.getCode({ address: world.token }))!;
  const first = await world.sweep(wallet!.id);
  await withoutBlocks(world, async () => {
    await world.advance(first.id);
    await client.setCode({ address: world.token, bytecode: '0xfe' });
  });
  expect(await world.lead(first.id)).toMatchObject({ status: 'failed' });
  // As if a person had failed it before its block.
  await world.services.database.query(
    "update gas_operations set failure_code = 'by_operator' where id = $1",
    [first.id],
  );
  await client.revert({ id: before });
  const second = await world.sweep(wallet!.id);
  await client.setCode({ address: world.token, bytecode: '0xfe' });
  await world.advance(second.id);
  await client.setCode({ address: world.token, bytecode: code });
  expect(await vanishedBreaks(first.id)).toHaveLength(1);
  await keepChainReading(world.api.services, 'local');
  expect(await vanishedBreaks(first.id)).toEqual([]);
  expect(await world.lead(second.id)).toMatchObject({ status: 'completed' });
});

it("leaves a pending transaction's nonce to another signer of the address", async () => {
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const { address } = wallet!;
  const { id } = await world.sweep(wallet!.id);
  await withoutBlocks(world, async () => {
    await sendAs(world.chain, address, { to: address });
    await world.advance(id);
    expect((await attempts(world, id)).map(({ nonce }) => nonce)).toEqual(['1']);
  });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await sentBy(address)).toBe(2);
});

it('shows a nonce that a foreign transaction has used, and lets a person end the operation', async () => {
  const { id, address } = await sweepOfOne(world);
  await world.chain.client.setAutomine(false);
  await world.advance(id);
  await world.chain.client.dropTransaction({ hash: (await attempts(world, id))[0]!.hash! });
  await world.chain.client.setAutomine(true);
  await sendAs(world.chain, address, { to: address });
  expect(await world.advance(id)).toMatchObject({ status: 'confirming', open: true });
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ waitsFor: 'nonce_taken' });
  expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_nonce_taken', open: true }]);
  const failed = await world.admin.call('POST', `/v1/gas-station/operations/${id}/fail`, { reason: 'taken' });
  expect(failed.body).toMatchObject({ status: 'failed' });
  expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_nonce_taken', open: false }]);
});

it('closes the break of a taken nonce once its own transaction is seen', async () => {
  const { id, address } = await sweepOfOne(world);
  const before = await world.chain.client.snapshot();
  await world.chain.client.setAutomine(false);
  await world.advance(id);
  await world.chain.client.dropTransaction({ hash: (await attempts(world, id))[0]!.hash! });
  await world.chain.client.setAutomine(true);
  await sendAs(world.chain, address, { to: address });
  await world.advance(id);
  await world.advance(id);
  await world.chain.client.revert({ id: before });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await breaksOf(world, id)).toMatchObject([{ kind: 'gas_nonce_taken', open: false }]);
});

it('books what arrived when a token moves less than asked, and reports the loss', async () => {
  const { chain, token } = world;
  const held = await world.held('treasury', 'USDT');
  const lost = await world.lost('USDT');
  const { id } = await sweepOfOne(world);
  const code = (await chain.client.getCode({ address: token }))!;
  await chain.client.setAutomine(false);
  await world.advance(id);
  await chain.client.setCode({ address: token, bytecode: KEEPS_SOME });
  await chain.client.mine({ blocks: 1 });
  await chain.client.setCode({ address: token, bytecode: code });
  await chain.client.setAutomine(true);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.read(id)).toMatchObject({ movedAmount: '3.999000', lostAmount: '0.001000' });
  expect(Number(await world.held('treasury', 'USDT')) - Number(held)).toBeCloseTo(3.999, 6);
  expect(Number(await world.lost('USDT')) - Number(lost)).toBeCloseTo(0.001, 6);
});
