import { anyOf, raw } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { decimal, recordTable } from '../../../kernel/db/record-table';
import { internalBalanceSql } from '../../../kernel/ledger/accounts';
import { internalAccountId } from '../../../kernel/ledger/entries';
import { Decimal, ZERO } from '../../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../../kernel/parties';
import type { Books, Waiting } from './rules';

/** The last check of a currency's settlement. */
export interface SettlementCheck {
  currency: string;
  /** Balance by the exchange, and its time by the exchange's clock. */
  reported: Decimal;
  asOf: Date;
  /** Sum of all amounts sent out by then, as {@link sentOut} computes it. */
  sentOut: Decimal;
  /** Money left over at the check. For readers only; later checks do not use it. */
  leftOver: Decimal;
  /** Readings before this time may still contain a withdrawal of an operator. Null: there was none. */
  newsFrom: Date | null;
  checkedAt: Date;
}

const checks = recordTable<SettlementCheck>(
  'settlement_checks',
  { reported: decimal, sentOut: decimal, leftOver: decimal },
  ['currency', 'asOf', 'newsFrom', 'checkedAt', 'reported', 'sentOut', 'leftOver'],
);

/** Time of the last check before the first one, so that the whole balance counts as new. */
const NEVER = new Date(0);

/** Locks the check of a currency until the end of the transaction, so that checks run one after the other. */
export async function lockCheck(tx: Tx, currency: string): Promise<SettlementCheck> {
  const nothing = { reported: ZERO, sentOut: ZERO, leftOver: ZERO, asOf: NEVER, checkedAt: NEVER };
  const row = { ...checks.row({ currency, ...nothing }), summed: '0', summedTo: NEVER };
  await tx.run(checks().insert(row).onConflict('currency').ignore());
  const check = await checks.one(tx, checks().where({ currency }).forUpdate());
  if (!check) throw new Error(`the settlement check of ${currency} has no row`);
  return check;
}

/** Reads the last check of a currency, without a lock. Before the first one nothing was reported. */
export async function findCheck(
  sql: Sql,
  currency: string,
): Promise<Pick<SettlementCheck, 'currency' | 'reported'>> {
  return (await checks.one(sql, checks().where({ currency }))) ?? { currency, reported: ZERO };
}

/** Reads the last check of each currency, without a lock. Currencies without a check are left out. */
export async function readChecks(
  sql: Sql,
  currencies: readonly string[],
): Promise<Map<string, Pick<SettlementCheck, 'asOf' | 'newsFrom'>>> {
  const rows = await sql.run<Pick<SettlementCheck, 'currency' | 'asOf' | 'newsFrom'>>(
    checks().select('currency', 'asOf', 'newsFrom').where(anyOf('currency', currencies)),
  );
  return new Map(rows.map(({ currency, ...row }) => [currency, row]));
}

/** Age of the entries in the stored sum. Every transaction that could add older entries has ended by then. */
const SUMMED_AFTER_MS = 24 * 60 * 60_000;

export function saveCheck(tx: Tx, check: Omit<SettlementCheck, 'newsFrom'>): void {
  const { currency, ...checked } = check;
  const summedTo = new Date(check.checkedAt.getTime() - SUMMED_AFTER_MS);
  tx.defer(
    checks()
      .where({ currency })
      .update({
        ...checks.row(checked),
        summed: raw(`summed + coalesce((${SENT} and e.at <= ?::timestamptz), 0)`, [summedTo]),
        summedTo: raw('greatest(summed_to, ?::timestamptz)', [summedTo]),
      }),
  );
}

/**
 * Counts a withdrawal by an operator as sent out, under the check's lock.
 * @param newsFrom readings before this time release nothing
 */
export function addSentOut(tx: Tx, currency: string, amount: Decimal, newsFrom: Date): void {
  tx.defer(
    checks()
      .where({ currency })
      .update({ newsFrom, sentOut: raw('sent_out - ?::numeric', [amount.toFixed()]) }),
  );
}

const SENT = `select sum(e.amount) from transfer_entries e
   where e.component = 'settlement' and e.currency = settlement_checks.currency and e.at > settlement_checks.summed_to`;

/**
 * Sum of all amounts that left the exchange's balance by our books, for `increase`: sold amounts and sent
 * withdrawals, less what came back of them. Payments that the exchange took back are not included. Raw: the sum of
 * the last check, and the entries after it.
 */
