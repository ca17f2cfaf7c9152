import { compareChain } from '../../../src/chain/reconciliation/compare';
import type { TestStation } from '../gas-station/operations/support';
import { delegatedStation, GATHERED_MS } from '../gas-station/strategies/delegated-station';

/** Longer than the time in which a booking counts as recent. */
const LATE_MS = 6 * 60_000;

let world: TestStation;
beforeEach(async () => {
  world = await delegatedStation();
});
afterEach(() => world.close());

/** The test pays the station without booking it, so that difference stays. */
const differences = async () =>
  (await compareChain(world.api.services, 'local')).lines.flatMap(({ place, asset, difference }) =>
    difference.isZero() ? [] : [`${place} ${asset} ${difference.toFixed()}`],
  );

it('knows the unbooked operations of a shared transaction, however long after the first was booked', async () => {
  const wallets = await world.wallets(3, 7_000_000n);
  const sweeps: string[] = [];
  for (const { id } of wallets) sweeps.push((await world.sweep(id)).id);
  const before = await differences();
  expect(before).toEqual(['station ETH 10']);
  world.later(GATHERED_MS);
  for (const id of sweeps) {
    for (let step = 0; step < 4; step += 1) await world.advance(id);
    expect(await world.read(id)).toMatchObject({ status: 'completed' });
    expect(await differences()).toEqual(before);
    world.later(LATE_MS);
    expect(await differences()).toEqual(before);
  }
});
