import type { Database, Sql } from '../db/database';
import { Decimal, formatAmount } from '../money/money';
import { internalBalanceSql } from './accounts';
import { type Archive, archiveProblems, checkpointProblems } from './check-checkpoints';
import { assertInBooks, type Beginning, beginningOf } from './checkpoints';
import type { LedgerProblem } from './problem';

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

/**
 * Trial balance at a moment, computed from the entries and the opening balances alone.
 * @throws Problem 400 for a moment before the newest checkpoint
 */
export async function trialBalanceAt(sql: Sql, at: Date): Promise<TrialBalanceLine[]> {
  await assertInBooks(sql, at, 'at');
  const { checkpoint, at: beginning } = await beginningOf(sql);
  const lines = await sql.query<TrialBalanceLine>(
    `select currency, coalesce(sum(available + pending) filter (where number is not null), 0)::text as clients,
            coalesce(sum(available) filter (where number is null), 0)::text as internal,
            sum(available + pending)::text as sum
       from (select currency, number, available, pending from ledger_legs where at <= $1 and at >= $3::timestamptz
             union all
             select a.currency, o.number, o.available, o.pending
               from ledger_openings o join ledger_accounts a on a.id = o.account_id where o.checkpoint = $2) e
      group by currency order by currency`,
    [at, checkpoint, beginning],
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
 * moment. Otherwise a step of the clock or a long transaction could put an entry on the wrong side. An opening balance
 * takes the place of a snapshot from before the checkpoint.
 * @throws Problem 400 for a moment before the newest checkpoint
 */
export async function trialBalanceByAccount(sql: Sql, at: Date): Promise<AccountBalanceLine[]> {
  await assertInBooks(sql, at, 'at');
  const { checkpoint, at: beginning } = await beginningOf(sql);
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
     select 'internal', split_part(a.id, ':', 1), a.currency,
            (coalesce(s.available, o.available, 0) + coalesce(t.total, 0))::text, '0'
       from ledger_accounts a
       left join ledger_openings o on o.checkpoint = $2 and o.account_id = a.id
       left join lateral (select available, horizon from ledger_snapshots
                           where account_id = a.id and taken_at <= $1::timestamptz - interval '1 hour'
                             and taken_at >= $3::timestamptz + interval '1 hour'
                           order by taken_at desc limit 1) s on true
       left join lateral (select horizon from ledger_snapshots
                           where account_id = a.id and taken_at >= $1::timestamptz + interval '1 hour'
                           order by taken_at limit 1) n on true
       left join lateral (select sum(l.available) as total from ledger_legs l
                           where l.account_id = a.id and l.number is null and l.xact >= coalesce(s.horizon, 0)
                             and l.xact < coalesce(n.horizon, 9223372036854775807) and l.at <= $1::timestamptz
                             and l.at >= $3::timestamptz) t on true
      where a.kind = 'internal'
      order by currency, owner, account`,
    [at, checkpoint, beginning],
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

/** Time limit of a check, which reads every entry. */
export const CHECK_SECONDS = 3_600;

/**
 * Proves the ledger in one consistent snapshot: postings sum to zero, entries belong to accounts of their currency, and
 * stored balances equal the sums of the opening balances and the entries since. Snapshots are compared with entries as
 * well, checkpoints with the audit log, and the trial balance must be zero.
 * @param archives files of checkpoints, which are compared with the checkpoints and proved
 * @returns violations; empty when all holds
 */
export async function checkLedger(
  database: Database,
  archives: readonly Archive[] = [],
): Promise<LedgerProblem[]> {
  return database.transaction(
    async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      const beginning = await beginningOf(tx);
      return [
        ...(await problemsIn(tx, beginning)),
        ...(await checkpointProblems(tx)),
        ...(await archiveProblems(tx, archives)),
      ];
    },
    { statementSeconds: CHECK_SECONDS },
  );
}

/** SQL of the opening balances of client accounts or of internal ones, and of their entries since. */
const since = (owner: 'number is null' | 'number is not null') => `(
  select account_id, number, available, pending, spent, available as balance_available, pending as balance_pending,
         spent as balance_spent from ledger_openings where checkpoint = $2 and ${owner}
  union all
  select account_id, number, available, pending, spent, balance_available, balance_pending, balance_spent
    from ledger_legs where at >= $1::timestamptz and ${owner})`;

async function problemsIn(sql: Sql, { at, checkpoint }: Beginning): Promise<LedgerProblem[]> {
  const [postings, strays, balances, internal, running] = await Promise.all([
    sql.query<LedgerProblem>(
      `select 'posting does not sum to zero' as problem, posting_id::text as subject,
              currency || ' ' || sum(available + pending) as detail
         from ledger_legs where at >= $1::timestamptz
        group by posting_id, currency having sum(available + pending) <> 0`,
      [at],
    ),
    // Entries written before accounts were mandatory. No trial balance includes them.
    sql.query<LedgerProblem>(`
      select 'entries of no account' as problem, l.account_id::text as subject,
             l.entries || ' in ' || l.currency || ', together ' || l.total || ', from posting ' || l.first as detail
        from (select account_id, currency, count(*) as entries, sum(available + pending) as total, min(posting_id) as first
                from ledger_legs group by account_id, currency) l
       where not exists (select from ledger_accounts a where a.id = l.account_id and a.currency = l.currency)
       order by l.account_id, l.currency`),
    sql.query<LedgerProblem>(
      `select 'stored balance differs from its entries' as problem, a.id::text as subject,
              concat_ws(' ', a.available, a.pending, a.spent, '<>', l.available, l.pending, l.spent) as detail
         from ledger_accounts a
         left join (select account_id, sum(available) as available, sum(pending) as pending, sum(spent) as spent
                      from ${since('number is not null')} e group by account_id) l on l.account_id = a.id
        where a.kind <> 'internal'
          and (a.available, a.pending, a.spent)
              is distinct from (coalesce(l.available, 0), coalesce(l.pending, 0), coalesce(l.spent, 0))`,
      [at, checkpoint],
    ),
    // Two errors of opposite amounts cancel out in the trial balance, so each internal account is compared.
    sql.query<LedgerProblem>(
      `select 'internal balance differs from its entries' as problem, b.id::text as subject,
              concat_ws(' ', b.told, '<>', b.total) as detail
         from (select a.id, ${internalBalanceSql('a.id')} as told, coalesce(l.total, 0) as total
                 from ledger_accounts a
                 left join (select account_id, sum(available) as total from ${since('number is null')} e
                             group by account_id) l on l.account_id = a.id
                where a.kind = 'internal') b
        where b.told <> b.total`,
      [at, checkpoint],
    ),
    sql.query<LedgerProblem>(
      `select 'running balance of an entry is wrong' as problem, account_id::text as subject, 'entry ' || number as detail
         from (select *, sum(available) over w as a, sum(pending) over w as p, sum(spent) over w as s
                 from ${since('number is not null')} e
               window w as (partition by account_id order by number)) l
        where (l.a, l.p, l.s) is distinct from (balance_available, balance_pending, balance_spent)`,
      [at, checkpoint],
    ),
  ]);
  const trial = (await trialBalance(sql))
    .filter((line) => !new Decimal(line.sum).isZero())
    .map((line) => ({ problem: 'trial balance is not zero', subject: line.currency, detail: line.sum }));
  return [...postings, ...strays, ...balances, ...internal, ...running, ...trial];
}
