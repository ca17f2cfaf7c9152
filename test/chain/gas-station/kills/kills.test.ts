/** @long @isolated kills processes at each step of an operation. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Address, Hex } from 'viem';
import { checkLedger } from '../../../../src/kernel/ledger/check';
import { urlOf } from '../../../support/database';
import { testKeyring } from '../../../support/keyring';
import { attempts, ether, feesOf, type TestStation, testStation } from '../operations/support';

/** A sweep is done once although its process is killed after any of its calls. */

const KEY = Buffer.alloc(32, 9);
const UNITS = 4_000_000n;

let world: TestStation;
let databaseUrl: string;
beforeAll(async () => {
  world = await testStation({ config: { autoSweep: true }, wiring: { keyring: testKeyring(KEY) } });
  const [row] = await world.services.database.query<{ name: string }>('select current_database() as name');
  databaseUrl = urlOf(row!.name);
});
afterAll(() => world.close());

/**
 * @param place number of the call after which the process is killed
 * @returns the signal that ended the process, or its output
 */
async function livedOnce(operation: string, place: number): Promise<string> {
  const script = join(__dirname, 'process.ts');
  const given = [databaseUrl, KEY.toString('hex'), operation, String(place)];
  const child = spawn(process.execPath, ['--require', './scripts/typescript.cjs', script, ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return signal ?? `${code} ${printed.trim()}`;
}

async function sweepOfOne() {
  const [wallet] = await world.wallets(1, UNITS, '0.05');
  const { id } = await world.sweep(wallet!.id);
  return { address: wallet!.address, operation: id as string };
}

it('is done once, wherever its process is killed', async () => {
  const first = await sweepOfOne();
  const calls = Number((await livedOnce(first.operation, -1)).slice(2));
  expect(calls).toBeGreaterThan(5);
  const sweeps: { address: Address; operation: string }[] = [];
  for (let place = 0; place < calls; place += 1) sweeps.push(await sweepOfOne());
  const lived = async (place: number): Promise<void> => {
    if (place >= calls) return;
    expect([place, await livedOnce(sweeps[place]!.operation, place)]).toEqual([place, 'SIGKILL']);
    return lived(place + 3);
  };
  await Promise.all([0, 1, 2].map(lived));
  const statuses = [];
  for (const { operation, address } of sweeps) {
    statuses.push((await world.read(operation)).status);
    expect(await world.lead(operation)).toMatchObject({ status: 'completed', open: false });
    const sent = await world.chain.client.getTransactionCount({ address });
    expect([sent, await world.tokens(address)]).toEqual([1, 0n]);
    expect((await attempts(world, operation)).map(({ nonce }) => nonce)).toEqual(['0']);
  }
  // The kills have left the operation in each of its statuses.
  expect(new Set(statuses)).toEqual(new Set(['pending', 'awaiting_confirmation', 'confirming', 'completed']));
  const units = UNITS * BigInt(calls + 1);
  expect(await world.tokens(world.treasury)).toBe(units);
  expect(await world.held('treasury', 'USDT')).toBe(String(units / 1_000_000n));
  const rows = await world.services.database.query<{ hash: Hex }>('select hash from chain_nonces');
  const hashes = rows.map(({ hash }) => hash);
  expect(await world.held('gas', 'ETH')).toBe(ether(await feesOf(world.chain, hashes)));
  expect(await checkLedger(world.services.database)).toEqual([]);
});
