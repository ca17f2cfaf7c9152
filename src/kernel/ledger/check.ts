import type { Database, Sql } from '../db/database';
import { Decimal, formatAmount } from '../money/money';
import { internalBalanceSql } from './accounts';

export interface TrialBalanceLine {
  currency: string;
  /** Decimal strings: balances of clients and cards, balances of internal accounts, and the sum of both. */
  clients: string;
  internal: string;
  sum: string;
}

/**
 * Trial balance: per currency, balances of clients and internal accounts, which must sum to zero. This file uses raw
 * SQL, because each proof reads the whole ledger in one statement.
 */
export async function trialBalance(sql: Sql): Promise<TrialBalanceLine[]> {
  const lines = await sql.query<TrialBalanceLine>(`
    with stored as (
      select currency, sum(available + pending) as total from ledger_accounts where kind <> 'internal' group by currency
    ), internal as (
      select currency, sum(${internalBalanceSql('a.id')}) as total from ledger_accounts a
       where kind = 'internal' group by currency
    )
    select currency, coalesce(s.total, 0)::text as clients, coalesce(i.total, 0)::text as internal,
           (coalesce(s.total, 0) + coalesce(i.total, 0))::text as sum
      from stored s full join internal i using (currency) order by currency`);
  return lines.map(inMinorUnits);
}

function inMinorUnits({ currency, ...sums }: TrialBalanceLine): TrialBalanceLine {
  const [clients, internal, sum] = [sums.clients, sums.internal, sums.sum].map((text) =>
    formatAmount(new Decimal(text), currency),
  );
  return { currency, clients: clients ?? '', internal: internal ?? '', sum: sum ?? '' };
}

/** Trial balance at a moment, computed from the entries alone. */
export async function trialBalanceAt(sql: Sql, at: Date): Promise<TrialBalanceLine[]> {
  const lines = await sql.query<TrialBalanceLine>(
    `select currency, coalesce(sum(available + pending) filter (where number is not null), 0)::text as clients,
            coalesce(sum(available) filter (where number is null), 0)::text as internal,
            sum(available + pending)::text as sum
       from ledger_legs where at <= $1 group by currency order by currency`,
    [at],
  );
  return lines.map(inMinorUnits);
}

/** Balances of one account of the trial balance. Decimal strings; available + pending of all sums to zero per currency. */
export interface AccountBalanceLine {
  owner: 'client' | 'internal';
  /** An internal account by its name, such as `fees`; accounts of clients by their kind, such as `master`. */
  account: string;
  currency: string;
  available: string;
  pending: string;
}

/**
 * Trial balance by account and component after the entries up to a moment. The cost of the statement grows with the
 * number of accounts and with the entries between two snapshots, not with the length of the books. A client account is
 * read at its last entry (`ledger_legs_of_account`). An internal account is the sum of a snapshot and of the entries
 * between that snapshot and a later one (`ledger_legs_internal`). Both snapshots are at least an hour away from the
 * moment. Otherwise a step of the clock or a long transaction could put an entry on the wrong side.
 */
export async function trialBalanceByAccount(sql: Sql, at: Date): Promise<AccountBalanceLine[]> {
  const lines = await sql.query<AccountBalanceLine>(
    `select 'client' as owner, a.kind as account, a.currency, sum(l.balance_available)::text as available,
            sum(l.balance_pending)::text as pending
       from ledger_accounts a
      cross join lateral (
        select balance_available, balance_pending from ledger_legs
         where account_id = a.id and number is not null and at <= $1::timestamptz
         order by at desc, number desc limit 1) l
      where a.kind <> 'internal' group by a.kind, a.currency
     union all
     select 'internal', split_part(a.id, ':', 1), a.currency, (coalesce(s.available, 0) + coalesce(t.total, 0))::text, '0'
       from ledger_accounts a
       left join lateral (select available, horizon from ledger_snapshots
                           where account_id = a.id and taken_at <= $1::timestamptz - interval '1 hour'
                           order by taken_at desc limit 1) s on true
       left join lateral (select horizon from ledger_snapshots
                           where account_id = a.id and taken_at >= $1::timestamptz + interval '1 hour'
                           order by taken_at limit 1) n on true
       left join lateral (select sum(l.available) as total from ledger_legs l
                           where l.account_id = a.id and l.number is null and l.xact >= coalesce(s.horizon, 0)
                             and l.xact < coalesce(n.horizon, 9223372036854775807) and l.at <= $1::timestamptz) t on true
      where a.kind = 'internal'
      order by currency, owner, account`,
    [at],
  );
  return lines.map((line) => ({
    ...line,
    available: formatAmount(new Decimal(line.available), line.currency),
    pending: formatAmount(new Decimal(line.pending), line.currency),
  }));
}

