import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { orderAutoSweeps } from '../../../src/chain/gas-station/auto-sweep';
import { advanceGasOperation } from '../../../src/chain/gas-station/operations/steps/advance';
import { chainReading } from '../../../src/chain/metrics';
import { compareChain } from '../../../src/chain/reconciliation/compare';
import { chainsToCompare, keepChainReading } from '../../../src/chain/reconciliation/readings';
import { ChainAway } from '../../../src/parties/chain/errors';
import type { Client } from '../../support/api';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

let on: World;
let admin: Client;
let ahead = 0;
beforeEach(async () => {
  on = await openWorld();
  admin = await on.api.client('admin');
  ahead = 0;
  on.api.services.now = () => new Date(Date.now() + ahead);
  await on.turn();
});
afterEach(() => on.close());

const later = (minutes: number) => {
  ahead += minutes * 60_000;
};
/** Blocks are read as far as there are any; then the chain is. */
async function readAfter(minutes: number): Promise<void> {
  later(minutes);
  await on.read();
  await keepChainReading(on.api.services, 'local');
}

/** `pool USDT`: what the chain has, what the books have and what is known beside them; the difference where there is one. */
async function compared(): Promise<Record<string, string>> {
  const { lines } = await compareChain(on.api.services, 'local');
  return Object.fromEntries(
    lines.map(({ place, asset, reported, booked, unbooked, difference }) => [
      `${place} ${asset}`,
      [reported, booked, unbooked].map(String).join(' ') +
        (difference.isZero() ? '' : ` DIFFERS ${difference}`),
    ]),
  );
}

const breaks = () =>
  on.api.database.query(
    `select subject, amount::text, currency from breaks where kind = 'chain_difference' and resolved_at is null order by 1`,
  );

const usdt = (amount: number) => BigInt(amount) * 10n ** 6n;
const mine = (blocks: number) => on.chain.client.mine({ blocks });
const treasury = () => privateKeyToAccount(generatePrivateKey()).address;

it('a deposit is known beside the books while it is not final, and in them once it is, whoever it is for', async () => {
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
  // Nobody's stands in suspense, and on the pool's addresses.
  expect(await on.booked('suspense:USDT')).toBe('7');
  expect(await compared()).toEqual({ 'pool USDT': '32 32 0' });
});

it('what no block told of is a difference: shown once it has lasted, with its amount, and passes with the first reading without one', async () => {
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
  const samples = await chainReading.read(on.api.database);
  expect(samples.map(({ labels, value }) => [...Object.values(labels), value])).toEqual([
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

it('follows money from the payer to the treasury: at every step the chain has what the books and what is under way say', async () => {
  await swept();
});

async function swept() {
  const { chain, api } = on;
  const account = await on.account();
  const wallet = await on.wallet(account);
  await chain.pay(on.token, wallet, usdt(25));
  await mine(3);
  await on.read();
  const path = '/v1/gas-station/config/local';
  const terms = {
    ...{ gasThreshold: '0.001', gasTopupAmount: '0.01', minSweepAmount: { USDT: '5' } },
    ...{ treasuryAddress: treasury(), sweepConfirmations: 2, autoSweep: true, version: 0 },
  };
  expect((await admin.call('PUT', path, terms)).status).toBe(200);
  const station = (await admin.call('POST', '/v1/gas-station/wallet/generate', { chain: 'local' })).body;
  await chain.pay(null, station.address, 10n ** 18n);
  await mine(3);
  await on.read();
  expect(await compared()).toMatchObject({ 'station ETH': '1 0 0 DIFFERS 1' });
  expect(
    (await admin.call('POST', '/v1/gas-station/station-topups/scan', { chain: 'local' })).status,
  ).toBeLessThan(300);
  expect(await compared()).toEqual({ 'pool USDT': '25 25 0', 'station ETH': '1 1 0' });
  await api.database.query(`update wallet_allocations set ended_at = now()`);
  await api.database.query(
    `update wallets set status = 'quarantined', quarantined_until = now() + interval '1 day' where purpose = 'pool'`,
  );
  for (let round = 0; round < 12; round += 1) {
    await orderAutoSweeps(api.services);
    const open = await api.database.query<{ id: string }>(
      `select id from gas_operations where status in ('pending', 'awaiting_confirmation', 'confirming') order by created_at`,
    );
    for (const { id } of open) {
      await advanceGasOperation(api.services, id);
      await on.read();
      expect(differing(await compared())).toEqual([]);
    }
    await mine(1);
    await on.read();
    expect(differing(await compared())).toEqual([]);
  }
  const found = await compared();
  expect(found).toMatchObject({ 'treasury USDT': '25 25 0' });
}

const differing = (found: Record<string, string>) =>
  Object.entries(found).filter(([, text]) => text.includes('DIFFERS'));

it('a chain whose nodes are away, or whose blocks change meanwhile, has no reading', async () => {
  expect(await chainsToCompare(on.api.database)).toEqual(['local']);
  await on.chain.stop();
  await expect(keepChainReading(on.api.services, 'local')).rejects.toThrow(ChainAway);
  expect(await on.api.database.query('select * from chain_readings')).toEqual([]);
});
