import { anyOf, filtered, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { beginOf } from '../../kernel/db/page-begin';
import type { Write } from '../../kernel/db/writes';
import type { CardTransactionType } from '../../kernel/ledger/effects';
import { idsWithin } from '../../kernel/product-clock';
import { arrayOf, type Column, decimal, namesOf, plain, recordOf } from './columns';
import type { CardTransaction } from './record';

/** BIGINT arrives as text. */
const number: Column<CardTransaction> = {
  field: 'number',
  cell: (transaction) => transaction.number,
  read(transaction, value) {
    transaction.number = Number(value);
  },
};

const merchant: Column<CardTransaction> = {
  ...plain('merchant'),
  cell: (transaction) => transaction.merchant && JSON.stringify(transaction.merchant),
};

/** In the order of the composite type `new_card_transaction`. */
const COLUMNS: readonly Column<CardTransaction>[] = [
  plain('id'),
  plain('cardId'),
  plain('tenantId'),
  number,
  plain('at'),
  plain('type'),
  decimal('amount'),
  plain('currency'),
  decimal('billingAmount'),
  plain('billingCurrency'),
  plain('referenceId'),
  plain('linkedId'),
  plain('authorizationId'),
  decimal('fee'),
  plain('forced'),
  plain('declineReason'),
  plain('source'),
  merchant,
  decimal('available'),
  decimal('pending'),
  decimal('spent'),
];

const transactionOf = (row: Record<string, unknown>): CardTransaction =>
  recordOf(COLUMNS, row, {} as CardTransaction);

/** Inserts card transactions. Raw SQL, because the hot path defers this write to its commit. */
export function transactionsWrite(transactions: CardTransaction[]): Write | undefined {
  if (transactions.length === 0) return undefined;
  return { name: 'card-transactions', statement: INSERT, values: [arrayOf(COLUMNS, transactions)] };
}

const INSERT = `insert into card_transactions (${namesOf(COLUMNS)}) select * from unnest($1::new_card_transaction[])`;

export interface HistoryFilter {
  type?: string;
  currency?: string;
  from?: Date;
  to?: Date;
}

/**
 * Lists the transactions of cards, newest first. Pages miss nothing while others write, because each card numbers its
 * events. Raw SQL for the lateral join: each card's own index gives its newest events, however many it has.
 */
export async function listOfCards(
  sql: Sql,
  cardIds: string[],
  filter: HistoryFilter,
  after: [at: string, number: string, cardId: string] | undefined,
  limit: number,
): Promise<CardTransaction[]> {
  const [at, number, card] = beginOf(after, filter.to, ['infinity', '0', '']);
  const rows = await sql.query(
    `select t.* from unnest($3::text[]) as c(id)
      cross join lateral (
        select * from card_transactions t
         where t.card_id = c.id and t.at >= $1::timestamptz and ($2::text is null or t.type = $2)
           and ($8::text is null or t.currency = $8)
           and (t.at, t.number) < ($4::timestamptz, case when c.id < $6 then 9223372036854775807
                                                         when c.id > $6 then 0 else $5::bigint end)
         order by t.at desc, t.number desc limit $7) t
      order by t.at desc, t.card_id desc, t.number desc limit $7`,
    [
      ...[filter.from ?? '-infinity', filter.type ?? null, cardIds, at, number, card, limit],
      filter.currency ?? null,
    ],
  );
  return rows.map(transactionOf);
}

export async function findCardTransaction(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<CardTransaction | undefined> {
  const [row] = await sql.run(table('card_transactions').where({ id }).modify(filtered, { tenantId: reach }));
  return row && transactionOf(row);
}

/** Card transactions by id. */
export async function transactionsById(sql: Sql, ids: string[]): Promise<Map<string, CardTransaction>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.run(table('card_transactions').where(anyOf('id', ids)));
  return new Map(rows.map(transactionOf).map((transaction) => [transaction.id, transaction]));
}

/** The transactions of a reference, in the order of their times. */
export async function transactionsOfReference(sql: Sql, referenceId: string): Promise<CardTransaction[]> {
  const rows = await sql.run(table('card_transactions').where({ referenceId }).orderBy('at'));
  return rows.map(transactionOf);
}

/** All events of an authorization, oldest first. The first is found by its key, the others by their index. */
export async function eventsOfAuthorization(sql: Sql, authorizationId: string): Promise<CardTransaction[]> {
  const rows = await sql.run(
    table('card_transactions')
      .where({ id: authorizationId })
      .unionAll(
        // The first event is linked as well when it follows an ended authorization.
        table('card_transactions')
          .where({ authorizationId })
          .whereNotNull('linkedId')
          .whereNot({ id: authorizationId }),
      )
      .orderBy('number'),
  );
  return rows.map(transactionOf);
}

/** The number of a card's events of a type in a period; `to` is excluded. */
export async function countCardTransactions(
  sql: Sql,
  cardId: string,
  type: CardTransactionType,
  from: Date,
  to: Date,
): Promise<number> {
  const [row] = await sql.run<{ count: string }>(
    table('card_transactions')
      .count('*')
      .where({ cardId, type })
      .where('at', '>=', from)
      .where('at', '<', to),
  );
  return Number(row?.count ?? 0);
}

/**
 * The number of card transactions of these types in each hour of `[from, to)`, by type and reason. The primary key serves
 * it, because an id begins with its time.
 */
export const countByHour = async (
  sql: Sql,
  types: readonly CardTransactionType[],
  period: { from: Date; to: Date },
): Promise<{ at: Date; type: CardTransactionType; declineReason: string | null; count: number }[]> =>
  sql.query(
    `select date_trunc('hour', at, 'UTC') as at, type, decline_reason as "declineReason", count(*)::int as count
       from card_transactions
      where id >= $1 and id < $2 and at >= $3 and at < $4 and type = any($5) group by 1, 2, 3 order by 1, 2, 3`,
    [...(await idsWithin(sql, 'cardTransaction', period)), period.from, period.to, types],
  );
