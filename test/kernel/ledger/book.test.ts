import { writeTogether } from '../../../src/kernel/db/writes';
import { newId } from '../../../src/kernel/ids';
import { internalBalance, openLedgerAccount, readBalances } from '../../../src/kernel/ledger/accounts';
import { openBook } from '../../../src/kernel/ledger/book';
import {
  checkLedger,
  takeSnapshots,
  trialBalance,
  trialBalanceAt,
  trialBalanceByAccount,
} from '../../../src/kernel/ledger/check';
import { accountEntry, holdEntry, internalEntry, type Posting } from '../../../src/kernel/ledger/entries';
import { Decimal } from '../../../src/kernel/money/money';
import { type TestDatabase, testDatabase } from '../../support/database';
import { until } from '../../support/until';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

const amount = (text: string) => new Decimal(text);

async function account(currency = 'USD'): Promise<string> {
  const id = newId('account');
  await test.database.transaction((tx) =>
    openLedgerAccount(tx, { id, kind: 'master', tenantId: newId('tenant'), currency }),
  );
  return id;
}

function deposit(id: string, text: string, currency = 'USD'): Posting {
  const reference = newId('reference');
  return {
    entries: [
      accountEntry(id, 'deposit/admin_deposit', amount(text), reference),
      internalEntry('funding', currency, amount(text).negated(), reference),
    ],
  };
}

function withdrawal(id: string, text: string, forced = false): Posting {
  const reference = newId('reference');
  return {
    forced,
    entries: [
      accountEntry(id, 'withdraw/admin_withdrawal', amount(text), reference),
      internalEntry('funding', 'USD', amount(text), reference),
    ],
  };
}

function post(id: string, postings: Posting[]) {
  return test.database.transaction(async (tx) => {
    const book = await openBook(tx, [id]);
    const results = postings.map((posting) => book.post(posting));
    await writeTogether(tx, [book.written()]);
    return results;
  });
}

async function available(id: string): Promise<string | undefined> {
  return (await readBalances(test.database, [id])).get(id)?.available.toFixed(2);
}

describe('a book', () => {
  it('posts a list in order with a result for each posting', async () => {
    const id = await account();
    const results = await post(id, [
      deposit(id, '10.00'),
      withdrawal(id, '7.00'),
      withdrawal(id, '4.00'),
      withdrawal(id, '3.00'),
    ]);
    expect(results.map((result) => result.ok)).toEqual([true, true, false, true]);
    expect(results[2]).toEqual({ ok: false, refusedBy: id });
    expect(await available(id)).toBe('0.00');
  });

  it('numbers the entries of an account with times that never go back', async () => {
    const id = await account();
    await post(id, [deposit(id, '1.00'), deposit(id, '1.00')]);
    await post(id, [deposit(id, '1.00')]);
    const legs = await test.database.query<{ number: string; at: Date; balance_available: string }>(
      'select number, at, balance_available from ledger_legs where account_id = $1 order by at, number',
      [id],
    );
    expect(legs.map((leg) => [Number(leg.number), Number(leg.balance_available)])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(legs[2]?.at.getTime()).toBeGreaterThanOrEqual(legs[1]?.at.getTime() ?? 0);
  });

  it('lets only a forced posting go below zero', async () => {
    const id = await account();
    expect((await post(id, [withdrawal(id, '0.01')]))[0]?.ok).toBe(false);
    expect((await post(id, [withdrawal(id, '0.01', true)]))[0]?.ok).toBe(true);
    expect(await available(id)).toBe('-0.01');
  });

  it('lets exactly K of N parallel debits succeed when the money suffices for K', async () => {
    const id = await account();
    await post(id, [deposit(id, '5.00')]);
    const results = await Promise.all(Array.from({ length: 20 }, () => post(id, [withdrawal(id, '1.00')])));
    expect(results.filter(([result]) => result?.ok)).toHaveLength(5);
    expect(await available(id)).toBe('0.00');
  });

  it('never deadlocks when many lock the same accounts in different orders', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => account()));
    for (const id of ids) await post(id, [deposit(id, '1000.00')]);
    await Promise.all(
      Array.from({ length: 60 }, async (_, turn) => {
        const from = ids[turn % 6] as string;
        const to = ids[(turn * 5 + 1) % 6] as string;
        if (from === to) return;
        const reference = newId('reference');
        await test.database.transaction(async (tx) => {
          const book = await openBook(tx, [from, to]);
          book.post({
            entries: [
              accountEntry(from, 'transfer/account_out', amount('1.00'), reference),
              accountEntry(to, 'transfer/account_in', amount('1.00'), reference),
            ],
          });
          await writeTogether(tx, [book.written()]);
        });
      }),
    );
    expect(await checkLedger(test.database)).toEqual([]);
  });
});

