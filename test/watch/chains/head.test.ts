import { createMetrics } from '../../../src/kernel/metrics/metrics';
import { resolveBreak } from '../../../src/process/breaks/operations';
import { createTurn, watchChain } from '../../../src/watch/chains/watch';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

let world: World;
afterEach(() => world.close());

const MINUTE_MS = 60_000;

/** A process's turns with its own clock and metrics. */
function watched() {
  const { services } = world.api;
  const clock = { ahead: 0 };
  const { observers, render } = createMetrics();
  const now = () => new Date(Date.now() + clock.ahead);
  const own = { ...services, ...observers, now };
  const heads = async () => (await render()).body.match(/^chain_head_timestamp_seconds.*/gm) ?? [];
  return { clock, own, turn: createTurn(own, 'local'), heads };
}

const breaks = async () =>
  (await world.api.database.query<{ kind: string }>('select kind from breaks where resolved_at is null')).map(
    ({ kind }) => kind,
  );

const newest = async () => (await world.chain.client.getBlock()).timestamp;

it('shows a chain without a new block for ten minutes, until there is one', async () => {
  world = await openWorld({ chainId: 7 });
  const { clock, turn, heads } = watched();
  expect(await turn()).toBe('begun');
  expect(await heads()).toEqual([`chain_head_timestamp_seconds{chain="local"} ${await newest()}`]);
  clock.ahead = 9 * MINUTE_MS;
  await turn();
  expect(await breaks()).toEqual([]);
  clock.ahead = 11 * MINUTE_MS;
  await turn();
  await turn();
  expect(await breaks()).toEqual(['chain_stands_still']);
  await world.chain.client.setNextBlockTimestamp({
    timestamp: BigInt(Math.ceil((Date.now() + clock.ahead) / 1000)),
  });
  await world.chain.client.mine({ blocks: 1 });
  expect(await turn()).toBe('read');
  expect(await breaks()).toEqual([]);
});

it('keeps a resolved break closed for an hour, and then shows it again', async () => {
  world = await openWorld({ chainId: 7 });
  const { clock, own, turn } = watched();
  const { database } = world.api;
  const written = () => database.query('select xmin::text from breaks');
  clock.ahead = 11 * MINUTE_MS;
  await turn();
  const once = await written();
  await turn();
  expect(await written()).toEqual(once);
  const [shown] = await database.query<{ id: string }>('select id from breaks');
  const by = { id: String(shown?.id), note: 'known', resolvedBy: 'ida', at: own.now() };
  await database.transaction((tx) => resolveBreak(tx, by));
  clock.ahead = 70 * MINUTE_MS;
  await turn();
  await createTurn(own, 'local')(); // a process without memory
  expect(await breaks()).toEqual([]);
  clock.ahead = 81 * MINUTE_MS;
  await turn();
  expect(await breaks()).toEqual(['chain_stands_still']);
});

it('shows nothing once the network is disabled, and exports no head', async () => {
  world = await openWorld({ chainId: 7 });
  const { clock, own, turn, heads } = watched();
  clock.ahead = 11 * MINUTE_MS;
  await turn();
  expect(await breaks()).toEqual(['chain_stands_still']);
  await world.api.database.query('update networks set enabled = false');
  const watching = { signal: AbortSignal.timeout(5_000), beat: () => undefined };
  expect(await watchChain(own, 'local', watching)).toBe(false);
  expect(await breaks()).toEqual([]);
  expect(await heads()).toEqual([]);
});

it('lets a development chain rest, because it makes blocks for transactions only', async () => {
  world = await openWorld();
  const { clock, turn } = watched();
  clock.ahead = 60 * MINUTE_MS;
  await turn();
  await turn();
  expect(await breaks()).toEqual([]);
});
