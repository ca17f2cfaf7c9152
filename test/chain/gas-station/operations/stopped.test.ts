import { parseEther } from 'viem';
import { disableWallet } from '../../../../src/chain/wallets/disable';
import type { Services } from '../../../../src/services';
import { attempts, onceSigned, type TestStation, testStation } from './support';

/** Changes that people make directly before a broadcast. A change that was answered stops the broadcast. */

const OTHER_TREASURY = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

let world: TestStation;
beforeEach(async () => {
  world = await testStation({ config: { autoSweep: true } });
});
afterEach(() => world.close());

/** Services that run a change after signing, before the node returns its prices. */
function meanwhile(change: () => Promise<unknown>): Services {
  let isDone = false;
  return onceSigned(world.services, async () => {
    if (isDone) return;
    isDone = true;
    await change();
  });
}

const disable = (address: string) =>
  world.services.database.transaction((tx) => disableWallet(world.services, tx, { chain: 'local', address }));

const CHANGES: Record<string, (address: string) => Promise<unknown>> = {
  'another treasury': () => world.configure({ treasuryAddress: OTHER_TREASURY }),
  'autoSweep taken back': () => world.configure({ autoSweep: false }),
  'its wallet disabled': disable,
};

it.each(Object.keys(CHANGES))('does not broadcast a signed sweep after %s', async (name) => {
  const [wallet] = await world.wallets(1, 5_000_000n, '0.05');
  const { id } = await world.sweep(wallet!.id);
  await world.lead(
    id,
    meanwhile(() => CHANGES[name]!(wallet!.address)),
  );
  expect(await world.tokens(wallet!.address)).toBe(5_000_000n);
  expect(await world.read(id)).toMatchObject({ waitsFor: 'stopped' });
  const [attempt] = await attempts(world, id);
  expect(attempt).toMatchObject({ broadcast_at: null, released_at: expect.any(Date) });
});

it('sends no gas after the station was disabled', async () => {
  const [wallet] = await world.wallets(1, 5_000_000n);
  const { id } = await world.topup(wallet!.id);
  await world.lead(
    id,
    meanwhile(() => disable(world.station)),
  );
  expect(await world.chain.client.getBalance({ address: world.station })).toBe(parseEther('10'));
  expect(await world.read(id)).toMatchObject({ waitsFor: 'stopped' });
});
