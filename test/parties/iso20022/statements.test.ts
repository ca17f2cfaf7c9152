import type { BankFilesSettings } from '../../../src/kernel/config/bank-files';
import { Decimal } from '../../../src/kernel/money/money';
import { compareBalances, showDifferences } from '../../../src/parties/iso20022/reconcile';
import { type SandboxEntry, writeReport } from '../../../src/parties/iso20022/sandbox/reports';
import { lastBalances } from '../../../src/process/reported-balances';
import { partyBalances } from '../../../src/transfers/settlement/balances';
import { moveSettlement } from '../../../src/transfers/settlement/move';
import { type Files, files, ORDER } from './fixture';
import { EUR_ACCOUNT, USD_ACCOUNT } from './samples';

let on: Files;
let count = 0;
beforeEach(async () => {
  on = await files();
});
afterEach(() => on.close());

interface Given {
  number?: number;
  day?: number;
  year?: number;
  closedAt?: Date;
  opening: string;
  closing: string;
  entries?: readonly SandboxEntry[];
}

const entry = (amount: string, given: Partial<SandboxEntry> = {}): SandboxEntry => ({
  reference: `BK${(count += 1)}`,
  side: 'credit',
  amount,
  currency: 'EUR',
  bookedAt: '2026-11-27T10:00:00Z',
  payer: { name: 'Grace Hopper' },
  payeeIban: 'LT371999900000000001',
  ...given,
});

/** Places a statement of our account in EUR. */
async function place(given: Given): Promise<void> {
  const { number, day = number ?? 1, year = 2026, closedAt, opening, closing, entries = [] } = given;
  count += 1;
  const xml = writeReport({
    kind: 'camt.053.001.08',
    messageId: `SM${count}`,
    at: new Date(Date.UTC(year, 0, day)),
    closedAt,
    account: { iban: EUR_ACCOUNT, currency: 'EUR' },
    entries,
    number,
    balances: { opening, closing },
  });
  await on.drop(`${count}.xml`, xml, { old: true });
}

/** Gives a statement of our account in EUR. @returns the outcome */
async function state(given: Given) {
  await place(given);
  return (await on.exchange.turn()).join();
}

/** Open breaks of a kind, as their details. */
const shown = async (kind: string) =>
  (await on.breaks())
    .filter((line) => line.startsWith(`${kind}: `))
    .map((line) => line.slice(kind.length + 2));

describe('a series of statements', () => {
  it('without a gap opens no break', async () => {
    for (const number of [1, 2, 3])
      expect(await state({ number, opening: '0.00', closing: '0.00' })).toBe('booked');
    expect(await shown('bank_statement_missing')).toEqual([]);
    expect(await shown('bank_statement_chain')).toEqual([]);
  });

  it('with a gap names the missing numbers, until they come', async () => {
    await state({ number: 1, opening: '0.00', closing: '0.00' });
    await state({ number: 4, opening: '0.00', closing: '0.00' });
    expect(await shown('bank_statement_missing')).toEqual(['2026/2', '2026/3']);
    await state({ number: 3, opening: '0.00', closing: '0.00' });
    expect(await shown('bank_statement_missing')).toEqual(['2026/2']);
    await state({ number: 2, opening: '0.00', closing: '0.00' });
    expect(await shown('bank_statement_missing')).toEqual([]);
  });

  it('may begin anew with a year, or go on', async () => {
    await state({ number: 9, day: 300, opening: '0.00', closing: '0.00' });
    await state({ number: 1, year: 2027, opening: '0.00', closing: '0.00' });
    expect(await shown('bank_statement_missing')).toEqual([]);
    await state({ number: 3, year: 2027, opening: '0.00', closing: '0.00' });
    expect(await shown('bank_statement_missing')).toEqual(['2027/2']);
  });

  it('counts a statement to the year of its closing balance, though the bank writes it in the next one', async () => {
    await state({ number: 250, day: 364, opening: '0.00', closing: '0.00' });
    await state({
      number: 251,
      year: 2027,
      day: 1,
      closedAt: new Date('2026-12-31T00:00:00Z'),
      opening: '0.00',
      closing: '0.00',
    });
    await state({ number: 1, year: 2027, day: 2, opening: '0.00', closing: '0.00' });
    expect(await shown('bank_statement_missing')).toEqual([]);
  });

  it('refuses a number that it has, and books nothing of it', async () => {
    await state({ number: 1, opening: '0.00', closing: '0.00' });
    expect(await state({ number: 1, opening: '0.00', closing: '9.00', entries: [entry('9.00')] })).toBe(
      'refused',
    );
    expect(await shown('bank_file_refused')).toEqual([expect.stringMatching(/^statement_repeated: 1/)]);
    expect((await on.bank.changes(null)).changes).toEqual([]);
  });

  it('without numbers refuses a second statement of the same time', async () => {
    expect(await state({ day: 2, opening: '0.00', closing: '0.00' })).toBe('booked');
    expect(await state({ day: 2, opening: '0.00', closing: '0.00' })).toBe('refused');
    expect(await state({ day: 3, opening: '0.00', closing: '0.00' })).toBe('booked');
  });

  it('that does not open as the one before has closed shows the difference', async () => {
    await state({ number: 1, opening: '0.00', closing: '10.00', entries: [entry('10.00')] });
    await state({ number: 2, opening: '9.00', closing: '9.00' });
    const rows = await on.test.database.query(
      `select detail, amount::text from breaks where kind = 'bank_statement_chain'`,
    );
    expect(rows).toEqual([{ detail: '2026/2', amount: '-1' }]);
  });
});

