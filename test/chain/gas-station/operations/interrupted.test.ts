/** @long ends each operation at each of its calls. */
import { type Address, type Hex, parseEther, parseGwei } from 'viem';
import { orderAutoSweeps } from '../../../../src/chain/gas-station/auto-sweep';
import { checkLedger } from '../../../../src/kernel/ledger/check';
import type { Services } from '../../../../src/services';
import { atEachCall, callsOf } from '../../../support/broken-off';
import { booksOf, expectBooked } from '../on-chain';
import { deployDelegate, GATHERED_MS } from '../strategies/delegated-station';
import { attempts, outbid, readBlocks, type TestStation, testStation, withParties } from './support';

/** Each operation of the station may be interrupted at any of its calls, and is still done once. */

const STUCK_MS = 4 * 60_000;
const UNITS = 4_000_000n;

/** A workflow that is interrupted and then completed. */
interface Life {
  /** The step that is interrupted. */
  step(services: Services): Promise<unknown>;
  /** Leads the workflow to its end, and expects that everything was done once. */
  ends(): Promise<void>;
}

let world: TestStation;
beforeAll(async () => {
  world = await testStation({ config: { autoSweep: true } });
  await deployDelegate(world.chain, world);
});
afterAll(() => world.close());

const sentBy = (address: Address) => world.chain.client.getTransactionCount({ address });

const sweepOfOne = async () => {
  const [wallet] = await world.wallets(1, UNITS, '0.05');
  const { id } = await world.sweep(wallet!.id);
  return { address: wallet!.address, operation: id as string };
};

async function expectSwept(operation: string, address: Address, attemptsOfIt = 1): Promise<void> {
  expect(await world.lead(operation)).toMatchObject({ status: 'completed', open: false });
  expect([await sentBy(address), await world.tokens(address)]).toEqual([1, 0n]);
  const kept = await attempts(world, operation);
  expect(kept.map(({ nonce }) => nonce)).toEqual(Array.from({ length: attemptsOfIt }, () => '0'));
}

async function sweep(): Promise<Life> {
  const { operation, address } = await sweepOfOne();
  return {
    step: (services) => world.advance(operation, services),
    ends: () => expectSwept(operation, address),
  };
}

async function topup(): Promise<Life> {
  const [wallet] = await world.wallets(1, UNITS);
  const { id } = await world.topup(wallet!.id);
  const sent = await sentBy(world.station);
  return {
    step: (services) => world.advance(id, services),
    async ends() {
      expect(await world.lead(id)).toMatchObject({ status: 'completed' });
      expect(await sentBy(world.station)).toBe(sent + 1);
      expect(await world.chain.client.getBalance({ address: wallet!.address })).toBe(parseEther('0.002'));
    },
  };
}

async function replacement(): Promise<Life> {
  // Resets the gas price that the life before has raised.
  await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('0.5') });
  await world.chain.client.mine({ blocks: 1 });
  const { operation, address } = await sweepOfOne();
  await world.chain.client.setAutomine(false);
  await world.advance(operation);
  await outbid(world, operation, STUCK_MS);
  return {
    step: (services) => world.advance(operation, services),
    async ends() {
      await world.advance(operation);
      await world.chain.client.setAutomine(true);
      await world.chain.client.mine({ blocks: 1 });
      await expectSwept(operation, address, 2);
    },
  };
}

/** The chain has lost a final sweep. The next sweep repairs that before it takes its own nonce. */
async function afterLoss(): Promise<Life> {
  const [wallet] = await world.wallets(1, UNITS, '0.05');
  const { id: walletId, address } = wallet!;
  const before = await world.chain.client.snapshot();
  const lost = await world.sweep(walletId);
  await world.lead(lost.id);
  await world.chain.client.revert({ id: before });
  const { id } = await world.sweep(walletId);
  return {
    step: (services) => world.advance(id, services),
    async ends() {
      await world.lead(id);
      await world.chain.pay(world.token, address, UNITS);
      expect(await world.lead(id)).toMatchObject({ status: 'completed' });
      expect([await sentBy(address), await world.tokens(address)]).toEqual([2, 0n]);
      expect((await attempts(world, id)).map(({ nonce }) => nonce)).toEqual(['1']);
    },
  };
}

