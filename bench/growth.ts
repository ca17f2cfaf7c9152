import { archiveChains } from '../src/cards/events/archive';
import type { Database } from '../src/kernel/db/database';
import { forgetOldKeys } from '../src/kernel/idempotency';
import { ARCHIVE_SECONDS, makeCheckpoint, removeCovered } from '../src/kernel/ledger/archive';
import { checkLedger, trialBalance, trialBalanceByAccount } from '../src/kernel/ledger/check';
import { forgetOldEvents } from '../src/tenants/webhooks/events/operations';
import { fillBooks } from './filled-books';
import { openServices, tenantWithHolder } from './fixtures';
import { openBench, runLoad, startCardApi } from './servers';

/** Card transactions of each turn. `BENCH_ROWS` gives others, separated by commas. */
const SIZES = (process.env['BENCH_ROWS'] ?? '100000,10000000').split(',').map(Number);
const READS = 100;
const CONNECTIONS = 20;
const DAY_MS = 86_400_000;

/** Milliseconds, or a number of something a second. */
interface Figure {
  what: string;
  unit: 'ms' | 'a second';
  p50: number;
  p99: number | undefined;
}

/**
 * Measures what clients and operators do on small and on large books, in one run: lists by their first page, deep within and
 * filtered, histories, sums, authorizations, the archives and the deletion of old rows. `ratio` compares the last turn with the first.
 */
export async function benchGrowth(): Promise<void> {
  const turns: { rows: number; figures: Figure[] }[] = [];
  for (const rows of SIZES) turns.push({ rows, figures: await measured(rows) });
  const [first, last] = [turns[0], turns.at(-1)];
  console.table(
    first?.figures.map(({ what, unit, p50 }, index) => {
      const figures = turns.map(({ rows, figures: of }) => [`${rows}: p50, p99`, told(of[index])]);
      const other = last?.figures[index]?.p50 ?? 0;
      const ratio = unit === 'ms' ? other / p50 : p50 / other;
      return { what, unit, ...(Object.fromEntries(figures) as object), ratio: Number(ratio.toFixed(2)) };
    }),
  );
}

const told = (figure: Figure | undefined) =>
  [figure?.p50, figure?.p99].filter((each) => each !== undefined).join(', ');

async function measured(rows: number): Promise<Figure[]> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const { database } = services;
    const tenant = await tenantWithHolder(services);
    const began = performance.now();
    const card = await fillBooks(database, tenant, rows / 2);
    await database.transaction((tx) => tx.query('analyze'), { statementSeconds: ARCHIVE_SECONDS });
    console.error(`${rows} card transactions in ${Math.round((performance.now() - began) / 1_000)} s`);
    const api = await startCardApi(bench, 'warn');
    const headers = { 'x-client-id': tenant.clientId, 'x-client-secret': tenant.clientSecret };
    const read = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, { headers });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      return JSON.parse(text) as { nextCursor?: string };
    };
    const figures = await readsOf(read, { card, account: tenant.masterId });
    figures.push(await timed('trial balance', 20, () => trialBalance(database)));
    figures.push(
      await timed('trial balance by account, 30 days ago', 20, () =>
        trialBalanceByAccount(database, new Date(Date.now() - 30 * DAY_MS)),
      ),
    );
    const body = JSON.stringify({ cardId: card, type: 'authorization', amount: '0.01' });
    const load = await runLoad({
      port: api.port,
      connections: CONNECTIONS,
      seconds: 8,
      warmUp: 3,
      targets: [{ clientId: tenant.clientId, clientSecret: tenant.clientSecret, body }],
      path: '/sandbox/transactions',
    });
    figures.push({ what: 'authorization, 20 connections', unit: 'ms', p50: load.p50, p99: load.p99 });
    figures.push({ what: 'authorizations', unit: 'a second', p50: load.perSecond, p99: undefined });
    await api.stop();
    figures.push(...(await upkeep(database, rows)));
    await database.close();
    return figures;
  } finally {
    await bench.close();
  }
}

type Read = (path: string) => Promise<{ nextCursor?: string }>;