describe('a statement', () => {
  it('books entries that no notification has told of, and not again those that one has', async () => {
    const known = entry('10.00');
    const xml = writeReport({
      kind: 'camt.054.001.08',
      messageId: 'NT1',
      at: new Date(),
      account: { iban: EUR_ACCOUNT, currency: 'EUR' },
      entries: [known],
    });
    await on.drop('nt.xml', xml);
    await on.exchange.turn();
    await state({ number: 1, opening: '0.00', closing: '15.00', entries: [known, entry('5.00')] });
    const rows = await on.test.database.query(
      'select amount::text from bank_credits order by bank_credits.amount',
    );
    expect(rows).toEqual([{ amount: '5' }, { amount: '10' }]);
    const open = await on.test.database.query('select 1 from bank_entries where statement_id is null');
    expect(open).toEqual([]);
  });
});

it('a reference that a message has twice is shown, and never dropped', async () => {
  const twin = entry('10.00', { reference: 'TWIN' });
  await state({ number: 1, opening: '0.00', closing: '20.00', entries: [twin, twin] });
  expect((await on.bank.changes(null)).changes).toHaveLength(1);
  const rows = await on.test.database.query(
    `select amount::text from breaks where kind = 'bank_entry_unnamed'`,
  );
  expect(rows).toEqual([{ amount: '10' }]);
});

