import type { Database } from '../../../src/kernel/db/database';
import { internalBalance } from '../../../src/kernel/ledger/accounts';
import { checkLedger, takeSnapshots, trialBalance } from '../../../src/kernel/ledger/check';
import type { EmbeddedPostgres } from '../../../src/startup/embedded/postgres/server';
import { type TestDatabase, urlOf } from '../../support/database';
import { restoredOn, useUpTransactionIds } from '../../support/restore';
import { startTestPostgres } from '../../support/servers';
import { check, dealt, internal, statusesOf, type World, world } from './support';

let other: EmbeddedPostgres;
let on: World;
let present: Database;
const restored: TestDatabase[] = [];

beforeAll(async () => {
  other = await startTestPostgres();
});
afterAll(() => other.stop());
beforeEach(async () => {
  on = await world(following);
});
afterEach(async () => {
  await on.api.close();
  for (const each of restored.splice(0)) await each.drop();
});

/** A database that forwards to the present one, so that the test can replace it. */
function following(first: Database): Database {
  present = first;
  return {
    run: (query) => present.run(query),
    query: (text, values) => present.query(text, values),
    prepared: (name, text, values) => present.prepared(name, text, values),
    transaction: (work, options) => present.transaction(work, options),
    counts: () => present.counts(),
    close: () => present.close(),
  };
}

/** The URL of the product's first database. */
async function ownUrl(): Promise<string> {
  const [row] = await on.api.database.query<{ name: string }>('select current_database() as name');
  return urlOf(row!.name);
}

/** Moves the product to a logical copy of its database. */
async function goesOnAt(server: string): Promise<void> {
  const copy = await restoredOn(server, restored.at(-1)?.url ?? (await ownUrl()));
  restored.push(copy);
  present = copy.database;
  on.api.database = copy.database;
}

/** The settlement account by its balance, and by the sum of its entries. */
const booked = async () => [
  Number(await internalBalance(present, 'settlement', 'USD')),
  await internal(on, 'settlement:USD'),
];
const unbalanced = async () => (await trialBalance(present)).filter(({ sum }) => Number(sum) !== 0);

it('after a restore in another cluster balances are right and checks release only covered orders', async () => {
  await useUpTransactionIds(await ownUrl(), 5_000);
  const a = await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '55' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [a], leftOver: '0.00' });
  await takeSnapshots(present);
  await goesOnAt(other.url);
  expect(await booked()).toEqual([-55, -55]);

  const b = await dealt(on, '100.00', '100 110');
  const c = await dealt(on, '10.00', '10 11');
  expect(await booked()).toEqual([-176, -176]);
  expect(await unbalanced()).toEqual([]);
  expect((await check(on)).body).toMatchObject({ previous: '55.00', ordersReleased: [], leftOver: '0.00' });
  on.double.balances = { USD: '165' };
  expect((await check(on)).body).toMatchObject({ increase: '110.00', ordersReleased: [b], leftOver: '0.00' });
  expect(await statusesOf(on, a, b, c)).toEqual(['completed', 'completed', 'awaiting_settlement']);

  await takeSnapshots(present);
  expect(await booked()).toEqual([-176, -176]);
  await dealt(on, '10.00', '10 11');
  expect(await booked()).toEqual([-187, -187]);
  expect(await checkLedger(present)).toEqual([]);
});
