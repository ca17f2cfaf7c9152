import { ChainAway } from '../../../../src/parties/chain/errors';
import { attempts, onceSigned, type TestStation } from '../operations/support';
import { delegatedStation, GATHERED_MS } from './delegated-station';

const UNITS = 1_000_000n;

let world: TestStation;
beforeEach(async () => {
  world = await delegatedStation();
});
afterEach(() => world.close());

/** Makes the chain unreachable once something was signed. */
const awayOnceSigned = () => onceSigned(world.services, () => Promise.reject(new ChainAway('local')));

/** Three sweeps whose shared transaction was signed and not broadcast. */
async function signedBatch() {
  const wallets = await world.wallets(3, UNITS);
  const sweeps: string[] = [];
  for (const { id } of wallets) sweeps.push((await world.sweep(id)).id);
  world.later(GATHERED_MS);
  const [leader = ''] = sweeps;
  await expect(world.advance(leader, awayOnceSigned())).rejects.toThrow(ChainAway);
  const [signed] = await attempts(world, leader);
  expect([signed?.raw, signed?.broadcast_at]).toEqual([expect.stringMatching(/^0x/), null]);
  return { wallets, sweeps, signed };
}

const disable = ({ id }: { id: string }) =>
  world.services.database.query(`update wallets set status = 'disabled' where id = $1`, [id]);

async function turns(sweeps: readonly string[]): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) {
    world.later(GATHERED_MS);
    for (const id of sweeps) await world.advance(id);
  }
}

it.each([
  ['another wallet', 1],
  ['the wallet whose operation has made it', 0],
])('drops a signed, unbroadcast batch when %s may no longer be swept', async (_, stopped) => {
  const { wallets, sweeps, signed } = await signedBatch();
  await disable(wallets[stopped]!);
  await turns(sweeps);
  const read = await Promise.all(sweeps.map((id) => world.read(id)));
  expect(read[stopped]).toMatchObject({ waitsFor: 'stopped' });
  const others = read.filter((__, place) => place !== stopped);
  expect(others.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(new Set(others.map(({ txHash }) => txHash)).size).toBe(1);
  expect(others[0].txHash).not.toBe(signed?.hash);
  const left = await Promise.all(wallets.map(({ address }) => world.tokens(address)));
  expect(left).toEqual(wallets.map((__, place) => (place === stopped ? UNITS : 0n)));
  // Its nonce went to the next transaction.
  expect(await world.chain.client.getTransactionCount({ address: world.station })).toBe(1);
});
