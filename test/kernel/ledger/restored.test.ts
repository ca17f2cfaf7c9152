/** @long */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { migrate } from '../../../src/kernel/db/migrate';
import { writeTogether } from '../../../src/kernel/db/writes';
import { newId } from '../../../src/kernel/ids';
import { internalBalance, openLedgerAccount } from '../../../src/kernel/ledger/accounts';
import { openBook } from '../../../src/kernel/ledger/book';
import { checkLedger, takeSnapshots } from '../../../src/kernel/ledger/check';
import { accountEntry, internalEntry } from '../../../src/kernel/ledger/entries';
import { Decimal } from '../../../src/kernel/money/money';
import { type EmbeddedPostgres, startPostgres } from '../../../src/startup/embedded/postgres/server';
import { onServer, serverUrl, testDatabase, urlOf } from '../../support/database';
import { restoredOn, useUpTransactionIds } from '../../support/restore';
import { quietLog, startTestPostgres, temporaryFolder } from '../../support/servers';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

async function deposit(database: Database, amount: string): Promise<void> {
  const id = newId('account');
  await database.transaction((tx) =>
    openLedgerAccount(tx, { id, kind: 'master', tenantId: newId('tenant'), currency: 'USD' }),
  );
  await database.transaction(async (tx) => {
    const book = await openBook(tx, [id]);
    const [sum, reference] = [new Decimal(amount), newId('reference')];
    book.post({
      entries: [
        accountEntry(id, 'deposit/admin_deposit', sum, reference),
        internalEntry('funding', 'USD', sum.negated(), reference),
      ],
    });
    await writeTogether(tx, [book.written()]);
  });
}

const funded = async (database: Database) => (await internalBalance(database, 'funding', 'USD')).toFixed(0);
const places = async (database: Database) =>
  Number(
    (await database.query<{ places: string }>('select count(*) as places from ledger_places'))[0]?.places,
  );

/** Entries before and after a snapshot, and entries of the present cluster. */
async function goesOn(database: Database, before: string, after: string): Promise<void> {
  expect(await funded(database)).toBe(before);
  await deposit(database, '1');
  await takeSnapshots(database);
  await deposit(database, '1');
  expect(await funded(database)).toBe(after);
  expect(await checkLedger(database)).toEqual([]);
}

async function copied(server: string, from: string) {
  const copy = await restoredOn(server, from);
  undo.push(copy.drop);
  return copy;
}

async function server(dataDir: string): Promise<EmbeddedPostgres> {
  const started = await startPostgres({ dataDir, log: quietLog });
  undo.push(() => started.stop().then(() => rm(dataDir, { recursive: true, force: true })));
  return started;
}

async function connected(url: string): Promise<Database> {
  const database = createDatabase({ url, poolSize: 4, name: 'restored' });
  undo.push(() => database.close());
  return database;
}

it('continues on another cluster, and back on another database of the first one', async () => {
  const first = await testDatabase();
  undo.push(first.drop);
  const other = await startTestPostgres();
  undo.push(other.stop);
  await useUpTransactionIds(first.url, 5_000);
  await goesOn(first.database, '0', '-2');
  const second = await copied(other.url, first.url);
  await goesOn(second.database, '-2', '-4');
  const third = await copied(serverUrl(), second.url);
  await goesOn(third.database, '-4', '-6');
  expect(await Promise.all([first, second, third].map(({ database }) => places(database)))).toEqual([
    1, 2, 3,
  ]);
});

it('registers one place once when many write first', async () => {
  const first = await testDatabase();
  undo.push(first.drop);
  await goesOn(first.database, '0', '-2');
  const second = await copied(serverUrl(), first.url);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      n === 9 ? takeSnapshots(second.database) : deposit(second.database, '1'),
    ),
  );
  expect(await funded(second.database)).toBe('-21');
  expect(await checkLedger(second.database)).toEqual([]);
  expect(await places(second.database)).toBe(2);
});

it('continues at its place on a physical copy, and at a new place after a restore between copies', async () => {
  const [dataDir, cloneDir] = [temporaryFolder(), temporaryFolder()];
  const begun = await startPostgres({ dataDir, log: quietLog });
  await migrate(begun.url);
  const early = createDatabase({ url: begun.url, poolSize: 4, name: 'early' });
  await goesOn(early, '0', '-2');
  await early.close();
  await begun.stop();
  await rm(cloneDir, { recursive: true });
  execFileSync('cp', ['-a', dataDir, cloneDir]);

  const [original, clone] = [await server(dataDir), await server(cloneDir)];
  const [one, two] = [await connected(original.url), await connected(clone.url)];
  await useUpTransactionIds(original.url, 5_000);
  await goesOn(one, '-2', '-4');
  await goesOn(two, '-2', '-4');
  expect([await places(one), await places(two)]).toEqual([1, 1]);
  const restored = await copied(clone.url, original.url);
  await goesOn(restored.database, '-4', '-6');
  expect(await places(restored.database)).toBe(2);
});

it('continues at its place on a copy that the server makes of a database', async () => {
  const first = await testDatabase();
  await goesOn(first.database, '0', '-2');
  await first.database.close();
  const name = `copy_of_${new URL(first.url).pathname.slice(1)}`;
  await onServer(`create database ${name} template ${new URL(first.url).pathname.slice(1)}`);
  undo.push(first.drop, () => onServer(`drop database ${name} with (force)`));
  const copy = await connected(urlOf(name));
  await goesOn(copy, '-2', '-4');
  expect(await places(copy)).toBe(1);
});
