import { anyOf, raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { internalBalanceSql } from '../../../kernel/ledger/accounts';
import { internalAccountId } from '../../../kernel/ledger/entries';
import { PARTY_ACCOUNTS } from '../../../kernel/ledger/party-accounts';
import { Decimal } from '../../../kernel/money/money';
import type { Books, Waiting } from './rules';

/** How far the exchange's balance of a currency was known to have come at the last check. */
export interface SettlementCheck {
  currency: string;
  /** By the exchange, and when by its clock. */
  reported: Decimal;
  asOf: Date;
  /** All that was sent out by then, as {@link sentOut} tells it. */
  sentOut: Decimal;
  /** What was left over then: written down for who looks, and no later check begins with it. */
  leftOver: Decimal;
  /** A reading of before then may not know of what an operator has taken home; null: nothing was. */
  newsFrom: Date | null;
  checkedAt: Date;
}

const checks = () => table('settlement_checks');
const AMOUNTS = ['reported', 'sentOut', 'leftOver'] as const;
type CheckRow = Omit<SettlementCheck, (typeof AMOUNTS)[number]> & Record<(typeof AMOUNTS)[number], string>;

/** Before anything was ever checked: all that the exchange has of ours is still to be counted. */
const NEVER = new Date(0);

/** One check of a currency after the other, to the end of the transaction. */
export async function lockCheck(tx: Tx, currency: string): Promise<SettlementCheck> {
  const nothing = { reported: '0', sentOut: '0', leftOver: '0', summed: '0' };
  const never = { asOf: NEVER, summedTo: NEVER, checkedAt: NEVER };
  await tx.run(
    checks()
      .insert({ currency, ...nothing, ...never })
      .onConflict('currency')
      .ignore(),
  );
  const [row] = await tx.run<CheckRow>(
    checks()
      .select('currency', 'asOf', 'newsFrom', 'checkedAt', ...AMOUNTS)
      .where({ currency })
      .forUpdate(),
  );
  if (!row) throw new Error(`the settlement of ${currency} cannot be checked`);
  const { reported, sentOut: sent, leftOver, ...rest } = row;
  return {
    ...rest,
    ...{ reported: new Decimal(reported), sentOut: new Decimal(sent), leftOver: new Decimal(leftOver) },
  };
}

/** Reads the last check of each of these currencies, without a lock. A currency that was never checked is not among them. */
export async function readChecks(
  sql: Sql,
  currencies: readonly string[],
): Promise<Map<string, Pick<SettlementCheck, 'asOf' | 'newsFrom'>>> {
  const rows = await sql.run<Pick<SettlementCheck, 'currency' | 'asOf' | 'newsFrom'>>(
    checks().select('currency', 'asOf', 'newsFrom').where(anyOf('currency', currencies)),
  );
  return new Map(rows.map(({ currency, ...row }) => [currency, row]));
}

/** Entries are committed long before that: what they sum to does not change any more. */
const SUMMED_AFTER_MS = 24 * 60 * 60_000;

export function saveCheck(tx: Tx, check: Omit<SettlementCheck, 'newsFrom'>): void {
  const { currency, asOf, checkedAt, reported, sentOut: sent, leftOver } = check;
  const summedTo = new Date(checkedAt.getTime() - SUMMED_AFTER_MS);
  tx.defer(
    checks()
      .where({ currency })
      .update({
        ...{ asOf, checkedAt, reported: reported.toFixed() },
        ...{ sentOut: sent.toFixed(), leftOver: leftOver.toFixed() },
        summed: raw(`summed + coalesce((${SENT} and e.at <= ?::timestamptz), 0)`, [summedTo]),
        summedTo: raw('greatest(summed_to, ?::timestamptz)', [summedTo]),
      }),
  );
}

/**
 * What we have moved ourselves out of the exchange's balance, under the check's lock: the next check counts it as sent.
 * @param newsFrom a reading of before then releases nothing
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
 * All that has gone out of the exchange's balance by our books, ever, for the reader's `increase`: what orders have sold of the
 * currency, less what was given back of that, and what withdrawals have sent less what came back. What the exchange has taken back of
 * what it had paid is not in it. Raw: the sum kept at a check, and what came after it.
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

/** SQL: the orders to that currency (SQL too) for which the exchange owes something that no release covers (`unreleased`). */
const owedIn = (currency: string) =>
  `from transfers t where t.kind = 'exchange_order' and t.unreleased > 0 and t.terms->>'toCurrency' = ${currency}`;

/** Those of them whose deal is over: they wait to be paid, or are nobody's. */
const OVER = `(t.status in ('awaiting_settlement', 'failed') or t.word->>'status' = 'failed')`;

/**
 * Since when one waits: since it first was over, or, where it was released before, since the word that has changed it. So what has
 * grown goes behind those that waited by then, and is not overdue at once.
 */
const SINCE = `greatest(
  coalesce((t.reached->>'awaiting_settlement')::timestamptz, (t.reached->>'failed')::timestamptz, (t.reached->>'executing')::timestamptz, t.created_at),
  case when exists (select 1 from transfer_decisions d where d.transfer_id = t.id and d.kind = 'release') then t.word_at end)`;

/** Of what the exchange holds or owes: what it took of us, and what it has taken back of what it owed or had paid. */
const SENT_SINCE = `select coalesce(sum(e.amount), 0) from transfer_entries e
   where e.component in ('settlement', 'owed') and e.amount > 0 and e.currency = $1 and e.at > $3`;

/** @param since of what was sent. Raw: all in one statement, for what is bought meanwhile is booked and owed at once. */
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

/** Orders that a check may release, the longest waiting first. Raw: see {@link owedIn}. */
export async function waitingOrders(sql: Sql, currency: string, limit: number): Promise<Waiting[]> {
  const rows = await sql.query<{ id: string; owed: string }>(
    `select t.id, t.unreleased::text as owed ${owedIn('$1')} and ${OVER} order by ${SINCE}, t.id limit $2`,
    [currency, limit],
  );
  return rows.map(({ id, owed }) => ({ id, amount: new Decimal(owed) }));
}

/** An order that waits for its settlement, or what was not dealt as ordered and is not paid either. */
export interface OverdueOrder {
  id: string;
  tenantId: string | null;
  currency: string;
  owed: Decimal;
}

/** Those of these currencies that have waited since before then: of each the longest waiting. Raw: see {@link owedIn}. */
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
