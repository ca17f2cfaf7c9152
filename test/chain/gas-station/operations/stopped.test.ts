import { parseEther } from 'viem';
import { disableWallet } from '../../../../src/chain/wallets/disable';
import type { Services } from '../../../../src/services';
import { attempts, onceSigned, type TestStation, testStation } from './support';

/** What is changed while an operation is about to be handed to the chain: whoever was answered that it holds is not overtaken. */

const OTHER_TREASURY = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

let world: TestStation;
beforeEach(async () => {
  world = await testStation({ config: { autoSweep: true } });
});
afterEach(() => world.close());

/** Services whose node is asked for its prices, once something is signed, only after that was done. */
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

it.each(Object.keys(CHANGES))('a sweep that is signed is not handed over after %s', async (name) => {
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

it('gas is not sent after its station was disabled', async () => {
  const [wallet] = await world.wallets(1, 5_000_000n);
  const { id } = await world.topup(wallet!.id);
  await world.lead(
    id,
    meanwhile(() => disable(world.station)),
  );
  expect(await world.chain.client.getBalance({ address: world.station })).toBe(parseEther('10'));
  expect(await world.read(id)).toMatchObject({ waitsFor: 'stopped' });
});
