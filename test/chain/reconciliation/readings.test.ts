/** @long */
import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { orderAutoSweeps } from '../../../src/chain/gas-station/auto-sweep';
import { advanceGasOperation } from '../../../src/chain/gas-station/operations/steps/advance';
import { chainReading } from '../../../src/chain/metrics';
import { compareChain } from '../../../src/chain/reconciliation/compare';
import { chainsToCompare, keepChainReading } from '../../../src/chain/reconciliation/readings';
import { ChainAway } from '../../../src/parties/chain/errors';
import type { Client } from '../../support/api';
import { openWorld, type World } from '../../transfers/chain-deposits/support';
import { sendAs } from '../gas-station/operations/support';
import { shownDifferences } from './support';

let on: World;
let admin: Client;
let ahead = 0;
beforeEach(() => open());
afterEach(() => on.close());

async function open(options: Parameters<typeof openWorld>[0] = {}): Promise<void> {
  on = await openWorld(options);
  admin = await on.api.client('admin');
  ahead = 0;
  on.api.services.now = () => new Date(Date.now() + ahead);
  await on.turn();
}

const later = (minutes: number) => {
  ahead += minutes * 60_000;
};
/** Reads all blocks, then compares. */
async function readAfter(minutes: number): Promise<void> {
  later(minutes);
  await on.read();
  await keepChainReading(on.api.services, 'local');
}

/** By place and asset (`pool USDT`): reported, booked and unbooked amounts, and the difference if there is one. */
async function compared(): Promise<Record<string, string>> {
  const { lines } = await compareChain(on.api.services, 'local');
  return Object.fromEntries(
    lines.map(({ place, asset, reported, booked, unbooked, difference }) => [
      `${place} ${asset}`,
      [reported, booked, unbooked].map(String).join(' ') +
        (difference.isZero() ? '' : ` DIFFERS ${difference.toFixed()}`),
    ]),
  );
}

const breaks = () => shownDifferences(on.api.database);

const usdt = (amount: number) => BigInt(amount) * 10n ** 6n;
const mine = (blocks: number) => on.chain.client.mine({ blocks });
const treasury = () => privateKeyToAccount(generatePrivateKey()).address;

it('a deposit is unbooked until it is final, and booked then, with or without an owner', async () => {
  const account = await on.account();
  await on.chain.pay(on.token, await on.wallet(account), usdt(25));
  await on.chain.pay(on.token, await on.wallet(), usdt(7));
  await on.read();
  expect(await compared()).toEqual({ 'pool USDT': '32 0 32' });
  await mine(1);
  await on.read();
  expect(await compared()).toEqual({ 'pool USDT': '32 25 7' });
  await mine(3);
  await on.read();
  // A deposit without an owner is in suspense, and on the pool's addresses.
  expect(await on.booked('suspense:USDT')).toBe('7');
  expect(await compared()).toEqual({ 'pool USDT': '32 32 0' });
});

it('an unknown change is shown with its amount once it has lasted, until a reading without it', async () => {
  const wallet = await on.wallet(await on.account());
  await on.chain.pay(on.token, wallet, usdt(5));
  await mine(3);
  await readAfter(0);
  expect(await breaks()).toEqual([]);
  await on.chain.client.setBalance({ address: wallet as `0x${string}`, value: 10n ** 17n });
  await mine(1);
  await readAfter(5);
  expect(await breaks()).toEqual([]);
  await readAfter(5);
  expect(await breaks()).toEqual([{ subject: 'pool@local:ETH', amount: '0.1', currency: 'ETH' }]);
  const samples = await chainReading(on.api.services).read(on.api.database);
  const ages = samples.filter(({ gauge }) => gauge === 'chain_reading_age_seconds');
  expect(ages).toMatchObject([{ labels: { chain: 'local' } }]);
  expect(ages[0]?.value).toBeLessThan(300);
  expect(
    samples
      .filter((each) => !ages.includes(each))
      .map(({ labels, value }) => [...Object.values(labels), value]),
  ).toEqual([
    ['local', 'pool', 'USDT', 0],
    ['local', 'pool', 'ETH', 0.1],
  ]);
  await on.chain.client.setBalance({ address: wallet as `0x${string}`, value: 3n });
  await mine(1);
  await readAfter(1);
  expect(await breaks()).toEqual([
    { subject: 'pool@local:ETH', amount: '0.000000000000000003', currency: 'ETH' },
  ]);
  await on.chain.client.setBalance({ address: wallet as `0x${string}`, value: 0n });
  await mine(1);
  await readAfter(1);
  expect(await breaks()).toEqual([]);
});

