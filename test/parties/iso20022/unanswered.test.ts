import type { Database } from '../../../src/kernel/db/database';
import { createMetrics } from '../../../src/kernel/metrics/metrics';
import { timeOnBankDays } from '../../../src/parties/iso20022/bank-days';
import { writeStatusReport } from '../../../src/parties/iso20022/messages/status-report';
import { bankFilesReading } from '../../../src/parties/iso20022/metrics';
import { writeReport } from '../../../src/parties/iso20022/sandbox/reports';
import { unansweredFiles } from '../../../src/parties/iso20022/store/files';
import { showUnanswered } from '../../../src/parties/iso20022/unanswered';
import { type Files, files, messageIdIn, ORDER } from './fixture';
import { AT, EUR_ACCOUNT } from './samples';

const HOUR_MS = 3_600_000;

describe('time on bank days', () => {
  it.each([
    ['within a day', '2026-11-25T08:00Z', '2026-11-25T18:00Z', 10],
    ['over a weekend', '2026-11-27T18:00Z', '2026-11-30T06:00Z', 12],
    ['from a weekend on', '2026-11-28T18:00Z', '2026-11-30T06:00Z', 6],
    ['over Easter', '2026-04-02T12:00Z', '2026-04-07T12:00Z', 24],
    ['over Easter of another year', '2027-03-25T12:00Z', '2027-03-30T12:00Z', 24],
    ['over Christmas', '2026-12-24T12:00Z', '2026-12-28T12:00Z', 24],
    ['over New Year', '2026-12-31T12:00Z', '2027-01-04T12:00Z', 24],
    ['over the first of May', '2026-04-30T12:00Z', '2026-05-04T12:00Z', 24],
    ['backwards', '2026-11-25T18:00Z', '2026-11-25T08:00Z', 0],
  ])('%s', (_, from, to, hours) => {
    expect(timeOnBankDays(new Date(from), new Date(to)) / HOUR_MS).toBe(hours);
  });
});