export async function sentOut(sql: Sql, currency: string): Promise<Decimal> {
  const [row] = await sql.query<{ sum: string }>(
    `select (coalesce(c.summed, 0) + coalesce((
              select sum(e.amount) from transfer_entries e
               where e.component = 'settlement' and e.currency = $1 and e.at > coalesce(c.summed_to, '-infinity')), 0))::text as sum
       from (select $1::text as currency) given left join settlement_checks c using (currency)`,
    [currency],
  );
  return new Decimal(row?.sum ?? 0);
}

/**
 * SQL: orders to a currency (itself SQL) for which the exchange owes an amount that no release covers (`unreleased`).
 */
const owedIn = (currency: string) =>
  `from transfers t where t.kind = 'exchange_order' and t.unreleased > 0 and t.terms->>'toCurrency' = ${currency}`;

/** SQL: the deal is over, so the order waits to be paid. */
const OVER = `(t.status in ('awaiting_settlement', 'failed') or t.word->>'status' = 'failed')`;

/**
 * SQL: since when an order waits. A released order that grew counts from the word that changed it. So it goes behind
 * those that already waited, and is not overdue at once.
 */
const SINCE = `greatest(
  coalesce((t.reached->>'awaiting_settlement')::timestamptz, (t.reached->>'failed')::timestamptz, (t.reached->>'executing')::timestamptz, t.created_at),
  case when exists (select 1 from transfer_decisions d where d.transfer_id = t.id and d.kind = 'release') then t.word_at end)`;

/** SQL: amounts that left the exchange's balance: money it took of us, and payments or debts that it took back. */
const SENT_SINCE = `select coalesce(sum(e.amount), 0) from transfer_entries e
   where e.component in ('settlement', 'owed') and e.amount > 0 and e.currency = $1 and e.at > $3`;

/**
 * Reads our books of a currency.
 * @param since start of `sentSince`. Raw: one statement, because a deal is booked and owed at the same moment
 */
export async function readBooks(sql: Sql, currency: string, since: Date): Promise<Books> {
  const [row] = await sql.query<{ balance: string; owed: string; sent: string }>(
    `select ${internalBalanceSql('$2::text')}::text as balance, (${SENT_SINCE})::text as sent,
            (select coalesce(sum(t.unreleased), 0) ${owedIn('$1')})::text as owed`,
    [currency, internalAccountId(PARTY_ACCOUNTS.exchange, currency), since],
  );
  return {
    booked: new Decimal(row?.balance ?? 0).negated(),
    owed: new Decimal(row?.owed ?? 0),
    sentSince: new Decimal(row?.sent ?? 0),
  };
}

/** Orders that a check may release, longest waiting first. Raw: see {@link owedIn}. */
export async function waitingOrders(sql: Sql, currency: string, limit: number): Promise<Waiting[]> {
  const rows = await sql.query<{ id: string; owed: string }>(
    `select t.id, t.unreleased::text as owed ${owedIn('$1')} and ${OVER} order by ${SINCE}, t.id limit $2`,
    [currency, limit],
  );
  return rows.map(({ id, owed }) => ({ id, amount: new Decimal(owed) }));
}

/** An order that waits for settlement, including one that was not dealt as ordered and is unpaid. */
export interface OverdueOrder {
  id: string;
  tenantId: string | null;
  currency: string;
  owed: Decimal;
}

/** Orders that have waited since before a time, longest waiting first in each currency. Raw: see {@link owedIn}. */
export async function overdueOrders(
  sql: Sql,
  { currencies, before, limit }: { currencies: readonly string[]; before: Date; limit: number },
): Promise<OverdueOrder[]> {
  const rows = await sql.query<Omit<OverdueOrder, 'owed'> & { owed: string }>(
    `select waiting.id, waiting.tenant_id as "tenantId", given.currency, waiting.owed::text as owed
       from unnest($1::text[]) as given(currency)
      cross join lateral (
        select t.id, t.tenant_id, t.unreleased as owed ${owedIn('given.currency')}
           and ${OVER} and ${SINCE} < $2 order by ${SINCE}, t.id limit $3) waiting`,
    [currencies, before, limit],
  );
  return rows.map(({ owed, ...row }) => ({ ...row, owed: new Decimal(owed) }));
}
