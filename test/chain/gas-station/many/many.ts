import { type Address, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { orderAutoSweeps } from '../../../../src/chain/gas-station/auto-sweep';
import { advanceGasOperation } from '../../../../src/chain/gas-station/operations/steps/advance';
import { nodeOf } from '../../../../src/chain/networks/nodes/nodes';
import { DatabaseAway } from '../../../../src/kernel/db/faults';
import type { ChainNode } from '../../../../src/parties/chain/port';
import { openWorld, type World, type WorldOptions } from '../../../transfers/chain-deposits/support';
import { posted } from '../operations/support';
import { deployDelegate } from '../strategies/delegated-station';

export type Strategy = 'transfer' | 'delegated';

/** As many as the workers of one queue run at a time. */
const WORKERS = 8;

export interface ManyWallets {
  on: World;
  node: ChainNode;
  station: Address;
  treasury: Address;
  /** Pool wallets with the token. */
  wallets: Address[];
  /** Sum of their payments, in the token's smallest units. */
  paid: bigint;
  later(ms: number): void;
}

export interface ManyOptions extends WorldOptions {
  /** Symbol of the native coin, of which one more wallet gets two. */
  coin?: string;
}

/**
 * Creates wallets whose booked client payments arrived and that are free again. The station signs itself, and its coins
 * are booked.
 */
export async function manyWallets(
  strategy: Strategy,
  count: number,
  { coin, network, ...options }: ManyOptions = {},
): Promise<ManyWallets> {
  const on = await openWorld({
    ...options,
    network: { confirmations: 1, ...(coin && { coin }), ...network },
  });
  let ahead = 0;
  on.api.services.now = () => new Date(Date.now() + ahead);
  await on.turn();
  const account = await on.account();
  const wallets: Address[] = [];
  for (let made = 0; made < count; made += 1) wallets.push((await on.wallet(account)) as Address);
  if (coin !== undefined) await on.chain.pay(null, await on.wallet(await on.account(coin)), parseEther('2'));
  const units = wallets.map((_, place) => 5_000_000n + BigInt(place));
  for (const [place, wallet] of wallets.entries()) await on.chain.pay(on.token, wallet, units[place] ?? 0n);
  await on.read();
  await on.api.database.query('update wallet_allocations set ended_at = now()');
  await on.api.database.query(
    `update wallets set status = 'quarantined', quarantined_until = now() + interval '1 day' where purpose = 'pool'`,
  );
  const treasury = privateKeyToAccount(generatePrivateKey()).address;
  const station = await stationOf(on, strategy, treasury);
  const paid = units.reduce((sum, each) => sum + each, 0n);
  const later = (ms: number) => {
    ahead += ms;
  };
  const { node } = await nodeOf(on.api.services, on.api.database, 'local');
  return { on, node, station, treasury, wallets, paid, later };
}

async function stationOf({ api, chain }: World, strategy: Strategy, treasury: Address): Promise<Address> {
  const admin = await api.client('admin');
  const terms = {
    gasThreshold: '0.0005',
    gasTopupAmount: '0.001',
    minSweepAmount: { USDT: '5' },
    maxGasPrice: '10000',
    dailyGasBudget: '1000',
    treasuryAddress: treasury,
    sweepStrategy: strategy,
    sweepConfirmations: 2,
    autoSweep: true,
  };
  const { status, text } = await admin.call('PUT', '/v1/gas-station/config/local', { ...terms, version: 0 });
  if (status !== 200) throw new Error(text);
  const { address } = await posted(admin, '/v1/gas-station/wallet/generate', { chain: 'local' });
  const station = address as Address;
  await chain.pay(null, station, parseEther('10'));
  await posted(admin, '/v1/gas-station/station-topups/scan', { chain: 'local' });
  if (strategy === 'delegated') await deployDelegate(chain, { treasury, station });
  return station;
}

/**
 * Orders and leads sweeps until nothing is left, a fixed number at a time, as their workflows would. When all wait,
 * mines a block and moves the clock to the next look.
 * @returns how many steps were taken
 */
export async function sweepAll({ on, later }: ManyWallets): Promise<number> {
  const { services, database } = on.api;
  const looks = new Map<string, number>();
  for (let steps = 0; ; ) {
    const open = await database.query<{ id: string }>(
      `select id from gas_operations where status in ('pending', 'awaiting_confirmation', 'confirming') order by created_at`,
    );
    const due = open.map(({ id }) => id).filter((id) => (looks.get(id) ?? 0) <= services.now().getTime());
    const [made] = await Promise.all([
      whenReached(() => orderAutoSweeps(services)),
      inParallel(due, async (id) => {
        const { lookAt } = await whenReached(() => advanceGasOperation(services, id));
        looks.set(id, lookAt ?? Infinity);
      }),
    ]);
    steps += due.length;
    if (made + open.length === 0) return steps;
    if (made + due.length > 0) continue;
    await on.chain.client.mine({ blocks: 1 });
    later(Math.min(...open.map(({ id }) => looks.get(id) ?? 0)) - services.now().getTime());
  }
}

/** Repeats a step while a busy machine keeps it from the database, as a workflow does. */
async function whenReached<T>(step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof DatabaseAway)) throw error;
    }
  }
}

async function inParallel(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const left = [...ids];
  const worker = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await work(id);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}