/** Stores the sums of internal accounts, so that a later trial balance reads only newer entries. */
export async function takeSnapshots(sql: Sql): Promise<void> {
  await sql.query('select take_ledger_snapshots()');
}

export interface LedgerProblem {
  problem: string;
  subject: string;
  detail: string;
}

/** Time limit of a check, which reads every entry. */
export const CHECK_SECONDS = 3_600;

/**
 * Proves the ledger in one consistent snapshot: postings sum to zero, entries belong to accounts of their currency, and
 * stored balances equal the sums of the entries. Snapshots are compared with entries as well, and the trial balance
 * must be zero.
 * @returns violations; empty when all holds
 */
export async function checkLedger(database: Database): Promise<LedgerProblem[]> {
  return database.transaction(
    async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      return problemsIn(tx);
    },
    { statementSeconds: CHECK_SECONDS },
  );
}

async function problemsIn(sql: Sql): Promise<LedgerProblem[]> {
  const [postings, strays, balances, internal, running] = await Promise.all([
    sql.query<LedgerProblem>(`
      select 'posting does not sum to zero' as problem, posting_id::text as subject,
             currency || ' ' || sum(available + pending) as detail
        from ledger_legs group by posting_id, currency having sum(available + pending) <> 0`),
    // Entries written before accounts were mandatory. No trial balance includes them.
    sql.query<LedgerProblem>(`
      select 'entries of no account' as problem, l.account_id::text as subject,
             l.entries || ' in ' || l.currency || ', together ' || l.total || ', from posting ' || l.first as detail
        from (select account_id, currency, count(*) as entries, sum(available + pending) as total, min(posting_id) as first
                from ledger_legs group by account_id, currency) l
       where not exists (select from ledger_accounts a where a.id = l.account_id and a.currency = l.currency)
       order by l.account_id, l.currency`),
    sql.query<LedgerProblem>(`
      select 'stored balance differs from its entries' as problem, a.id::text as subject,
             concat_ws(' ', a.available, a.pending, a.spent, '<>', l.available, l.pending, l.spent) as detail
        from ledger_accounts a
        left join (select account_id, sum(available) as available, sum(pending) as pending, sum(spent) as spent
                     from ledger_legs where number is not null group by account_id) l on l.account_id = a.id
       where a.kind <> 'internal'
         and (a.available, a.pending, a.spent)
             is distinct from (coalesce(l.available, 0), coalesce(l.pending, 0), coalesce(l.spent, 0))`),
    // Two errors of opposite amounts cancel out in the trial balance, so each internal account is compared.
    sql.query<LedgerProblem>(`
      select 'internal balance differs from its entries' as problem, b.id::text as subject,
             concat_ws(' ', b.told, '<>', b.total) as detail
        from (select a.id, ${internalBalanceSql('a.id')} as told, coalesce(l.total, 0) as total
                from ledger_accounts a
                left join (select account_id, sum(available) as total from ledger_legs where number is null
                            group by account_id) l on l.account_id = a.id
               where a.kind = 'internal') b
       where b.told <> b.total`),
    sql.query<LedgerProblem>(`
      select 'running balance of an entry is wrong' as problem, account_id::text as subject, 'entry ' || number as detail
        from (select *, sum(available) over w as a, sum(pending) over w as p, sum(spent) over w as s
                from ledger_legs where number is not null
              window w as (partition by account_id order by number)) l
       where (l.a, l.p, l.s) is distinct from (balance_available, balance_pending, balance_spent)`),
  ]);
  const trial = (await trialBalance(sql))
    .filter((line) => !new Decimal(line.sum).isZero())
    .map((line) => ({ problem: 'trial balance is not zero', subject: line.currency, detail: line.sum }));
  return [...postings, ...strays, ...balances, ...internal, ...running, ...trial];
}
