/** @long */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveChains } from '../../../src/cards/events/archive';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance, fund, simulate } from '../../support/cards';
import { urlOf } from '../../support/database';
import { command, operatorEnvironment } from '../../support/operator';
import { lineOf, type NetworkCard, networkCard, nextName } from '../processor/support';

/** Late messages meet chains whose events were archived. */

let api: TestApi;
let client: Client;
let card: NetworkCard;
const lines: string[] = [];
beforeEach(async () => {
  api = await testApi();
  client = await api.client();
  card = await networkCard(api, client, '100.00');
  await fund(api, card.accountId, '100.00');
  lines.length = 0;
});
afterEach(async () => {
  expect(await checkLedger(api.database)).toEqual([]);
  await api.close();
});

it('has the columns of the table that it takes chains from, in their order', async () => {
  const columnsOf = (table: string) =>
    api.database.query(
      `select column_name, data_type, numeric_precision, numeric_scale from information_schema.columns
        where table_name = $1 order by ordinal_position`,
      [table],
    );
  expect((await columnsOf('authorizations')).length).toBeGreaterThan(5);
  expect(await columnsOf('archived_authorizations')).toEqual(await columnsOf('authorizations'));
});

const DAY = 86_400;
const pass = (days: number) => api.database.query('select advance_product_offset($1)', [days * DAY]);
const daysAgo = async (days: number): Promise<Date> => {
  const [row] = await api.database.query<{ at: Date }>(
    'select product_now() - make_interval(days => $1) as at',
    [days],
  );
  return row!.at;
};
const archive = async (days = 101) =>
  archiveChains(api.database, await daysAgo(days), async (written) => void lines.push(...written));
const event = async (type: string, more: object = {}, key?: string) =>
  simulate(client, { cardId: card.id, type, ...more }, key === undefined ? {} : { 'x-idempotency-key': key });
const history = async (query = '') =>
  (await client.call('GET', `/v1/cards/${card.id}/transactions?limit=100${query}`)).body;
const types = async () => (await history()).data.map(({ type }: { type: string }) => type).reverse();

/** An authorization of 20 that was settled in two parts. The second part has a reference of its own. */
async function settledChain() {
  const { referenceId } = (await event('authorization', { amount: '20.00' })).body;
  await event('settle', { referenceId, amount: '15.00' });
  const second = (await event('settle', { referenceId, final: true })).body;
  expect(second.referenceId).not.toBe(referenceId);
  return { first: referenceId as string, second: second.referenceId as string };
}

it('takes ended chains only, and writes each as a line', async () => {
  await settledChain();
  const open = (await event('authorization', { amount: '5.00' })).body;
  const before = await cardBalance(client, card.id);
  await pass(200);
  expect(await archive()).toEqual({ chains: 1, transactions: 3 });
  expect(await types()).toEqual(['issue', 'authorization']);
  expect((await history()).data[0].id).toBe(open.id);
  expect(await cardBalance(client, card.id)).toBe(before);
  const [line] = lines.map((text) => JSON.parse(text));
  expect(lines).toHaveLength(1);
  expect(line.authorization).toMatchObject({ card_id: card.id, settled: 20, refunded: 0 });
  expect(line.transactions.map(({ type }: { type: string }) => type)).toEqual([
    'authorization',
    'settle',
    'settle',
  ]);
  expect(await archive()).toEqual({ chains: 0, transactions: 0 });
});

it.each(['first', 'second'] as const)(
  'refunds by the %s reference, up to what was settled',
  async (which) => {
    const chain = await settledChain();
    await pass(200);
    await archive();
    const refund = await event('refund', { referenceId: chain[which], amount: '12.00' });
    expect(refund).toMatchObject({ status: 201, body: { type: 'refund', referenceId: chain.first } });
    expect(await cardBalance(client, card.id)).toBe('92.00 0.00 8.00');
    const more = await event('refund', { referenceId: chain[which], amount: '8.01' });
    expect(more).toMatchObject({ status: 409, body: { code: 'limit_exceeded' } });
    const rest = await event('refund', { referenceId: chain.first, amount: '8.00' });
    expect(rest.status).toBe(201);
    expect(rest.body.referenceId).not.toBe(chain.first);
    expect(await cardBalance(client, card.id)).toBe('100.00 0.00 0.00');
  },
);

it('archives a chain again after a late refund, with what was refunded', async () => {
  const { first } = await settledChain();
  await pass(200);
  await archive();
  await event('refund', { referenceId: first, amount: '12.00' });
  expect(await archive()).toEqual({ chains: 0, transactions: 0 });
  await pass(200);
  expect(await archive()).toEqual({ chains: 1, transactions: 1 });
  const more = await event('refund', { referenceId: first, amount: '8.01' });
  expect(more).toMatchObject({ status: 409, body: { code: 'limit_exceeded' } });
  expect((await event('refund', { referenceId: first, amount: '8.00' })).status).toBe(201);
});

