import { z } from 'zod';
import type { EntryRow } from '../../../accounts/accounts/history';
import {
  accountTransactionItem,
  accountTransactionItemOf,
  mixedItem,
  statusChangeItem,
  statusChangeItemOf,
} from '../../../accounts/accounts/mixed-history';
import type { Sql } from '../../../kernel/db/database';
import { beginOf } from '../../../kernel/db/page-begin';
import { NEWEST_CHANGES, STATUS_KINDS, type StatusChangeRow } from '../../../kernel/ledger/status-changes';
import { type Page, pageOf, pageQuery, positionOf, positionPart } from '../../../kernel/wire/pages';
import { OPERATION_STATUSES } from '../../buffered/record';
import { transactionsById } from '../transaction-store';
import { cardTransactionSchema, cardTransactionView } from '../view';

export const cardTransactionItem = cardTransactionSchema
  .extend({ ...mixedItem, kind: z.literal('card_transaction') })
  .meta({ id: 'CardTransactionItem' });

export const mixedHistoryQuery = z.object({
  ...pageQuery,
  kind: z.enum(['card_transaction', 'account_transaction', ...STATUS_KINDS.card]).optional(),
});

export const mixedHistoryItem = z
  .union([
    cardTransactionItem,
    accountTransactionItem,
    statusChangeItem(STATUS_KINDS.card, OPERATION_STATUSES),
  ])
  .meta({ id: 'CardHistoryItem' });

/**
 * Raw SQL: one statement for all branches, so that they read one snapshot. The card numbers its own events. An account
 * transaction was posted with a card event, in one transaction and with the same time. The history lists it directly
 * after that event, or after the last event with the same reference and time. No write of the hot path is needed for
 * this order. `$8` bounds the card events that are examined, because the account transactions of older events cannot be
 * on the page. Without `$8`, for account transactions alone, all are examined.
 */
const MIXED = `
  select * from (
    (select 'card_transaction' as kind, id, at, number, '' as entry, reference_id, null::text as account_id,
            null::text as currency, null::text as type, null::text as subtype, null::numeric as available,
            null::numeric as pending, null::numeric as balance_available, null::text as record_id, null::text as status,
            null::text as previous_status, null::text as failure
       from card_transactions
      where card_id = $1 and (at, number) <= ($2::timestamptz, $3::bigint) and (at, number, '') < ($2, $3, $7::text)
        and ($4::text is null or $4 = 'card_transaction') and at >= $5::timestamptz
      order by at desc, number desc limit $6)
    union all
    (select 'account_transaction', l.id, t.at, t.number, l.id, l.reference_id, l.account_id, l.currency, l.type, l.subtype,
            l.available, l.pending, l.balance_available, null, null, null, null
       from (select card_id, at, number, reference_id from card_transactions
              where card_id = $1 and (at, number) <= ($2::timestamptz, $3::bigint)
                and ($4::text is null or $4 = 'account_transaction') and at >= $5::timestamptz
              order by at desc, number desc limit $8) t
       join ledger_legs l on l.reference_id = t.reference_id and l.listed and l.at = t.at
      where (t.at, t.number, l.id collate "C") < ($2, $3, $7 collate "C")
        and not exists (select from card_transactions o where o.reference_id = t.reference_id and o.card_id = t.card_id
                           and o.at = t.at and o.number > t.number)
      order by t.at desc, t.number desc, l.id desc limit $6)
    union all
    (select kind, id, at, number, '', reference_id, null, null, null, null, null, null, null, record_id, status,
            previous_status, failure
       from (${NEWEST_CHANGES}) changes)
  ) items order by at desc, number desc, entry collate "C" desc limit $6`;

type Row = EntryRow & StatusChangeRow & { entry: string };

/**
 * A card's events, status changes and account transactions, newest first.
 * @throws Problem 400 for the cursor of another card
 */
export async function mixedHistoryPage(
  sql: Sql,
  cardId: string,
  { cursor, limit, kind, from, to }: z.output<typeof mixedHistoryQuery>,
): Promise<Page<z.input<typeof mixedHistoryItem>>> {
  const [, ...after] = positionOf(cursor, positionOn(cardId)) ?? [];
  const [at, number, entry] = beginOf(after, to, ['infinity', '0', '']);
  const window = kind === 'account_transaction' ? null : limit + 2; // one more: the event that ended the page before
  const rows = await sql.query<Row>(MIXED, [
    ...[cardId, at, number, kind ?? null, from ?? '-infinity', limit + 1, entry, window],
  ]);
  const transactions = await cardTransactionsOf(sql, rows);
  return pageOf(
    rows,
    limit,
    (row) => [cardId, row.at.toISOString(), row.number, row.entry],
    (row) => {
      const transaction = transactions.get(row.id);
      if (transaction) return cardTransactionItemOf(cardTransactionView(transaction));
      return row.kind === 'account_transaction' ? accountTransactionItemOf(row) : statusChangeItemOf(row);
    },
  );
}

/** Reads the card transactions among the rows by a statement of its own, because transactions never change. */
export const cardTransactionsOf = (sql: Sql, rows: readonly { kind: string; id: string }[]) =>
  transactionsById(
    sql,
    rows.filter(({ kind }) => kind === 'card_transaction').map(({ id }) => id),
  );

const positionOn = (cardId: string) =>
  z.tuple([
    z.literal(cardId),
    positionPart.instant(),
    positionPart.number(),
    z.union([z.literal(''), positionPart.id('accountTransaction')]),
  ]);

export const cardTransactionItemOf = (view: ReturnType<typeof cardTransactionView>) => ({
  version: 2 as const,
  kind: 'card_transaction' as const,
  occurredAt: view.timestamp,
  ...view,
});
