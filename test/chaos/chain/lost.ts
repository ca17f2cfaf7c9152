import assert from 'node:assert/strict';
import type { Database } from '../../../src/kernel/db/database';
import type { Fleet } from '../../support/product';
import { allocate, credited, pay, release, sweptByItself } from './life';
import { CHAIN, type ChainWorld } from './world';

/** A chain keeps what the product forgets when commits are lost: payments, a sweep, and a derived wallet. */

const PAID = { before: 25_000_000n, after: 12_500_000n };

export interface Forgotten {
  /** Paid and swept in the time that is lost. */
  swept: string;
  /** Not yet paid. */
  left: string;
  /** Derived in the time that is lost. Empty until then. */
  lost: string;
}

/** Prepares two wallets that are not forgotten. */
export const prepareWallets = async (world: ChainWorld): Promise<Forgotten> => ({
  swept: await allocate(world, 'lost/swept'),
  left: await allocate(world, 'lost/left'),
  lost: '',
});

/** Returns when a payment is credited and swept. All of it will be forgotten. */
export async function playForgotten(world: ChainWorld, wallets: Forgotten): Promise<void> {
  wallets.lost = await allocate(world, 'lost/lost');
  await pay(world, wallets.swept, PAID.before);
  await credited(world);
  await release(world, wallets.swept, 'lost/release-swept');
  await sweptByItself(world, wallets.swept);
}

/** Expects that each payment is credited once, although it was credited and forgotten before. */
export async function expectCreditedAgain(world: ChainWorld, database: Database): Promise<void> {
  await credited(world);
  const rows = await database.query<{ hash: string }>(
    `select terms->>'txHash' as hash from transfers where kind = 'chain_deposit' and status = 'credited'`,
  );
  assert.deepEqual(
    rows.map(({ hash }) => hash),
    world.paid.map(({ hash }) => hash),
  );
}

/** Expects that the forgotten sweep is a difference of the pool and the treasury, in opposite directions. */
export async function expectSweepDiffers(fleet: Pick<Fleet, 'operator'>): Promise<void> {
  const { out } = await fleet.operator('chain', 'reconcile', '--chain', CHAIN, '--json');
  const lines = JSON.parse(out) as { place: string; asset: string; difference: string }[];
  const differenceAt = (wanted: string) =>
    Number(lines.find(({ place, asset }) => place === wanted && asset === 'USDT')?.difference);
  assert.equal(differenceAt('treasury'), Number(PAID.before) / 1e6, out);
  assert.equal(differenceAt('pool'), -Number(PAID.before) / 1e6, out);
}

/** Expects that the station's next transactions are right, and that the forgotten address is given to nobody. */
export async function expectSweepsOn(world: ChainWorld, wallets: Forgotten): Promise<void> {
  await pay(world, wallets.left, PAID.after);
  await credited(world);
  await release(world, wallets.left, 'lost/release-left');
  await sweptByItself(world, wallets.left);
  const next = await allocate(world, 'lost/next');
  assert.ok(![wallets.lost, wallets.swept, wallets.left].includes(next), next);
}