async function readsOf(read: Read, { card, account }: { card: string; account: string }): Promise<Figure[]> {
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const lists: [string, string, string][] = [
    ['card transactions', `/v1/cards/${card}/transactions?limit=50`, '&type=settle'],
    ['mixed history of the card', `/v2/cards/${card}/transactions?limit=50`, '&kind=card_transaction'],
    ['account transactions', `/v1/accounts/${account}/transactions?limit=50`, '&type=fee'],
    [
      'mixed history of the account',
      `/v2/accounts/${account}/transactions?limit=50`,
      '&kind=account_transaction',
    ],
    ['all transactions', '/v1/transactions?limit=50', '&kind=card_transaction'],
    ['events', '/v1/events?limit=50', '&type=account'],
  ];
  const figures: Figure[] = [];
  for (const [what, path, filter] of lists) {
    const { nextCursor } = await read(`${path}&to=${ago(200)}`);
    figures.push(await timed(`${what}, first page`, READS, () => read(path)));
    figures.push(await timed(`${what}, 200 days deep`, READS, () => read(`${path}&cursor=${nextCursor}`)));
    figures.push(await timed(`${what}, filtered`, READS, () => read(`${path}${filter}`)));
    figures.push(
      await timed(`${what}, of a day`, READS, () => read(`${path}&from=${ago(150)}&to=${ago(149)}`)),
    );
  }
  figures.push(
    await timed('balance at a moment', READS, () => read(`/v2/accounts/${account}/balance?at=${ago(150)}`)),
  );
  return figures;
}

/** Archives a portion, closes the books before a moment, proves them, and deletes old keys and events. */
async function upkeep(database: Database, rows: number): Promise<Figure[]> {
  const rate = (what: string, count: number, ms: number): Figure => ({
    what,
    unit: 'a second',
    p50: Math.round((count / ms) * 1_000),
    p99: undefined,
  });
  const before = new Date(Date.now() - 400 * DAY_MS + Math.min(2_000 / (rows / 2), 0.4) * 400 * DAY_MS);
  const forget = async () => undefined;
  const [chains, chainsMs] = await lasting(() => archiveChains(database, before, forget));
  const [problems, checkMs] = await lasting(() => checkLedger(database));
  if (problems.length > 0) throw new Error(JSON.stringify(problems.slice(0, 5)));
  const limits = { statementSeconds: ARCHIVE_SECONDS };
  const [closed, closeMs] = await lasting(() =>
    database.transaction((tx) => makeCheckpoint(tx, new Date(Date.now() - 200 * DAY_MS), forget), limits),
  );
  const { legs, number } = closed.checkpoint;
  const [removed, removeMs] = await lasting(() => removeCovered(database, number));
  await database.query(
    `insert into idempotency_keys (name, fingerprint, status, body, created_at)
     select gen_random_uuid(), sha256(n::text::bytea), 201, repeat('x', 400), now() - interval '26 hours'
       from generate_series(1, 100000) n`,
  );
  const [keys, keysMs] = await lasting(() => forgetOldKeys(database));
  const [events, eventsMs] = await lasting(() => forgetOldEvents(database, 90));
  return [
    rate('chains archived', chains.chains, chainsMs),
    rate('entries proved by the check', rows * 2.5, checkMs),
    rate('entries written to the archive of the books', legs, closeMs),
    rate('entries deleted after it', removed, removeMs),
    rate('old keys deleted', keys, keysMs),
    rate('old events deleted', events, eventsMs),
  ];
}

async function lasting<T>(work: () => Promise<T>): Promise<[result: T, ms: number]> {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
}

/** Runs the work so many times in a row, after a warm-up of a tenth. */
async function timed(what: string, times: number, work: () => Promise<unknown>): Promise<Figure> {
  const took: number[] = [];
  for (let turn = -times / 10; turn < times; turn += 1) {
    const [, ms] = await lasting(work);
    if (turn >= 0) took.push(ms);
  }
  took.sort((one, other) => one - other);
  const at = (share: number) => Number(took[Math.floor(took.length * share)]?.toFixed(2));
  return { what, unit: 'ms', p50: at(0.5), p99: at(0.99) };
}