describe('a file of orders', () => {
  let on: Files;
  let count = 0;
  beforeAll(async () => {
    on = await files();
  });
  beforeEach(async () => {
    await on.reset();
    await on.payouts.order(ORDER);
    await on.exchange.turn();
    // A Tuesday.
    await on.test.database.query(`update bank_files set placed_at = '2026-11-24T12:00Z'`);
  });
  afterAll(() => on.close());

  const showAt = (at: string) => showUnanswered({ ...on.services, now: () => new Date(at) });
  const isAnswered = async () => {
    const [row] = await on.test.database.query<{ answered: boolean }>(
      `select answered_at is not null as answered from bank_files where direction = 'out'`,
    );
    return row?.answered;
  };
  const give = async (xml: string) => {
    count += 1;
    await on.drop(`${count}.xml`, xml, { old: true });
    expect(await on.exchange.turn()).toEqual(['booked']);
  };
  const original = async () => messageIdIn((await on.placed('pain.001.001.09')).text);
  const status = async () =>
    writeStatusReport({
      messageId: `ST-U${count}`,
      createdAt: AT,
      original: await original(),
      status: 'RCVD',
      groups: [],
    });
  const debit = () =>
    writeReport({
      kind: 'camt.054.001.08',
      messageId: `NT-U${count}`,
      at: AT,
      account: { iban: EUR_ACCOUNT, currency: 'EUR' },
      entries: [
        {
          reference: `BK-U${count}`,
          side: 'debit',
          amount: '100.00',
          currency: 'EUR',
          bookedAt: AT.toISOString(),
          endToEndId: 'PAYOUTPAY01',
        },
      ],
    });

  it('that the bank leaves unanswered for two bank days is shown once, by its message id', async () => {
    await showAt('2026-11-26T11:59Z');
    expect(await on.breaks()).toEqual([]);
    await showAt('2026-11-26T12:00Z');
    await showAt('2026-11-27T12:00Z');
    expect(await on.breaks()).toEqual(['bank_file_unanswered: orders: 1, placed 2026-11-24T12:00:00.000Z']);
    const rows = await on.test.database.query('select subject from breaks');
    expect(rows).toEqual([{ subject: await original() }]);
  });

  it('is waited for no more when a person has resolved its break', async () => {
    await showAt('2026-11-26T12:00Z');
    await on.test.database.query(
      `update breaks set resolved_at = now(), resolved_by = 'operator:ida', note = 'the bank has lost it'`,
    );
    await showAt('2026-11-26T13:00Z');
    expect([await isAnswered(), await on.breaks()]).toEqual([false, []]);
    expect(await unansweredFiles(on.test.runtime, 1)).toEqual([]);
    await give(await status());
    expect(await isAnswered()).toBe(true);
  });

  it('whose answer comes while files are judged is not shown', async () => {
    const { database } = on.services;
    const slow: Database = {
      ...database,
      transaction: async (...given) => {
        await give(await status());
        return database.transaction(...given);
      },
    };
    await showUnanswered({ ...on.services, database: slow, now: () => new Date('2026-11-27T12:00Z') });
    expect([await isAnswered(), await on.breaks()]).toEqual([true, []]);
  });

  it('waits through a weekend', async () => {
    await on.test.database.query(`update bank_files set placed_at = '2026-11-27T12:00Z'`);
    await showAt('2026-12-01T11:00Z');
    expect(await on.breaks()).toEqual([]);
    await showAt('2026-12-01T13:00Z');
    expect(await on.breaks()).toHaveLength(1);
  });

  it.each([
    ['a report that names the file', status],
    ['an entry of one of its orders', async () => debit()],
  ])('is answered by %s, which closes its break', async (_, answer) => {
    await showAt('2026-11-27T12:00Z');
    expect(await isAnswered()).toBe(false);
    await give(await answer());
    expect([await isAnswered(), await on.breaks()]).toEqual([true, []]);
    await showAt('2026-12-27T12:00Z');
    expect(await on.breaks()).toEqual([]);
  });

  it('and statements and refused files are shown by metrics', async () => {
    const scrape = async () => {
      const reading = bankFilesReading({
        now: () => new Date('2026-11-26T12:00Z'),
        bankAccounts: [
          { currency: 'EUR', iban: 'A' },
          { currency: 'USD', iban: 'B' },
        ],
      });
      const metrics = createMetrics({
        database: on.test.runtime,
        readings: () => [reading],
        patienceMs: 60_000,
      });
      const { body } = await metrics.render();
      return body.split('\n').filter((line) => line.startsWith('bank_'));
    };
    await on.test.database.query(
      `insert into bank_files (direction, kind, name, result, created_at)
       values ('in', '', 'bad.xml', 'refused', '2026-11-26T11:00Z'), ('in', '', 'old.xml', 'refused', '2026-11-25T11:00Z')`,
    );
    await on.test.database.query(
      `insert into bank_statements (account, currency, year, opening, closing, until, file_id)
       select account, currency, 2026, 0, 0, until, (select min(id) from bank_files)
         from (values ('A', 'EUR', timestamptz '2026-11-25T12:00Z'), ('A', 'EUR', '2026-11-24T12:00Z'),
                      ('B', 'USD', '2026-09-24T12:00Z'),
                      ('former', 'EUR', '2026-11-20T12:00Z'), ('former', 'GBP', '2026-11-20T12:00Z')) as given (account, currency, until)`,
    );
    expect(await scrape()).toEqual([
      'bank_file_unanswered_seconds 172800',
      'bank_statement_age_seconds{currency="EUR"} 86400',
      'bank_statement_age_seconds{currency="USD"} 3888000',
      'bank_files_refused 1',
    ]);
    await give(await status());
    expect((await scrape())[0]).toBe('bank_file_unanswered_seconds 0');
  });
});