describe('Postgres itself', () => {
  const insert = (values: string) =>
    test.database.query(
      `insert into ledger_legs (posting_id, account_id, currency, number, at, type, available, pending, spent,
         balance_available, balance_pending, balance_spent, forced, listed) values ${values}`,
    );

  it('refuses an unbalanced posting', async () => {
    await expect(
      insert(`(1, 'funding:USD', 'USD', null, now(), 'internal', 1, 0, 0, null, null, null, false, false)`),
    ).rejects.toThrow('does not sum to zero');
  });

  it('refuses a leg that does not match the stored balance', async () => {
    const id = await account();
    await expect(
      insert(`(1, '${id}', 'USD', 1, now(), 'deposit', 5, 0, 0, 5, 0, 0, false, false),
              (1, 'funding:USD', 'USD', null, now(), 'internal', -5, 0, 0, null, null, null, false, false)`),
    ).rejects.toThrow('stored balance differs');
  });

  it('refuses to change or delete what was posted', async () => {
    const id = await account();
    await post(id, [deposit(id, '1.00')]);
    await expect(
      test.database.query('update ledger_legs set available = 2 where account_id = $1', [id]),
    ).rejects.toThrow('never changed');
    await expect(test.database.query('delete from ledger_legs where account_id = $1', [id])).rejects.toThrow(
      'never changed',
    );
    await expect(test.database.query('truncate ledger_legs')).rejects.toThrow('never changed');
  });

  it('refuses a writer that has not read the last entry of an account', async () => {
    const id = await account();
    await post(id, [deposit(id, '1.00')]);
    const stale = `{"(${id},0,1,9,0,0)"}`;
    await expect(
      test.database.query(`select ledger_write($1::ledger_new_balance[], '{}', now())`, [stale]),
    ).rejects.toThrow('moved since');
  });
});

describe('an entry whose account does not exist', () => {
  it.each([
    ['no internal account of that name', 'petty_cash:USD', 'USD'],
    ['no account in that currency', 'funding:XTS', 'XTS'],
    ['an account of another currency', 'funding:USD', 'EUR'],
  ])('is refused: %s', async (_, account, currency) => {
    const leg = (amount: string) => `"(0,${account},${currency},,,internal,,,${amount},0,0,,,,f,f)"`;
    await expect(
      test.database.query(`select ledger_write('{}', $1::ledger_new_leg[], now())`, [
        `{${leg('1')},${leg('-1')}}`,
      ]),
    ).rejects.toThrow('does not exist in its currency');
  });

  it('is reported by the check when it was written before the guard existed', async () => {
    const leg = (name: string, amount: string) =>
      `(9007, '${name}', 'XTS', now(), 'internal', ${amount}, 0, 0, false, false)`;
    await test.database.query(
      `insert into ledger_legs (posting_id, account_id, currency, at, type, available, pending, spent, forced, listed)
       values ${leg('petty_cash:XTS', '1.5')}, ${leg('lost:XTS', '-1.5')}`,
    );
    const found = await checkLedger(test.database);
    await test.database.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query('delete from ledger_legs where posting_id = 9007');
    });
    expect(found).toEqual([
      {
        problem: 'entries of no account',
        subject: 'lost:XTS',
        detail: '1 in XTS, together -1.5, from posting 9007',
      },
      {
        problem: 'entries of no account',
        subject: 'petty_cash:XTS',
        detail: '1 in XTS, together 1.5, from posting 9007',
      },
    ]);
    expect(await checkLedger(test.database)).toEqual([]);
  });
});

