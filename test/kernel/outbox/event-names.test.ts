import { ACCOUNT_EFFECTS, CARD_EFFECTS } from '../../../src/kernel/ledger/effects';
import { type TestDatabase, testDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

/** The index of events that are told once holds a hash of each name, so two names of a reference must differ in it. */
it('gives each name of an event a hash of its own', async () => {
  const names = [
    ...Object.keys(CARD_EFFECTS).map((type) => ['card_transaction', type, null]),
    ...Object.keys(ACCOUNT_EFFECTS).map((name) => ['account_transaction', ...name.split('/')]),
  ];
  const [row] = await test.database.query<{ count: number }>(
    `select count(distinct hashtext(event_name(n.names ->> 0, n.names ->> 1, n.names ->> 2)))::int as count
       from jsonb_array_elements($1::jsonb) as n(names)`,
    [JSON.stringify(names)],
  );
  expect(names.length).toBeGreaterThan(40);
  expect(row).toEqual({ count: names.length });
});

it('refuses a second event of a name, and tells null from an empty subtype', async () => {
  const insert = (subtype: string | null) =>
    test.database.query(
      `insert into events (tenant_id, registration, event, data_id, reference_id, type, subtype, data, created_at, shard, delivery)
       values ('cli_1', 'account', 'account_transaction', 'atx_1', 'ref_1', 'fee', $1, '{}', now(), 0, 'recorded')`,
      [subtype],
    );
  await insert('issue_fee');
  await insert('');
  await insert(null);
  for (const again of ['issue_fee', '', null])
    await expect(insert(again)).rejects.toThrow(/events_are_told_once/);
});