it('books a late settlement as forced, linked to the archived authorization', async () => {
  const { first } = await settledChain();
  await pass(200);
  await archive();
  const late = await event('settle', { referenceId: first, amount: '3.00' });
  expect(late).toMatchObject({ status: 201, body: { type: 'settle' } });
  expect(await cardBalance(client, card.id)).toBe('77.00 0.00 23.00');
  expect(await types()).toEqual(['issue', 'authorization', 'settle']);
});

it('matches a late refund and a repeat of the card network', async () => {
  const line = lineOf(api, card);
  const networkReference = nextName('network');
  await line({ type: 'authorization', amount: '30.00', networkReference });
  const clearing = {
    type: 'clearing',
    amount: '30.00',
    networkReference,
    messageId: nextName('m'),
    final: true,
  };
  const first = await line(clearing);
  await pass(200);
  expect((await archive()).chains).toBe(1);
  expect(await line(clearing)).toEqual(first);
  await line({ type: 'refund', amount: '10.00', networkReference });
  expect(await cardBalance(client, card.id)).toBe('80.00 0.00 20.00');
  const [row] = await api.database.query('select refunded::text from authorizations');
  expect(row).toEqual({ refunded: '10' });
});

it('repeats a stored answer byte by byte', async () => {
  const { first } = await settledChain();
  const answer = await event('refund', { referenceId: first, amount: '1.00' }, 'late');
  await pass(200);
  expect((await archive()).chains).toBe(1);
  const again = await event('refund', { referenceId: first, amount: '1.00' }, 'late');
  expect([again.text, again.headers.get('x-idempotent-replayed')]).toEqual([answer.text, 'true']);
});

it('continues a list over the boundary', async () => {
  await settledChain();
  await pass(200);
  await event('authorization', { amount: '1.00' });
  await event('authorization', { amount: '2.00' });
  const page = (await client.call('GET', `/v1/cards/${card.id}/transactions?limit=1`)).body;
  const all = (await client.call('GET', '/v1/transactions?limit=1&kind=card_transaction')).body;
  await archive();
  const rest = await history(`&cursor=${page.nextCursor}`);
  expect(rest.data.map(({ type }: { type: string }) => type)).toEqual(['authorization', 'issue']);
  const others = await client.call('GET', `/v1/transactions?kind=card_transaction&cursor=${all.nextCursor}`);
  expect(others.body.data.map(({ type }: { type: string }) => type)).toEqual(['authorization', 'issue']);
});

it('leaves the chains of a card that is in use, and takes them the next time', async () => {
  await settledChain();
  await pass(200);
  await api.database.transaction(async (tx) => {
    await tx.query('select from cards where id = $1 for no key update', [card.id]);
    expect(await archive()).toEqual({ chains: 0, transactions: 0 });
  });
  expect(await archive()).toEqual({ chains: 1, transactions: 3 });
});

it('deletes nothing when the lines cannot be written', async () => {
  await settledChain();
  await pass(200);
  const full = async () => Promise.reject(new Error('no space left'));
  await expect(archiveChains(api.database, await daysAgo(101), full)).rejects.toThrow('no space left');
  expect(await types()).toEqual(['issue', 'authorization', 'settle', 'settle']);
});

it('refuses a moment in the last hundred days', async () => {
  await expect(archive(99)).rejects.toMatchObject({ status: 400, field: 'before' });
});

it('is not open to the runtime role', async () => {
  await settledChain();
  await pass(200);
  const runtime = api.services.database;
  await expect(archiveChains(runtime, await daysAgo(101), async () => undefined)).rejects.toThrow(
    /permission denied/,
  );
});

it('is a command of the installation, which adds to a file and is audited', async () => {
  const environment = await operatorEnvironment(api.database);
  const [row] = await api.database.query<{ name: string }>('select current_database() as name');
  const folder = await mkdtemp(join(tmpdir(), 'cardwright-archive-'));
  const file = join(folder, 'archive.ndjson');
  const before = async () => (await daysAgo(101)).toISOString();
  const run = (...argv: string[]) =>
    command({ ...environment, DATABASE_OWNER_URL: urlOf(row!.name) }, 'archive', ...argv);
  try {
    for (const again of [1, 2]) {
      await settledChain();
      await pass(200);
      const done = await run('--before', await before(), '--to', file, '--json');
      expect([done.code, done.err]).toEqual([0, '']);
      expect(JSON.parse(done.out)).toEqual({ chains: 1, transactions: 3 });
      const kept = (await readFile(file, 'utf8')).trimEnd().split('\n');
      expect(kept.map((line) => JSON.parse(line).transactions.length)).toEqual(Array(again).fill(3));
    }
    const audited = await api.database.query(
      `select actor, after ->> 'chains' as chains from audit_log where action = 'installation.archive'`,
    );
    expect(audited).toEqual(Array(2).fill({ actor: 'operator:ida', chains: '1' }));
    expect((await run('--before', 'yesterday', '--to', file)).code).toBe(2);
    expect((await run('--before', await before())).code).toBe(2);
  } finally {
    await rm(folder, { recursive: true });
  }
});