describe('the balance of an internal account', () => {
  it('is the same before and after a snapshot', async () => {
    const id = await account('NOK');
    const balance = async () => (await internalBalance(test.database, 'funding', 'NOK')).toFixed(2);
    expect(await balance()).toBe('0.00');
    await post(id, [deposit(id, '12.34', 'NOK')]);
    expect(await balance()).toBe('-12.34');
    await takeSnapshots(test.database);
    await post(id, [deposit(id, '0.66', 'NOK')]);
    expect(await balance()).toBe('-13.00');
    expect((await internalBalance(test.database, 'fees', 'NOK')).toFixed(2)).toBe('0.00');
  });
});

describe('the trial balance', () => {
  it('is zero now, at any moment, and after snapshots', async () => {
    const id = await account('EUR');
    await post(id, [deposit(id, '12.34', 'EUR')]);
    await takeSnapshots(test.database);
    const between = new Date();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await post(id, [deposit(id, '0.66', 'EUR')]);
    const euros = (lines: { currency: string }[]) => lines.find((line) => line.currency === 'EUR');
    expect(euros(await trialBalance(test.database))).toEqual({
      currency: 'EUR',
      clients: '13.00',
      internal: '-13.00',
      sum: '0.00',
    });
    expect(euros(await trialBalanceAt(test.database, between))).toEqual({
      currency: 'EUR',
      clients: '12.34',
      internal: '-12.34',
      sum: '0.00',
    });
    expect(await checkLedger(test.database)).toEqual([]);
  });

  it('tells each account and component at any moment, by the nearest snapshots', async () => {
    const id = await account('SEK');
    const held = holdEntry(id, 'pending/payout', amount('4.00'), newId('reference'));
    await post(id, [deposit(id, '10.00', 'SEK'), { entries: [held] }]);
    await takeSnapshots(test.database);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const after = new Date();
    const nonZero = async (at: Date) =>
      (await trialBalanceByAccount(test.database, at)).filter(
        ({ currency, available, pending }) =>
          currency === 'SEK' && (Number(available) !== 0 || Number(pending) !== 0),
      );
    const first = [
      { owner: 'client', account: 'master', currency: 'SEK', available: '6.00', pending: '4.00' },
      { owner: 'internal', account: 'funding', currency: 'SEK', available: '-10.00', pending: '0.00' },
    ];
    expect(await nonZero(after)).toEqual(first);
    expect(await nonZero(new Date(0))).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await post(id, [deposit(id, '0.50', 'SEK')]);
    const later = new Date(Date.now() + 3 * 3_600_000);
    // As if the snapshot before were of yesterday, and another one were taken tomorrow.
    const ofFunding = (column: string) =>
      `(select ${column} from ledger_snapshots where account_id = 'funding:SEK')`;
    // A snapshot leaves out entries that are newer than the oldest transaction of the server, also of another test.
    await until(async () => {
      await takeSnapshots(test.database);
      const [row] = await test.database.query(
        `select 1 from ledger_snapshots where account_id = 'funding:SEK' and available = -10.50`,
      );
      return row !== undefined;
    });
    await test.database.query(
      `update ledger_snapshots set taken_at = taken_at - interval '1 day'
        where account_id = 'funding:SEK' and taken_at = ${ofFunding('min(taken_at)')}`,
    );
    await test.database.query(
      `update ledger_snapshots set taken_at = taken_at + interval '1 day'
        where account_id = 'funding:SEK' and taken_at = ${ofFunding('max(taken_at)')}`,
    );
    expect(await nonZero(after)).toEqual(first);
    expect(await nonZero(later)).toMatchObject([
      { available: '6.50', pending: '4.00' },
      { available: '-10.50', pending: '0.00' },
    ]);
    for (const at of [after, later]) {
      const [kronor] = (await trialBalanceAt(test.database, at)).filter(({ currency }) => currency === 'SEK');
      const sums = async (owner: string) =>
        (await nonZero(at))
          .filter((line) => line.owner === owner)
          .reduce((total, line) => total.plus(line.available).plus(line.pending), new Decimal(0))
          .toFixed(2);
      expect([await sums('client'), await sums('internal')]).toEqual([kronor?.clients, kronor?.internal]);
    }
  });
});
