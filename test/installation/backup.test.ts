/** @long starts servers of its own. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../../src/kernel/db/database';
import { migrate } from '../../src/kernel/db/migrate';
import { giveRights } from '../../src/kernel/db/roles';
import { type EmbeddedPostgres, startPostgres } from '../../src/startup/embedded/postgres/server';
import { ask } from '../chaos/persistent';
import { killAll, START_MS } from '../startup/process';
import { type Client, type TestApi, testApi } from '../support/api';
import { masterKeysText, SIGNER_KEYS_TEXT, testKeyring } from '../support/keyring';
import { command } from '../support/operator';
import { shareBundles, startWhole } from '../support/product';
import { giveOwnPorts, quietLog, temporaryFolder } from '../support/servers';
import { until } from '../support/until';
import { userInReview } from '../support/uploads';

/** Rehearses backup and restore on the embedded Postgres: under load, to the end of the WAL, to a moment, and with faults. */

const keyring = testKeyring();
const MASTER_KEYS = masterKeysText(keyring.root);
const folder = temporaryFolder('backup');
const path = (name: string) => join(folder, name);
const [dataDir, backup, wal] = [path('data'), path('backup'), path('wal')];

let server: EmbeddedPostgres;
let api: TestApi;
let client: Client;
let admin: Client;
let accountId: string;
/** The account's balance when requests stopped, and after each later deposit. */
const balances: string[] = [];
/** A moment between the two deposits after the backup. */
let between: Date;

const environment = { DATA_DIR: dataDir, MASTER_KEYS };
const restoreTo = (name: string, ...argv: string[]) =>
  command({ ...environment, DATA_DIR: path(name) }, 'restore', '--from', backup, '--json', ...argv);

async function deposit(amount: string): Promise<void> {
  const body = { accountId, amount, reason: 'test' };
  const { status, text } = await admin.call('POST', '/v1/accounts/admin-deposit', body);
  if (status >= 300) throw new Error(text);
}

const balance = async (): Promise<string> =>
  (await client.call('GET', `/v2/accounts/${accountId}/balance`)).body.available;

/** Deposits one unit after the other until it is ended. @returns their number */
function load(): () => Promise<number> {
  let ended = false;
  let made = 0;
  const loop = (async () => {
    for (; !ended; made += 1) await deposit('1.00');
  })();
  return async () => {
    ended = true;
    await loop;
    return made;
  };
}

/** The balance in a restored folder. */
async function balanceIn(name: string, walFolder?: string): Promise<string> {
  const restored = await startPostgres({ dataDir: path(name), log: quietLog, walFolder });
  const database = createDatabase({ url: restored.runtimeUrl, poolSize: 2, name: 'restored' });
  try {
    const rows = await database.query<{ available: string }>(
      'select available::numeric(20,2)::text as available from ledger_accounts where id = $1',
      [accountId],
    );
    return rows[0]?.available ?? 'none';
  } finally {
    await database.close();
    await restored.stop();
  }
}

