import { readChain } from '../../../src/watch/chains/follow-blocks';
import { nothingRemembered } from '../../../src/watch/chains/reading';
import { type Statement, spiedDatabase } from '../../growth/spy';
import { fillPool } from '../../support/large-pool';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

/** A scan of so many wallets touches some 500 blocks of Postgres, and more by an index. */
const WALLETS = 20_000;
const MAX_BLOCKS = 100;

let world: World;
let own: string;
let services: World['api']['services'];
const statements: Statement[] = [];
const remembered = nothingRemembered();

async function readAll(): Promise<void> {
  while ((await readChain(services, 'local', remembered)) !== 'rests');
}

beforeAll(async () => {
  world = await openWorld({ blockTime: 'manual' });
  const { database } = world.api.services;
  services = { ...world.api.services, database: spiedDatabase(database, statements) };
  own = await world.wallet(await world.account());
  await fillPool(world.api.database, 'local', WALLETS);
  await readAll(); // begins at the head
  await world.chain.client.mine({ blocks: 1 });
  await readAll(); // reads all addresses
});
afterAll(() => world.close());

/** Blocks that each statement about wallets touches, by its text. */
async function touched(): Promise<Record<string, number>> {
  const about = statements.filter(({ text }) => /^\s*(select|with)\b.*\bwallets\b/is.test(text));
  const blocks: Record<string, number> = {};
  for (const { text, values } of about) {
    const explain = `explain (analyze, buffers, format json) ${text}`;
    const [row] = await services.database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, values);
    const plan = row?.['QUERY PLAN'][0].Plan;
    blocks[text] = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
  }
  return blocks;
}

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** The tests' server analyses no table by itself. */
it.each([
  ['without statistics, as after many wallets were added', async () => undefined],
  ['with statistics', () => world.api.database.query('analyze')],
])('a step reads the wallets that it concerns, and not the pool: %s', async (_, prepare) => {
  await prepare();
  await world.chain.pay(world.token, own, 2_000_000n);
  // Nobody has these wallets, so the step also asks whether another network does.
  for (let stranger = 10; stranger < 30; stranger += 1)
    await world.chain.pay(world.token, `0x${stranger}${'7'.repeat(38)}`, 2_000_000n);
  await world.chain.client.mine({ blocks: 1 });
  statements.length = 0;
  await readAll();
  const found = await touched();
  expect(Object.keys(found).length).toBeGreaterThan(3);
  expect(Object.entries(found).filter(([, blocks]) => blocks > MAX_BLOCKS)).toEqual([]);
});