it('chain and books agree at every step from the payer to the treasury', async () => {
  await on.chain.pay(on.token, await on.wallet(await on.account()), usdt(25));
  await swept({ amount: '25 25 0' });
});

it("units below the ledger's decimals are known exactly, on the pool and in the treasury", async () => {
  await on.close();
  await open({ network: { decimals: 18 } });
  const wallet = await on.wallet(await on.account());
  await on.chain.pay(on.token, wallet, 25_000_000_600_000_000_000n);
  await on.chain.pay(on.token, wallet, 1_000_000_700_000_000_000n);
  await mine(3);
  await on.read();
  expect(await compared()).toEqual({ 'pool USDT': '26.0000013 26 0.0000013' });
  // One sweep is rounded down once, so the books let more leave the pool than arrived.
  await swept({ amount: '26.0000013 26.000001 0.0000003' });
  expect(await compared()).toMatchObject({ 'pool USDT': '0 -0.000001 0.000001' });
});

it('a deposit lost in a reorganisation stays booked until it is given up, without a difference', async () => {
  const account = await on.account();
  const state = await on.chain.client.snapshot();
  await on.chain.pay(on.token, await on.wallet(account), usdt(9));
  await mine(3);
  await on.read();
  expect(await compared()).toEqual({ 'pool USDT': '9 9 0' });
  await on.chain.client.revert({ id: state });
  await mine(5);
  await on.read();
  expect(await compared()).toEqual({ 'pool USDT': '0 9 -9' });
  await mine(8);
  await on.read();
  expect(await on.available(account)).toBe('0');
  expect(await compared()).toEqual({});
});

it('booked gas of a reverted transaction is no difference before its block is read', async () => {
  const wallet = await on.wallet(await on.account());
  await on.chain.pay(on.token, wallet, usdt(5));
  await on.chain.client.setBalance({ address: wallet as Address, value: 10n ** 17n });
  await mine(3);
  await on.read();
  expect((await compared())['pool ETH']).toBe('0.1 0 0 DIFFERS 0.1');
  await configured(false);
  await released();
  const [{ id: walletId }] = (await on.api.database.query('select id from wallets')) as [{ id: string }];
  const path = '/v1/gas-station/operations';
  const { id } = (await admin.call('POST', path, { walletId, asset: 'USDT' })).body;
  expect((await admin.call('GET', `${path}/${id}/export`)).status).toBe(200);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [on.token, usdt(50)] });
  // anvil mines a reverting transaction and still reports an error to the sender.
  await sendAs(on.chain, wallet, { to: on.token, data }).catch(() => undefined);
  const { transactions } = await on.chain.client.getBlock();
  await on.chain.client.mine({ blocks: 1 });
  expect((await admin.call('POST', `${path}/${id}/confirm`, { txHash: transactions[0] })).status).toBe(409);
  expect(Number(await on.booked('gas@local:ETH'))).toBeLessThan(0);
  expect((await compared())['pool ETH']).toMatch(/DIFFERS 0\.1$/);
  await on.read();
  expect((await compared())['pool ETH']).toMatch(/DIFFERS 0\.1$/);
});

it('a booked amount is no difference before its block is read, however long that takes', async () => {
  const wallet = await on.wallet(await on.account());
  await on.chain.pay(on.token, wallet, usdt(25));
  await on.chain.client.setBalance({ address: wallet as Address, value: 10n ** 17n });
  await mine(3);
  await on.read();
  await configured(true);
  await released();
  expect(await orderAutoSweeps(on.api.services)).toBe(1);
  const [{ id }] = (await on.api.database.query('select id from gas_operations')) as [{ id: string }];
  for (let round = 0; round < 4; round += 1) {
    await advanceGasOperation(on.api.services, id);
    await mine(1);
  }
  expect(await on.booked('pool@local:USDT')).toBe('0');
  later(10);
  expect(await compared()).toMatchObject({ 'pool USDT': '25 0 25', 'treasury USDT': '0 25 -25' });
});

