/** @long */
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { ChainPlace } from '../../../src/chain/holdings/record';
import { compareChain } from '../../../src/chain/reconciliation/compare';
import { keepChainReading } from '../../../src/chain/reconciliation/readings';
import { openWorld, type World } from '../../transfers/chain-deposits/support';
import { posted } from '../gas-station/operations/support';
import { shownDifferences } from './support';

/** In every place, for the token and the native coin: an unbooked change is shown, and passes by itself. */

let world: World;
let ahead = 0;
let addresses: Record<ChainPlace, Address>;
beforeAll(async () => {
  world = await openWorld();
  const { api, chain, token } = world;
  api.services.now = () => new Date(Date.now() + ahead);
  const admin = await api.client('admin');
  await world.turn();
  const pool = (await world.wallet(await world.account())) as Address;
  const { address: station } = await posted(admin, '/v1/gas-station/wallet/generate', { chain: 'local' });
  const treasury = privateKeyToAccount(generatePrivateKey()).address;
  addresses = { pool, station, treasury };
  const terms = {
    gasThreshold: '0.001',
    gasTopupAmount: '0.01',
    minSweepAmount: {},
    treasuryAddress: treasury,
    sweepConfirmations: 1,
    autoSweep: false,
    version: 0,
  };
  expect((await admin.call('PUT', '/v1/gas-station/config/local', terms)).status).toBe(200);
  // Booked balances.
  await chain.pay(token, pool, 25_000_000n);
  await chain.pay(null, pool, 10n ** 18n);
  await chain.pay(null, station, 10n ** 18n);
  await chain.client.mine({ blocks: 3 });
  await posted(admin, '/v1/gas-station/station-topups/scan', { chain: 'local' });
});
afterAll(() => world.close());

const breaks = () => shownDifferences(world.api.database);

/** Changes a balance without an event, so that no block shows it. */
async function change(address: Address, asset: string, units: bigint): Promise<void> {
  const { client } = world.chain;
  if (asset === 'ETH') {
    const value = (await client.getBalance({ address })) + units;
    await client.setBalance({ address, value });
  } else {
    const { parties } = world.api.services;
    const { chainId } = world.network;
    const node = parties.chain.of({ chain: 'local', kind: 'evm', chainId, rpcUrls: [world.chain.url] });
    const value = (await node.balance(address, world.token)) + units;
    const params = [address, world.token, `0x${value.toString(16)}`];
    await client.request({ method: 'anvil_dealERC20', params } as never);
  }
  await client.mine({ blocks: 1 });
}

async function readAfter(minutes: number): Promise<void> {
  ahead += minutes * 60_000;
  await world.read();
  await keepChainReading(world.api.services, 'local');
}

it.each<[ChainPlace, string, string, bigint]>([
  ['pool', 'ETH', '0.25', 25n * 10n ** 16n],
  ['pool', 'ETH', '-0.25', -25n * 10n ** 16n],
  ['pool', 'USDT', '0.000001', 1n],
  ['pool', 'USDT', '-25', -25_000_000n],
  ['station', 'ETH', '0.000000000000000001', 1n],
  ['station', 'ETH', '-1', -(10n ** 18n)],
  ['station', 'USDT', '7', 7_000_000n],
  ['treasury', 'ETH', '2', 2n * 10n ** 18n],
  ['treasury', 'USDT', '3', 3_000_000n],
])('%s %s: an unbooked %s is a break until chain and books agree', async (place, asset, amount, units) => {
  await change(addresses[place], asset, units);
  await readAfter(0);
  expect(await breaks()).toEqual([]);
  await readAfter(10);
  expect(await breaks()).toEqual([{ subject: `${place}@local:${asset}`, amount, currency: asset }]);
  await change(addresses[place], asset, -units);
  await readAfter(0);
  expect(await breaks()).toEqual([]);
});

const differing = async () =>
  (await compareChain(world.api.services, 'local')).lines.filter(({ difference }) => !difference.isZero());

/** Names the hash for a sweep, before anybody has checked it. */
async function named(hash: string): Promise<void> {
  await world.api.database.query(
    "update gas_operations set status = 'confirming', tx_hash = $1 where status <> 'completed'",
    [hash],
  );
}

it('counts a transaction that a person wrongly named for an operation by its real effects only', async () => {
  const { api, chain, token } = world;
  const admin = await api.client('admin');
  await api.database.query('update wallet_allocations set ended_at = now()');
  await api.database.query(
    "update wallets set status = 'quarantined', quarantined_until = now() + interval '1 day' where purpose = 'pool'",
  );
  const [wallet] = await api.database.query<{ id: string }>('select id from wallets where address = $1', [
    addresses.pool,
  ]);
  await posted(admin, '/v1/gas-station/operations', { walletId: wallet?.id, asset: 'USDT' });
  await named(await chain.pay(token, addresses.pool, 3_000_000n));
  await world.read();
  expect(await differing()).toEqual([]);
  await named(await chain.pay(null, addresses.station, 10n ** 17n));
  await world.read();
  expect(await differing()).toEqual([]);
  await chain.client.mine({ blocks: 3 });
  await world.read();
  await posted(admin, '/v1/gas-station/station-topups/scan', { chain: 'local' });
  expect(await differing()).toEqual([]);
});
