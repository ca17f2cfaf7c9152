import type { Tx } from '../../src/kernel/db/database';
import { sumOfDay } from '../../src/transfers/approval/store';
import { checkRunningSums } from '../../src/transfers/check';
import { countSuspense, listSuspense } from '../../src/transfers/suspense';
import { type Client, type TestApi, testApi } from '../support/api';

/** Stored running sums, with very many transfers of a tenant in a day. */

const MANY = 5_000;
const DAY = '2026-01-31';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  await transfers('out', MANY);
  await transfers('sus', MANY);
});
afterEach(async () => expect(await checkRunningSums(api.database)).toEqual([]));
afterAll(() => api.close());

const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`;
const transfers = (prefix: string, count: number) =>
  api.database.query(
    `insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, party, party_ref)
     select $1 || '_' || lpad(n::text, 26, '0'), 'payout', $2, 'acc_1', 'processing', '{}', 'ref_' || n, 'payouts', $1 || n
       from generate_series(1, $3::int) n`,
    [prefix, client.clientId, count],
  );

/** Inserts outflows of the transfers with numbers `from` to `to`, with `amount` each. */
const outflows = (from: number, to: number, amount: string | null, currency = 'EUR') =>
  api.database.query(
    `insert into daily_outflows (transfer_id, tenant_id, day, amount, currency, rate)
     select 'out_' || lpad(n::text, 26, '0'), $1, $2, $5::numeric, $6, $5::numeric from generate_series($3::int, $4::int) n`,
    [client.clientId, DAY, from, to, amount, currency],
  );

const booked = (n: number, amount: string, currency = 'USD') =>
  api.database.query(
    `insert into transfer_entries (transfer_id, component, currency, amount, reference_id, at)
     values ($1, 'suspense', $2, $3, 'ref_1', '2026-01-01T00:00:00Z'::timestamptz + $4 * interval '1 minute')`,
    [idOf('sus', n), currency, amount, n],
  );

const ofDay = (tx: Tx, currency = 'EUR') => sumOfDay(tx, { tenantId: client.clientId, day: DAY, currency });

async function sums(currency = 'EUR'): Promise<string> {
  const { sum, whole } = await api.database.transaction((tx) => ofDay(tx, currency));
  return `${sum.toFixed()} ${whole}`;
}

/** The number of rows that the work reads in its transaction. */
const rowsReadBy = (work: (tx: Tx) => Promise<void>): Promise<number> =>
  api.database.transaction(async (tx) => {
    const before = await rowsRead(tx);
    await work(tx);
    return (await rowsRead(tx)) - before;
  });

/** The rows read by the transaction so far, by the statistics of Postgres. */
const rowsRead = async (tx: Tx): Promise<number> => {
  const [row] = await tx.query<{ rows: number }>(
    `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
      where schemaname = 'public'`,
  );
  return row?.rows ?? 0;
};

it('the sum of a day reads only its new rows', async () => {
  await outflows(1, MANY - 10, '1.5');
  expect(await sums()).toBe(`${(MANY - 10) * 1.5} true`);
  await outflows(MANY - 9, MANY - 9, '0.5');
  const read = await rowsReadBy(async (tx) => {
    expect((await ofDay(tx)).sum.toFixed()).toBe(`${(MANY - 10) * 1.5 + 0.5}`);
  });
  expect(read).toBeLessThan(50);
});

it('the sum of a day follows failures, recoveries and outflows without an amount', async () => {
  const to = (status: string, ...ids: number[]) =>
    api.database.query('update transfers set status = $1 where id = any($2)', [
      status,
      ids.map((n) => idOf('out', n)),
    ]);
  const [before] = (await sums()).split(' ');
  await to('failed', 1, 2);
  expect(await sums()).toBe(`${Number(before) - 3} true`);
  await to('cancelled', 1);
  expect(await sums()).toBe(`${Number(before) - 3} true`);
  await to('completed', 1, 2);
  expect(await sums()).toBe(`${before} true`);
  await outflows(MANY - 8, MANY - 8, null);
  expect(await sums()).toBe(`${before} false`);
  await to('rejected', MANY - 8);
  expect(await sums()).toBe(`${before} true`);
  await outflows(MANY - 7, MANY - 7, '7', 'USD');
  expect(await sums()).toBe(`${before} false`);
  expect(await sums('USD')).toBe('7 false');
  await to('failed', MANY - 7);
  expect(await sums()).toBe(`${before} true`);
  await to('failed', MANY - 6);
  await outflows(MANY - 6, MANY - 6, '100');
  expect(await sums()).toBe(`${before} true`);
});

it('the suspense is read from its open items only, despite many past ones', async () => {
  await api.database.query(
    `insert into transfer_entries (transfer_id, component, currency, amount, reference_id, at)
     select 'sus_' || lpad(n::text, 26, '0'), 'suspense', 'USD', amount, 'ref_1', now()
       from generate_series(100, $1::int) n, unnest('{1,-1}'::numeric[]) amount`,
    [MANY],
  );
  await booked(3, '12.00');
  await booked(2, '-5.00');
  await booked(2, '2.00', 'EUR');
  await booked(1, '4.00');
  await booked(1, '-4.00');
  const read = await rowsReadBy(async (tx) => {
    expect((await countSuspense(tx)).count).toBe(3);
    const items = await listSuspense(tx, { limit: 100 });
    expect(
      items.map(({ transferId, amount, currency }) => [transferId, amount.toFixed(2), currency]),
    ).toEqual([
      [idOf('sus', 2), '2.00', 'EUR'],
      [idOf('sus', 2), '-5.00', 'USD'],
      [idOf('sus', 3), '12.00', 'USD'],
    ]);
  });
  expect(read).toBeLessThan(50);
});

it('money that returns to suspense is there since its first time', async () => {
  await booked(9, '3.00');
  await booked(9, '-3.00');
  expect(
    (await listSuspense(api.database, { limit: 100 })).map(({ transferId }) => transferId),
  ).not.toContain(idOf('sus', 9));
  await api.database.query(
    `insert into transfer_entries (transfer_id, component, currency, amount, reference_id, at)
     values ($1, 'suspense', 'USD', 1, 'ref_1', now()), ($1, 'suspense', 'USD', 2, 'ref_1', now()), ($1, 'paid', 'USD', 9, 'ref_1', now())`,
    [idOf('sus', 9)],
  );
  const item = (await listSuspense(api.database, { limit: 100 })).find(
    ({ transferId }) => transferId === idOf('sus', 9),
  );
  expect([item?.amount.toFixed(2), item?.since.toISOString()]).toEqual(['3.00', '2026-01-01T00:09:00.000Z']);
});

it('an entry with an earlier time moves the time of its item back', async () => {
  const bookedAt = (minute: number, ...amounts: number[]) =>
    api.database.query(
      `insert into transfer_entries (transfer_id, component, currency, amount, reference_id, at)
       select $1, 'suspense', 'USD', amount, 'ref_1', '2026-01-01T00:00:00Z'::timestamptz + $2 * interval '1 minute'
         from unnest($3::numeric[]) amount`,
      [idOf('sus', 20), minute, amounts],
    );
  const since = async () => {
    const items = await listSuspense(api.database, { limit: 100 });
    return items.find(({ transferId }) => transferId === idOf('sus', 20))?.since.toISOString();
  };
  await bookedAt(9, 3);
  await bookedAt(8, 2);
  expect(await since()).toBe('2026-01-01T00:08:00.000Z');
  await bookedAt(7, 2, -2);
  expect(await since()).toBe('2026-01-01T00:07:00.000Z');
});

it('the check reports a changed time with both times', async () => {
  const by = (text: string) =>
    api.database.query('update suspense_items set since = since + $2::interval where transfer_id = $1', [
      idOf('sus', 3),
      text,
    ]);
  await by('1 minute');
  const found = await checkRunningSums(api.database);
  await by('-1 minute');
  const detail = expect.stringMatching(
    /^USD 12.00 <> 12.00 since 2026-01-01 00:04:00\S* <> 2026-01-01 00:03:00\S*$/,
  );
  expect(found).toEqual([{ problem: 'suspense differs from its entries', subject: idOf('sus', 3), detail }]);
});

it('the check reports a changed sum', async () => {
  const [kept] = await api.database.query<{ count: number }>(
    `with changed as (update daily_outflow_sums set amount = amount + 1 where currency = 'EUR' returning 1),
          gone as (delete from suspense_items where transfer_id = $1 returning 1)
     select (select count(*) from changed)::int + (select count(*) from gone)::int as count`,
    [idOf('sus', 3)],
  );
  expect(kept?.count).toBe(2);
  const found = await checkRunningSums(api.database);
  await api.database.query(`update daily_outflow_sums set amount = amount - 1 where currency = 'EUR'`);
  await api.database.query(
    `insert into suspense_items (transfer_id, currency, amount, since) values ($1, 'USD', 12, '2026-01-01T00:03:00Z')`,
    [idOf('sus', 3)],
  );
  expect(found).toEqual([
    {
      problem: 'sum of a day differs from its outflows',
      subject: client.clientId,
      detail: `${DAY} EUR 7486.5 <> 7485.5`,
    },
    {
      problem: 'suspense differs from its entries',
      subject: idOf('sus', 3),
      detail: 'USD nothing <> 12.00',
    },
  ]);
});