describe('the bank’s balance', () => {
  const fund = (amount: string) =>
    on.test.runtime.transaction((tx) =>
      moveSettlement(
        tx,
        { party: 'bank', currency: 'EUR', amount: new Decimal(amount), as: 'funding' },
        new Date(),
      ),
    );
  const compared = async () =>
    (await compareBalances(on.services)).map(
      ({ currency, reported, booked }) => `${currency} ${reported.toFixed(2)} ${booked.toFixed(2)}`,
    );

  it('that the books have opens no break', async () => {
    await fund('250.00');
    await state({ number: 1, opening: '0.00', closing: '250.00', entries: [entry('250.00')] });
    expect(await compared()).toEqual(['EUR 250.00 250.00']);
    expect(await shown('bank_balance_differs')).toEqual([]);
  });

  it('that differs opens a break with the difference, which closes when the books have it', async () => {
    await state({ number: 1, opening: '0.00', closing: '250.00', entries: [entry('250.00')] });
    await showDifferences(on.services, 0);
    expect(
      await on.test.database.query(`select amount::text from breaks where kind = 'bank_balance_differs'`),
    ).toEqual([{ amount: '250' }]);
    await fund('250.00');
    await showDifferences(on.services, 0);
    expect(await shown('bank_balance_differs')).toEqual([]);
  });

  it('stands beside the books of the bank, with the difference to the books of both parties', async () => {
    await fund('100.00');
    await state({ number: 1, opening: '0.00', closing: '250.00', entries: [entry('250.00')] });
    const funding = { party: 'payouts', currency: 'EUR', amount: new Decimal(20), as: 'funding' } as const;
    await on.test.runtime.transaction((tx) => moveSettlement(tx, funding, new Date()));
    await showDifferences(on.services, 3_600_000);
    const shown = (await partyBalances(on.test.runtime)).map(({ party, booked, reported, difference }) => [
      party,
      ...[booked, reported, difference].map((amount) => amount?.toFixed(2)),
    ]);
    expect(shown).toEqual([
      ['payouts', '20.00', undefined, undefined],
      ['bank', '100.00', '250.00', '130.00'],
    ]);
  });

  describe('is compared', () => {
    const reported = async () => {
      const rows = await on.test.database.query<{ reported: string }>(
        'select reported::text from balance_readings',
      );
      return rows.map((row) => row.reported);
    };
    const first = { number: 1, opening: '0.00', closing: '250.00', entries: [entry('250.00')] };
    const second = { number: 2, opening: '250.00', closing: '300.00', entries: [entry('50.00')] };
    /** A process whose turns are `later` than its first one, in seconds. */
    const process = () => {
      const begun = Date.now();
      let seconds = 0;
      const { exchange } = on.another({ machineNow: () => new Date(begun + seconds * 1_000) });
      return {
        turn(later: number) {
          seconds = later;
          return exchange.turn();
        },
      };
    };

    it('before new files are taken, because the books follow them a moment later', async () => {
      const { turn } = process();
      await place(first);
      expect(await turn(0)).toEqual(['booked']);
      expect(await reported()).toEqual([]);
      await place(second);
      expect(await turn(60)).toEqual(['booked']);
      expect(await reported()).toEqual(['250']);
    });

    it('after a start and after a pause only when turns have gone on for a minute', async () => {
      await state(first);
      const { turn } = process();
      await turn(0);
      await turn(59);
      expect(await reported()).toEqual([]);
      await turn(60);
      expect(await reported()).toEqual(['250']);
      await state(second);
      await turn(1_000);
      await turn(1_059);
      expect(await reported()).toEqual(['250']);
      await turn(1_060);
      expect(await reported()).toEqual(['300']);
    });
  });

  it('that is compared no more is forgotten, with its break', async () => {
    const shownOf = async () => ({
      readings: (await lastBalances(on.test.runtime)).map(({ party, currency }) => `${party} ${currency}`),
      breaks: await shown('bank_balance_differs'),
    });
    const showWith = (settings: Partial<BankFilesSettings>) =>
      showDifferences(on.another({ settings }).services, 0);
    await state({ number: 1, opening: '0.00', closing: '250.00', entries: [entry('250.00')] });
    await showWith({});
    expect(await shownOf()).toEqual({ readings: ['bank EUR'], breaks: ['EUR'] });
    await showWith({ serves: ['payouts'] });
    expect(await shownOf()).toEqual({ readings: ['payouts EUR'], breaks: ['EUR'] });
    await showWith({ accounts: [{ currency: 'USD', iban: USD_ACCOUNT }] });
    expect(await shownOf()).toEqual({ readings: [], breaks: [] });
  });

  it('that differs for a moment opens none', async () => {
    await state({ number: 1, opening: '0.00', closing: '0.00' });
    await fund('250.00');
    await on.test.database.query('delete from breaks');
    await showDifferences(on.services, 3_600_000);
    expect(await shown('bank_balance_differs')).toEqual([]);
  });

  it('counts what has moved since the statement', async () => {
    await fund('250.00');
    await state({ number: 1, opening: '0.00', closing: '0.00' });
    const xml = writeReport({
      kind: 'camt.054.001.08',
      messageId: 'NT2',
      at: new Date(),
      account: { iban: EUR_ACCOUNT, currency: 'EUR' },
      entries: [entry('250.00')],
    });
    await on.drop('nt.xml', xml);
    await on.exchange.turn();
    expect(await compared()).toEqual(['EUR 250.00 250.00']);
    // Sent by the bank's word, and not booked yet.
    await on.payouts.order(ORDER);
    await on.test.database.query(`update bank_orders set stage = 'sent', sent = amount`);
    expect(await compared()).toEqual(['EUR 150.00 250.00']);
  });
});
