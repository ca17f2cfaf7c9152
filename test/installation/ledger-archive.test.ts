/** @long */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trialBalance, trialBalanceAt, trialBalanceByAccount } from '../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, cardBalance, fund, simulate, type TestCard } from '../support/cards';
import { urlOf } from '../support/database';
import { command, operatorEnvironment } from '../support/operator';

/** The books hold after their old entries have gone to a file, and every tampered part is found. */

let api: TestApi;
let client: Client;
let card: TestCard;
let folder: string;
let environment: Record<string, string | undefined>;
beforeEach(async () => {
  api = await testApi();
  client = await api.client();
  card = await activeCard(api, client);
  await fund(api, card.accountId, '500.00');
  folder = await mkdtemp(join(tmpdir(), 'cardwright-books-'));
  const [row] = await api.database.query<{ name: string }>('select current_database() as name');
  environment = { ...(await operatorEnvironment(api.database)), DATABASE_OWNER_URL: urlOf(row!.name) };
});
afterEach(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const DAY = 86_400;
async function pass(days: number): Promise<void> {
  await api.database.query('select advance_product_offset($1)', [days * DAY]);
  await api.services.productClock.read(api.database);
}
const ago = async (days: number): Promise<Date> => {
  const [row] = await api.database.query<{ at: Date }>(
    'select product_now() - make_interval(days => $1) as at',
    [days],
  );
  return row!.at;
};
const run = (...argv: string[]) => command(environment, 'ledger', ...argv);
const file = (name = 'books-1.ndjson') => join(folder, name);

async function archive(name?: string, before?: Date) {
  const at = (before ?? (await ago(101))).toISOString();
  const attempt = () => run('archive', '--before', at, '--to', file(name), '--json');
  let done = await attempt();
  // Entries of tests are young. A transaction of another test may be older, and then the snapshot does not have them yet.
  while (done.err.includes('snapshot')) done = await attempt();
  return { ...done, body: done.code === 0 ? JSON.parse(done.out) : undefined };
}
/** The kinds of problems that the check finds. */
async function problems(...archives: string[]): Promise<string[]> {
  const args = archives.length > 0 ? ['--archive', ...archives] : [];
  const done = await run('check', ...args, '--json');
  const found = JSON.parse(done.out).problems.map(({ problem }: { problem: string }) => problem);
  expect(done.code).toBe(found.length === 0 ? 0 : 1);
  return [...new Set<string>(found)].sort();
}
const legs = async () =>
  Number((await api.database.query<{ count: string }>('select count(*) from ledger_legs'))[0]?.count);

/** Authorizes, settles in part with its fee, releases and refunds. */
async function trade(): Promise<void> {
  const event = (type: string, more: object) => simulate(client, { cardId: card.id, type, ...more });
  const { referenceId } = (await event('authorization', { amount: '20.00' })).body;
  await event('settle', { referenceId, amount: '15.00' });
  await event('cancel', { referenceId });
  await event('refund', { referenceId, amount: '1.00' });
  await event('authorization', { amount: '3.00' });
}

/** The client's answers about the time before the archive. */
async function told(to: Date) {
  const from = new Date(to.getTime() - 300 * DAY * 1_000);
  const period = `from=${from.toISOString()}&to=${to.toISOString()}`;
  const paths = [
    `/v1/accounts/${card.accountId}/transactions?limit=100`,
    `/v2/accounts/${card.accountId}/transactions?limit=100`,
    `/v2/cards/${card.id}/transactions?limit=100`,
    `/v1/transactions?limit=100`,
    `/v1/accounts/${card.accountId}/statement?${period}`,
    `/v2/accounts/${card.accountId}/balance`,
    `/v2/cards/${card.id}`,
  ];
  const answers = await Promise.all(paths.map((path) => client.call('GET', path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return answers.map(({ body: { asOf: _, ...body } }) => body);
}

/** Changes rows that no connection of the product can change. */
const tamper = (statement: string) =>
  api.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(statement);
  });

describe('after an archive', () => {
  it('clients read what they read before, and the books hold', async () => {
    await trade();
    await pass(200);
    await trade();
    const before = await ago(101);
    const [answers, sums] = [await told(before), await trialBalance(api.database)];
    const all = await legs();
    const done = await archive(undefined, before);
    expect([done.code, done.err]).toEqual([0, '']);
    expect(done.body.checkpoint).toBe(1);
    expect(done.body.deleted).toBeGreaterThan(done.body.entries / 2);
    expect(await legs()).toBe(all - done.body.deleted);
    expect((await readFile(file(), 'utf8')).trimEnd().split('\n')).toHaveLength(done.body.entries);
    expect(await told(before)).toEqual(answers);
    expect(await trialBalance(api.database)).toEqual(sums);
    expect(await problems()).toEqual([]);
    expect(await problems(file())).toEqual([]);
    await trade();
    expect(await problems(file())).toEqual([]);
    const [audited] = await api.database.query(
      `select actor, subject from audit_log where action = 'ledger.checkpoint'`,
    );
    expect(audited).toEqual({ actor: 'operator:ida', subject: 'checkpoint:1' });
  });

  it('balances at each later moment are right, also of accounts that did not move since', async () => {
    await trade();
    await pass(150);
    const [early, nowhere] = [await ago(101), await ago(0)];
    const known = await Promise.all([
      trialBalanceAt(api.database, early),
      trialBalanceAt(api.database, nowhere),
      trialBalanceByAccount(api.database, early),
      trialBalanceByAccount(api.database, nowhere),
    ]);
    const balance = async (at: Date) =>
      (await client.call('GET', `/v2/accounts/${card.accountId}/balance?at=${at.toISOString()}`)).text;
    const [one, other] = [await balance(early), await balance(nowhere)];
    expect((await archive(undefined, early)).err).toBe('');
    expect([await balance(early), await balance(nowhere)]).toEqual([one, other]);
    expect(
      await Promise.all([
        trialBalanceAt(api.database, early),
        trialBalanceAt(api.database, nowhere),
        trialBalanceByAccount(api.database, early),
        trialBalanceByAccount(api.database, nowhere),
      ]),
    ).toEqual(known);
  });

  it('a moment before it is refused wherever its entries are missing', async () => {
    await trade();
    await pass(200);
    const before = await ago(101);
    await archive(undefined, before);
    const past = new Date(before.getTime() - 1).toISOString();
    const refused = async (path: string, field: string) =>
      expect(await client.call('GET', path)).toMatchObject({ status: 400, body: { field } });
    await refused(`/v2/accounts/${card.accountId}/balance?at=${past}`, 'at');
    await refused(`/v1/accounts/${card.id}/statement?from=${past}&to=${before.toISOString()}`, 'from');
    await expect(trialBalanceAt(api.database, new Date(past))).rejects.toMatchObject({ status: 400 });
    await expect(trialBalanceByAccount(api.database, new Date(past))).rejects.toMatchObject({ status: 400 });
    const card2 = `/v1/accounts/${card.id}/statement?from=${before.toISOString()}&to=${(await ago(0)).toISOString()}`;
    const statement = await client.call('GET', card2);
    expect(statement.status).toBe(200);
    expect(statement.body.openingBalance).toBe(statement.body.closingBalance);
  });

  it('a second archive begins where the first one ended', async () => {
    await trade();
    await pass(200);
    expect((await archive('one')).err).toBe('');
    await trade();
    await pass(200);
    await trade();
    const { body, err } = await archive('two');
    expect(err).toBe('');
    expect(body.checkpoint).toBe(2);
    const balance = await cardBalance(client, card.id);
    expect(await problems(file('one'), file('two'))).toEqual([]);
    await trade();
    expect(await cardBalance(client, card.id)).not.toBe(balance);
    expect(await problems(file('two'))).toEqual([]);
  });

  it('goes on where it was broken off', async () => {
    await trade();
    await pass(200);
    const before = await ago(101);
    const { body } = await archive(undefined, before);
    const again = await archive(undefined, before);
    expect(again.body).toEqual({ ...body, deleted: 0 });
    await writeFile(file(), 'lost');
    const lost = await archive(undefined, before);
    expect([lost.code, lost.err]).toEqual([1, expect.stringContaining('belongs to no checkpoint')]);
  });

  it('an entry that stays, or that is younger, is deleted by nobody', async () => {
    await trade();
    await pass(200);
    await trade();
    await archive();
    for (const which of ['listed', 'true', 'number is null'])
      await expect(api.database.query(`delete from ledger_legs where ${which}`)).rejects.toThrow(
        'never changed or deleted',
      );
    await expect(api.database.query('delete from ledger_checkpoints')).rejects.toThrow('never changed');
    await expect(api.database.query('update ledger_openings set available = 0')).rejects.toThrow(
      'never changed',
    );
  });
});

describe('before it begins', () => {
  it('refuses a young or former time, an existing file, and wrong books', async () => {
    await trade();
    await pass(200);
    expect(await archive(undefined, await ago(99))).toMatchObject({ code: 2 });
    const first = await ago(110);
    expect((await archive('one', first)).err).toBe('');
    expect((await archive('two', await ago(120))).code).toBe(2);
    expect((await archive('one')).code).toBe(1);
    await tamper(`update ledger_accounts set available = available + 1 where id = '${card.id}'`);
    expect(await archive('three')).toMatchObject({ code: 1, err: expect.stringContaining('stored balance') });
    expect(await api.database.query('select from ledger_checkpoints')).toHaveLength(1);
  });
});

describe('the check finds', () => {
  beforeEach(async () => {
    await trade();
    await pass(200);
    await trade();
    expect((await archive()).err).toBe('');
  });
  const CHECKPOINT = 'checkpoint differs from the audit log';

  it.each<[string, string, string[]]>([
    [
      'a changed opening balance',
      `update ledger_openings set available = available + 1 where account_id = 'funding:USD'`,
      [CHECKPOINT, 'internal balance differs from its entries', 'opening balances do not sum to zero'],
    ],
    [
      'two opening balances and a snapshot that were changed together',
      `with o as (update ledger_openings set available = available + case account_id when 'funding:USD' then 1 else -1 end
                   where account_id in ('funding:USD', 'card_network:USD'))
       update ledger_snapshots set available = available + case account_id when 'funding:USD' then 1 else -1 end
        where account_id in ('funding:USD', 'card_network:USD')`,
      [CHECKPOINT],
    ],
    [
      'a removed opening balance',
      `delete from ledger_openings where account_id like 'card\\_%' and number is not null`,
      [
        CHECKPOINT,
        'opening balances do not sum to zero',
        'running balance of an entry is wrong',
        'stored balance differs from its entries',
      ],
    ],
    ['a changed hash', `update ledger_checkpoints set file_hash = 'x'`, [CHECKPOINT]],
    [
      'a changed entry of a client’s history',
      `update ledger_legs set reference_id = 'ref_x' where listed and at < (select at from ledger_checkpoints)
          and posting_id = (select min(posting_id) from ledger_legs where listed)`,
      ['entries before a checkpoint were changed'],
    ],
    [
      'a removed entry of a client’s history',
      `delete from ledger_legs where posting_id = (select min(posting_id) from ledger_legs where listed)`,
      ['entries before a checkpoint were changed'],
    ],
    [
      'a checkpoint that the audit log does not know',
      `insert into ledger_checkpoints select 2, at + interval '1 hour', 0, '', 0, sha256('') from ledger_checkpoints`,
      [CHECKPOINT],
    ],
  ])('%s', async (_, statement, found) => {
    await tamper(statement);
    expect(await problems()).toEqual(expect.arrayContaining(found));
  });

  it.each<[string, (text: string) => string]>([
    ['a changed line', (text) => text.replace('"available": "-20"', '"available": "-21"')],
    ['a removed line', (text) => text.slice(text.indexOf('\n') + 1)],
    ['a line that is no JSON', (text) => `${text}x\n`],
  ])('%s of an archive', async (_, change) => {
    const text = await readFile(file(), 'utf8');
    const changed = change(text);
    expect(changed).not.toBe(text);
    await writeFile(file(), changed);
    expect(await problems(file())).toContain('archive belongs to no checkpoint');
  });

  it('an archive and its hash that were changed together', async () => {
    await tamper(`update ledger_openings set available = available + 1 where account_id = 'funding:USD'`);
    expect(await problems(file())).toContain('opening balance differs from the archive');
  });
});