beforeAll(async () => {
  mkdirSync(dataDir, { recursive: true });
  server = await startPostgres({ dataDir, log: quietLog, walFolder: wal });
  await migrate(server.url);
  const { url, runtimeUrl } = server;
  await giveRights({ owner: url, runtime: runtimeUrl, sandbox: true });
  const database = createDatabase({ url, poolSize: 4, name: 'owner' });
  const runtime = createDatabase({ url: runtimeUrl, poolSize: 8, name: 'runtime' });
  const drop = async () => void (await Promise.all([database.close(), runtime.close()]));
  const documents = { kind: 'folder', folder: join(dataDir, 'documents') } as const;
  api = await testApi({ on: { database, runtime, url, runtimeUrl, drop }, keyring, documents });
  [client, admin] = [await api.client(), await api.client('admin')];
  const { body } = await client.call('GET', '/v1/client/settings');
  accountId = body.accounts.find(({ currency }: { currency: string }) => currency === 'USD').accountId;
  await userInReview(client);
});
afterAll(() => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

const SEPA = { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' };

it('backs up while requests are served, and leaves every key out', async () => {
  await deposit('100.00');
  const end = load();
  const { code, out, err } = await command(environment, 'backup', '--to', backup, '--json');
  const made = await end();
  expect([code, err]).toEqual([0, '']);
  expect(made).toBeGreaterThan(0);
  expect(JSON.parse(out)).toMatchObject({ folder: backup, documents: 3, masterKeys: ['test'] });
  const names = readdirSync(backup, { recursive: true }).map(String);
  expect(
    names.filter((name) => /\.key$|postgres\.json|credentials|serving\.pid|postmaster/.test(name)),
  ).toEqual([]);
  balances.push(await balance());
  await deposit('7.00');
  balances.push(await balance());
  await sleep(20);
  between = new Date();
  await sleep(20);
  await deposit('11.00');
  balances.push(await balance());
});

it('compares records and contents of documents', async () => {
  const check = () => command(environment, 'documents', 'check', '--json');
  expect(JSON.parse((await check()).out)).toEqual({ kept: 3, missing: [], orphans: [] });
  const documents = join(dataDir, 'documents');
  const [first = ''] = readdirSync(documents, { recursive: true })
    .map(String)
    .filter((name) => name.includes('doc_'));
  const bytes = readFileSync(join(documents, first));
  writeFileSync(join(documents, first), bytes.subarray(1));
  writeFileSync(join(documents, `${first}x`), 'nobody');
  const { code, out } = await check();
  expect([code, JSON.parse(out)]).toEqual([1, { kept: 2, missing: [first], orphans: [`${first}x`] }]);
  writeFileSync(join(documents, first), bytes);
  rmSync(join(documents, `${first}x`));
});

it('refuses a second backup in the folder, one within DATA_DIR, and a database of its own', async () => {
  const refusal = async (more: Record<string, string>, ...argv: string[]) => {
    const { code, err } = await command({ ...environment, ...more }, ...argv);
    expect(code).not.toBe(0);
    return err;
  };
  expect(await refusal({}, 'backup', '--to', backup)).toContain('is not empty');
  expect(await refusal({}, 'backup', '--to', join(dataDir, 'backup'))).toContain('is within DATA_DIR');
  const own = { DATABASE_URL: server.runtimeUrl };
  expect(await refusal(own, 'backup', '--to', path('other'))).toContain('docs/operating.md');
  expect(await refusal(own, 'restore', '--from', backup)).toContain('docs/operating.md');
  expect(await refusal({}, 'restore', '--from', backup)).toContain('is not empty');
  expect(await refusal({ DATA_DIR: path('new') }, 'restore', '--from', folder)).toContain('no whole backup');
});

describe('with the installation lost', () => {
  beforeAll(async () => {
    await api.close();
    await api.drop();
    await server.stop();
  });

  it('restores to the end of the WAL, and all proofs hold', async () => {
    const archiving = { ...environment, DATA_DIR: path('latest'), WAL_FOLDER: wal };
    const { code, out, err } = await command(archiving, 'restore', '--from', backup, '--json');
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({
      ledger: [],
      audit: { known: 1 },
      documents: { kept: 3, missing: [], orphans: [] },
    });
    expect(await balanceIn('latest', wal)).toBe(balances[2]);
  });

  it('restores to a moment', async () => {
    const { code, err } = await restoreTo('moment', '--wal', wal, '--until', between.toISOString());
    expect([code, err]).toEqual([0, '']);
    expect(await balanceIn('moment')).toBe(balances[1]);
  });

  it(
    'serves from a restored folder, pays, and shows people the loss',
    async () => {
      await Promise.all([giveOwnPorts(path('moment')), shareBundles(path('moment'))]);
      const keys = { MASTER_KEYS, SIGNER_KEYS: SIGNER_KEYS_TEXT };
      const whole = await startWhole(path('moment'), { ...keys, CHAIN: 'off' });
      try {
        const call = (method: string, to: string, body?: object, key?: string) =>
          ask(whole.credentials, client, method, to, body, key);
        const account = `/v2/accounts/${accountId}`;
        expect((await call('GET', `${account}/balance`)).body.available).toBe(balances[1]);
        const quote = await call('POST', `${account}/payout-quote`, { method: 'sepa', amount: '20.00' });
        const order = { quoteId: quote.body.quoteId, destination: SEPA };
        const paid = await call('POST', `${account}/payouts`, order, 'after the restore');
        expect(paid.status).toBe(201);
        const status = async () => (await call('GET', `${account}/payouts/${paid.body.id}`)).body.status;
        await until(async () => (await status()) === 'completed').catch(() => undefined);
        expect(await status()).toBe('completed');
        const metrics = await (await fetch(whole.metricsUrl)).text();
        expect(metrics).toContain('breaks_open{kind="commits_lost"} 1');
      } finally {
        await whole.stop();
      }
    },
    START_MS,
  );

  it('restores the backup alone, with the postings until it was complete', async () => {
    const { code, err } = await restoreTo('alone');
    expect([code, err]).toEqual([0, '']);
    const found = Number(await balanceIn('alone'));
    expect(found).toBeGreaterThanOrEqual(100);
    expect(found).toBeLessThanOrEqual(Number(balances[0]));
  });

  it('keeps the WAL of a restored installation beside that of the lost one', async () => {
    const before = readdirSync(wal);
    const restored = await startPostgres({ dataDir: path('latest'), log: quietLog, walFolder: wal });
    const database = createDatabase({ url: restored.url, poolSize: 1, name: 'restored' });
    const more = `update ledger_accounts set last_at = last_at + interval '1 day' where id = $1 returning last_at as at`;
    const [written] = await database.query<{ at: Date }>(more, [accountId]);
    await database.close();
    await restored.stop();
    expect(readdirSync(wal).length).toBeGreaterThan(before.length);
    // The restored installation is restored in its turn, with the changes since.
    const again = await restoreTo('again', '--wal', wal);
    expect([again.code, JSON.parse(again.out).lastPosting]).toEqual([0, written?.at.toISOString()]);
  });

  it('refuses moments that it cannot reach', async () => {
    const early = await restoreTo('early', '--wal', wal, '--until', '2026-01-01T00:00:00Z');
    expect([early.code, early.err]).toEqual([1, expect.stringContaining('Name a later time')]);
    const bare = await restoreTo('bare', '--until', between.toISOString());
    expect([bare.code, bare.err]).toEqual([1, expect.stringContaining('--wal')]);
    const future = await restoreTo(
      'future',
      '--wal',
      wal,
      '--until',
      new Date(Date.now() + 3_600_000).toISOString(),
    );
    expect([future.code, future.err]).toEqual([1, expect.stringContaining('The WAL ends before')]);
    for (const name of ['early', 'bare', 'future'])
      expect(existsSync(join(path(name), 'postgres'))).toBe(false);
  });

  it('refuses a backup without its master key, and a damaged one', async () => {
    const lost = { DATA_DIR: path('lost'), MASTER_KEYS: masterKeysText(undefined, 'another') };
    const keyless = await command(lost, 'restore', '--from', backup);
    expect([keyless.code, keyless.err]).toEqual([1, expect.stringContaining('needs the master key "test"')]);
    const damaged = path('damaged');
    cpSync(backup, damaged, { recursive: true });
    const file = join(damaged, 'postgres', 'PG_VERSION');
    writeFileSync(file, '99\n');
    const told = await command({ DATA_DIR: path('kept'), MASTER_KEYS }, 'restore', '--from', damaged);
    expect([told.code, told.err]).toEqual([
      1,
      expect.stringContaining('postgres/PG_VERSION is not as it was written'),
    ]);
    rmSync(file);
    const holed = await command({ DATA_DIR: path('kept'), MASTER_KEYS }, 'restore', '--from', damaged);
    expect([holed.code, holed.err]).toEqual([1, expect.stringContaining('postgres/PG_VERSION is missing')]);
    expect(existsSync(join(path('kept'), 'postgres'))).toBe(false);
  });
});
