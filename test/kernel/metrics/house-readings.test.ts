import { readings } from '../../../src/composition';
import { newId } from '../../../src/kernel/ids';
import { createMetrics } from '../../../src/kernel/metrics/metrics';
import { Decimal } from '../../../src/kernel/money/money';
import { KEY_PURPOSES } from '../../../src/kernel/security/purposes';
import { openBreak } from '../../../src/process/breaks/operations';
import { countOpenTransfers, OPEN_STATUSES } from '../../../src/transfers/engine/open-transfers';
import { TRANSFER_KINDS } from '../../../src/transfers/kinds';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterAll(() => api.close());

async function scrape(prefix: RegExp) {
  const { database, services } = api;
  const metrics = createMetrics({ database, readings: () => readings(services), patienceMs: 60_000 });
  const { body } = await metrics.render();
  const lines = body.split('\n').filter((line) => prefix.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

it('reads everything that it shows', async () => {
  const up = await scrape(/^metrics_reading_up/);
  expect(Object.values(up)).toEqual(readings(api.services).map(() => 1));
});

it('shows breaks by kind, and suspense by currency and side', async () => {
  const open = (kind: string, subject: string, amount?: string, currency?: string) =>
    api.database.transaction((tx) =>
      openBreak(tx, {
        tenantId: client.clientId,
        kind,
        subject,
        detail: currency ?? 'x',
        ...(amount && currency ? { amount: new Decimal(amount), currency } : {}),
      }),
    );
  await open('party_row_unreadable', 'a');
  await open('transfer_suspense', 'b', '10.50', 'EUR');
  await open('transfer_suspense', 'c', '4.50', 'EUR');
  await open('transfer_suspense', 'd', '-3.00', 'EUR');
  await open('transfer_suspense', 'e', '7', 'USD');
  const resolved = await open('party_row_unreadable', 'f');
  await api.database.query(
    `update breaks set resolved_at = now(), resolved_by = 'test', note = '' where id = $1`,
    [resolved.id],
  );
  await api.database.query(`update breaks set created_at = now() - interval '1 hour' where subject = 'b'`);
  expect(await scrape(/^(breaks_open|suspense_)/)).toEqual({
    'breaks_open{kind="party_row_unreadable"}': 1,
    'breaks_open{kind="transfer_suspense"}': 4,
    'suspense_amount{currency="EUR",side="held"}': 15,
    'suspense_items{currency="EUR",side="held"}': 2,
    'suspense_amount{currency="EUR",side="missing"}': 3,
    'suspense_items{currency="EUR",side="missing"}': 1,
    'suspense_amount{currency="USD",side="held"}': 7,
    'suspense_items{currency="USD",side="held"}': 1,
  });
  const oldest = await scrape(/^breaks_oldest_seconds/);
  expect(oldest['breaks_oldest_seconds{kind="transfer_suspense"}']).toBeGreaterThanOrEqual(3600);
  expect(oldest['breaks_oldest_seconds{kind="party_row_unreadable"}']).toBeLessThan(3600);
});

it('shows open transfers by kind, status and age, and overdue ones', async () => {
  const insert = (kind: string, status: string, age: string, dueBy: string | null = null) =>
    api.database.query(
      `insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, party, created_at, due_by)
       values ($1, $2, $3, $1, $4, '{}', $5, 'payouts', now() - $6::interval, now() - $7::interval)`,
      [newId('payout'), kind, client.clientId, status, newId('reference'), age, dueBy],
    );
  await insert('payout', 'processing', '1 minute');
  await insert('payout', 'processing', '2 hours', '6 minutes');
  await insert('payout', 'pending_approval', '8 days');
  await insert('payout', 'completed', '8 days');
  await insert('deposit', 'awaiting_payment', '3 days', '1 minute');
  expect(await scrape(/^transfers_open/)).toEqual({
    'transfers_open{kind="payout",status="processing",age="up_to_1h"}': 1,
    'transfers_open{kind="payout",status="processing",age="up_to_1d"}': 1,
    'transfers_open{kind="payout",status="pending_approval",age="older"}': 1,
    'transfers_open{kind="deposit",status="awaiting_payment",age="up_to_7d"}': 1,
  });
  const overdue = await scrape(/^records_overdue/);
  expect(overdue['records_overdue{process="transfers: payout"}']).toBe(1);
  expect(overdue['records_overdue{process="transfers: deposit"}']).toBe(0);
  expect(overdue['records_overdue{process="cards"}']).toBe(0);
});

it('knows whether a transfer rests in each status, and counts by its index alone', async () => {
  const rests = [
    'completed',
    'failed',
    'cancelled',
    'expired',
    'refunded',
    'chargeback',
    'rejected',
    'returned',
    'credited',
    'uncredited',
  ];
  const statuses = TRANSFER_KINDS.flatMap(({ transitions }) =>
    transitions.flatMap(({ from, to }) => [...[from].flat(), to]),
  );
  expect([...new Set(statuses)].sort()).toEqual([...new Set([...OPEN_STATUSES, ...rests])].sort());
  await api.database.transaction(async (tx) => {
    await tx.query('set local enable_seqscan = off');
    let asked = '';
    await countOpenTransfers({ ...tx, query: async (text) => ((asked = text), []) });
    const plan = await tx.query(`explain ${asked}`);
    expect(JSON.stringify(plan)).toMatch(/transfers_open/);
  });
});

it('shows webhook endpoints by status', async () => {
  await api.database.query(
    `insert into webhook_endpoints (tenant_id, registration, url, status)
     values ($1, 'card', 'https://a.example', 'failing'), ($1, 'account', 'https://a.example', 'disabled')`,
    [client.clientId],
  );
  expect(await scrape(/^webhook_endpoints/)).toEqual({
    'webhook_endpoints{status="active"}': 0,
    'webhook_endpoints{status="failing"}': 1,
    'webhook_endpoints{status="disabled"}': 1,
  });
});

it('shows the books by internal account, and all clients as one', async () => {
  await fund(api, await masterAccount(client, 'EUR'), '5000.00');
  const shown = await scrape(/^money_balance/);
  expect(shown).toEqual({
    'money_balance{place="clients",currency="EUR"}': 5000,
    'money_balance{place="funding",currency="EUR"}': -5000,
  });
});

it('shows the age of keys, and of rates', async () => {
  const ages = await scrape(/^(key_age|rates_)/);
  for (const purpose of KEY_PURPOSES) expect(ages[`key_age_seconds{purpose="${purpose}"}`]).toBeLessThan(600);
  expect(Object.values(ages).every((age) => age >= 0)).toBe(true);
  expect(ages).toHaveProperty('rates_age_seconds');
});

it('shows the archive of WAL where Postgres has one', async () => {
  const [archive] = await api.database.query<{ archive_mode: string }>('show archive_mode');
  expect('wal_archive_failing' in (await scrape(/^wal_archive/))).toBe(archive?.archive_mode !== 'off');
});

it('shows the sessions and transaction ids of Postgres', async () => {
  const [before] = await api.database.query<{ own: number; age: number; limit: number }>(
    `select (select count(*)::int from pg_stat_activity where datname = current_database()) as own,
            (select max(age(datfrozenxid)) from pg_database) as age,
            (select sum(setting::int * case name when 'max_connections' then 1 else -1 end)::int from pg_settings
              where name in ('max_connections', 'superuser_reserved_connections')) as limit`,
  );
  const shown = await scrape(/^postgres_/);
  expect(shown['postgres_connections']).toBeGreaterThanOrEqual(before?.own ?? Infinity);
  expect(shown['postgres_connections']).toBeLessThanOrEqual(before?.limit ?? 0);
  expect(shown['postgres_connections_limit']).toBe(before?.limit);
  expect(shown['postgres_transaction_ids_age']).toBeGreaterThanOrEqual(before?.age ?? Infinity);
});
