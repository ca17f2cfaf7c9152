import { watchChain } from '../../../src/watch/chains/watch';
import { until } from '../../support/until';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

let world: World;
beforeAll(async () => {
  world = await openWorld({ blockTime: 'manual' });
});
afterAll(() => world.close());

/** Longer than the test may take, so that only a claim ends the pause. */
const LONG_MS = 3_600_000;

it('a claim ends the pause of the watcher, which books its payment', async () => {
  const { services } = world.api;
  const { client, pay } = world.chain;
  const account = await world.account();
  const address = await world.wallet(account);
  const read = async () => {
    const [place] = await world.api.database.query('select 1 from chain_places');
    return place !== undefined;
  };
  const end = new AbortController();
  let beats = 0;
  const watching = { signal: end.signal, beat: () => void (beats += 1), everyMs: LONG_MS, beatMs: LONG_MS };
  const watched = watchChain(services, 'local', watching);
  try {
    await until(read); // has begun at the head, and pauses
    const txHash = await pay(world.token, address, 5_000_000n);
    await client.mine({ blocks: 4 });
    const before = beats;
    const claim = { chain: 'local', address, txHash };
    expect((await world.client.call('POST', '/v1/wallets/deposit', claim)).status).toBe(202);
    // Nobody runs the workflow of the deposit here, so the watcher makes its steps.
    await until(async () => (await world.available(account)) === '5');
    expect(beats).toBeGreaterThan(before);
  } finally {
    end.abort();
    await watched;
  }
});
