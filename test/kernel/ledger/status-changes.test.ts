import { newId } from '../../../src/kernel/ids';
import { openLedgerAccount } from '../../../src/kernel/ledger/accounts';
import { noteStatusChanges } from '../../../src/kernel/ledger/status-changes';
import { type TestDatabase, testDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

const note = (accountId: string) =>
  test.database.transaction(async (tx) => {
    const recordId = newId('cardOperation');
    const record = { kind: 'card_operation', recordId, referenceId: recordId } as const;
    noteStatusChanges(tx, accountId, [
      { ...record, status: 'processing', previousStatus: null, failure: null },
      { ...record, status: 'failed', previousStatus: 'processing', failure: 'insufficient_funds' },
    ]);
  });

it('numbers status changes in the history of their account', async () => {
  const id = newId('card');
  await test.database.transaction((tx) =>
    openLedgerAccount(tx, { id, kind: 'card', tenantId: newId('tenant'), currency: 'USD' }),
  );
  await note(id);
  await note(id);
  const noted = await test.database.query<{ number: string; status: string }>(
    'select number, status from status_changes where account_id = $1 order by number',
    [id],
  );
  expect(noted.map(({ number, status }) => `${number} ${status}`)).toEqual([
    '1 processing',
    '2 failed',
    '3 processing',
    '4 failed',
  ]);
});

it('fails for an unknown account, because the change would be in no history', async () => {
  await expect(note(newId('card'))).rejects.toThrow('null value in column "at" of relation "status_changes"');
  expect(
    await test.database.query(
      'select from status_changes where account_id not in (select id from ledger_accounts)',
    ),
  ).toEqual([]);
});