it('an arrival at a station is no difference, whether final, read, scanned or not', async () => {
  await configured(false);
  const { address } = (await admin.call('POST', '/v1/gas-station/wallet/generate', { chain: 'local' })).body;
  const scan = (body = {}) =>
    admin.call('POST', '/v1/gas-station/station-topups/scan', { chain: 'local', ...body });
  await on.chain.pay(null, address, 10n ** 18n);
  await on.read();
  expect(await compared()).toEqual({ 'station ETH': '1 0 1' });
  expect((await scan()).body.found).toEqual([]);
  expect(await compared()).toEqual({ 'station ETH': '1 0 1' });
  await mine(5);
  // A person's scan books it and skips earlier blocks, which are not scanned yet.
  const head = Number(await on.chain.client.getBlockNumber());
  const { found } = (await scan({ fromBlock: head - 5 })).body;
  expect(found).toHaveLength(1);
  expect(await compared()).toEqual({ 'station ETH': '1 1 0' });
  await on.read();
  await scan();
  expect(await compared()).toEqual({ 'station ETH': '1 1 0' });
  // A scan reads blocks that the watcher has not read yet.
  await on.chain.pay(null, address, 10n ** 18n);
  await mine(5);
  expect((await scan()).body.found).toHaveLength(1);
  expect(await compared()).toEqual({ 'station ETH': '1 2 -1' });
});

/** Sweeps the pool to a new treasury, and compares after every step and block. */
async function swept({ amount }: { amount: string }) {
  const { chain, api } = on;
  await mine(3);
  await on.read();
  await configured(true);
  const station = (await admin.call('POST', '/v1/gas-station/wallet/generate', { chain: 'local' })).body;
  await chain.pay(null, station.address, 10n ** 18n);
  await on.read();
  expect(await compared()).toMatchObject({ 'station ETH': '1 0 1' });
  await mine(3);
  await on.read();
  expect(await compared()).toMatchObject({ 'station ETH': '1 1 0' });
  expect(differing(await compared())).toEqual([]);
  await released();
  const seen: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    await orderAutoSweeps(api.services);
    const open = await api.database.query<{ id: string }>(
      `select id from gas_operations where status in ('pending', 'awaiting_confirmation', 'confirming') order by created_at`,
    );
    for (const { id } of open) {
      await advanceGasOperation(api.services, id);
      await on.read();
      const now = await compared();
      expect(differing(now)).toEqual([]);
      seen.push(now['treasury USDT'] ?? '');
    }
    await mine(1);
    await on.read();
    expect(differing(await compared())).toEqual([]);
  }
  expect(await compared()).toMatchObject({ 'treasury USDT': amount });
  // The sweep's effect was known from its transaction before it was booked.
  expect(seen.some((text) => / 0 2[56]/.test(text))).toBe(true);
}

async function configured(autoSweep: boolean): Promise<void> {
  const terms = {
    gasThreshold: '0.001',
    gasTopupAmount: '0.01',
    minSweepAmount: { USDT: '5' },
    maxGasPrice: '10000',
    dailyGasBudget: '1000',
    treasuryAddress: treasury(),
    sweepConfirmations: 2,
    autoSweep,
    version: 0,
  };
  expect((await admin.call('PUT', '/v1/gas-station/config/local', terms)).status).toBe(200);
}

/** Ends all allocations of the pool. */
async function released(): Promise<void> {
  await on.api.database.query(`update wallet_allocations set ended_at = now()`);
  await on.api.database.query(
    `update wallets set status = 'quarantined', quarantined_until = now() + interval '1 day' where purpose = 'pool'`,
  );
}

const differing = (found: Record<string, string>) =>
  Object.entries(found).filter(([, text]) => text.includes('DIFFERS'));

it('readings are kept for ninety days', async () => {
  await on.chain.pay(on.token, await on.wallet(), usdt(5));
  const kept = async () =>
    (await on.api.database.query(`select from chain_readings where asset = 'USDT'`)).length;
  await readAfter(0);
  await readAfter(5);
  await readAfter(90 * 24 * 60 - 6);
  expect(await kept()).toBe(3);
  await readAfter(4);
  expect(await kept()).toBe(3);
  // The readings had no difference.
  expect(await breaks()).toEqual([]);
});

it('a chain has no reading while its nodes are away, or when its blocks change meanwhile', async () => {
  expect(await chainsToCompare(on.api.database)).toEqual(['local']);
  const { client } = on.chain;
  const before = await client.snapshot();
  await client.mine({ blocks: 2, interval: 5 });
  await on.read();
  await client.revert({ id: before });
  await client.mine({ blocks: 3, interval: 7 });
  await expect(keepChainReading(on.api.services, 'local')).rejects.toThrow(ChainAway);
  await on.chain.stop();
  await expect(keepChainReading(on.api.services, 'local')).rejects.toThrow(ChainAway);
  expect(await on.api.database.query('select * from chain_readings')).toEqual([]);
});