async function batch(): Promise<Life> {
  await world.configure({ sweepStrategy: 'delegated' });
  const wallets = await world.wallets(2, UNITS);
  const sweeps: string[] = [];
  for (const { id } of wallets) sweeps.push((await world.sweep(id)).id);
  const sent = await sentBy(world.station);
  world.later(GATHERED_MS);
  /** @returns whether any is left */
  const all = async (services: Services): Promise<boolean> => {
    let isLeft = false;
    for (const id of sweeps) {
      const progress = await world.advance(id, services).catch(() => undefined);
      isLeft ||= progress?.open ?? true;
    }
    return isLeft;
  };
  return {
    step: all,
    async ends() {
      for (let turn = 0; turn < 12 && (await all(world.services)); turn += 1) world.later(GATHERED_MS);
      const read = await Promise.all(sweeps.map((id) => world.read(id)));
      expect(read.map(({ status }) => status)).toEqual(['completed', 'completed']);
      expect([await sentBy(world.station), new Set(read.map(({ txHash }) => txHash)).size]).toEqual([
        sent + 1,
        1,
      ]);
      await world.configure({});
    },
  };
}

/** Orders gas, or the sweep of a wallet that has gas. */
const choosing = (gas?: string) => async (): Promise<Life> => {
  const [wallet] = await world.wallets(1, UNITS, gas);
  return {
    step: orderAutoSweeps,
    async ends() {
      await orderAutoSweeps(world.services);
      const made = await world.services.database.query<{ id: string }>(
        'select id from gas_operations where wallet_id = $1',
        [wallet!.id],
      );
      expect(made).toHaveLength(1);
      expect(await world.lead(made[0]!.id)).toMatchObject({ status: 'completed' });
    },
  };
};

async function stationTopup(): Promise<Life> {
  const booked = async () => Number(await world.held('station', 'ETH'));
  await readBlocks(world.services);
  const before = await booked();
  const txHash = await world.chain.pay(null, world.station, parseEther('0.5'));
  return {
    step: readBlocks,
    async ends() {
      await readBlocks(world.services);
      const found = await world.services.database.query('select 1 from station_topups where tx_hash = $1', [
        txHash,
      ]);
      expect([found.length, (await booked()) - before]).toEqual([1, expect.closeTo(0.5, 12)]);
    },
  };
}

/** Mines every broadcast transaction at once, so that each life makes the same calls. */
function inBlockAtOnce({ services, chain }: TestStation): Services {
  const of: Services['parties']['chain']['of'] = (address) => {
    const node = services.parties.chain.of(address);
    return {
      ...node,
      async broadcast(signed) {
        const sent = await node.broadcast(signed);
        if (await chain.client.getAutomine()) await chain.mined(sent.hash as Hex);
        return sent;
      },
    };
  };
  return withParties(services, { chain: { of } });
}

it.each([
  ['a sweep', sweep],
  ['a top-up', topup],
  ['a replacement', replacement],
  ['a sweep after one that the chain has lost', afterLoss],
  ['a batch', batch],
  ['the choice of what lacks gas', choosing()],
  ['the choice of what is swept', choosing('0.05')],
  ['the booking of what came to the station', stationTopup],
])('%s is done once although it is interrupted at any call', async (_, begin) => {
  const live = async (services: Services) => {
    const life = await begin();
    const before = await booksOf(world);
    await life.step(services).catch(() => undefined);
    await life.ends();
    await expectBooked(world, before);
  };
  const services = inBlockAtOnce(world);
  await live(services); // a first life does what is only asked once, so that it is not counted
  const calls = await callsOf(services, live);
  // No call was skipped by an earlier interruption.
  expect(await atEachCall(services, live)).toBe(calls);
  expect(await checkLedger(world.services.database)).toEqual([]);
});
