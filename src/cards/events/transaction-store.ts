import type { Sql } from '../../kernel/db/database';
import type { CardTransactionType } from '../../kernel/ledger/effects';
import { Decimal } from '../../kernel/money/money';
import type { Position } from '../../kernel/wire/pages';
import type { CardTransaction, DeclineReason, EventSource, Merchant } from './record';

interface Row {
  id: string;
  card_id: string;
  tenant_id: string;
  number: string;
  at: Date;
  type: CardTransactionType;
  amount: string;
  currency: string;
  billing_amount: string;
  billing_currency: string;
  reference_id: string;
  linked_id: string | null;
  authorization_id: string | null;
  fee: string;
  forced: boolean;
  decline_reason: DeclineReason | null;
  source: EventSource | null;
  merchant: Merchant | null;
  available: string;
  pending: string;
  spent: string;
}

export interface HistoryFilter {
  type?: string;
  from?: Date;
  to?: Date;
}

const FILTER = `($1::timestamptz is null or t.at >= $1) and ($2::timestamptz is null or t.at < $2)
            and ($3::text is null or t.type = $3)`;

/**
 * Newest first, by the number that each event has on its card: pages miss nothing while others write. Several cards are
 * merged: each card's own index gives its newest, however many it has had.
 */
export async function listOfCards(
  sql: Sql,
  cardIds: string[],
  filter: HistoryFilter,
  after: Position | undefined,
  limit: number,
): Promise<CardTransaction[]> {
  const [at = null, number = null, card = null] = after ?? [];
  const rows = await sql.query<Row>(
    `select t.* from unnest($4::text[]) as c(id)
      cross join lateral (
        select * from card_transactions t
         where t.card_id = c.id and ${FILTER}
           and ($5::timestamptz is null or (t.at, t.number) < ($5, case when c.id < $7 then 9223372036854775807
                                                                        when c.id > $7 then 0 else $6::bigint end))
         order by t.at desc, t.number desc limit $8) t
      order by t.at desc, t.card_id desc, t.number desc limit $8`,
    [filter.from ?? null, filter.to ?? null, filter.type ?? null, cardIds, at, number, card, limit],
  );
  return rows.map(transactionOf);
}

export async function findCardTransaction(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<CardTransaction | undefined> {
  const [row] = await sql.query<Row>(
    'select t.* from card_transactions t where id = $1 and ($2::text is null or tenant_id = $2)',
    [id, reach],
  );
  return row && transactionOf(row);
}

/** Every event of an authorization's chain, oldest first. */
export async function eventsOfChain(sql: Sql, authorizationId: string): Promise<CardTransaction[]> {
  const rows = await sql.query<Row>(
    `select t.* from card_transactions t where t.id = $1
     union all
     select t.* from card_transactions t where t.authorization_id = $1 and t.linked_id is not null
      order by number`,
    [authorizationId],
  );
  return rows.map(transactionOf);
}

/** How many events of these types a card had from one moment until another. */
export async function countCardTransactions(
  sql: Sql,
  cardId: string,
  types: CardTransactionType[],
  from: Date,
  to: Date,
): Promise<number> {
  const [row] = await sql.query<{ count: string }>(
    'select count(*) from card_transactions where card_id = $1 and at >= $2 and at < $3 and type = any($4)',
    [cardId, from, to, types],
  );
  return Number(row?.count ?? 0);
}

function transactionOf(row: Row): CardTransaction {
  return {
    id: row.id,
    cardId: row.card_id,
    tenantId: row.tenant_id,
    number: Number(row.number),
    at: row.at,
    type: row.type,
    amount: new Decimal(row.amount),
    currency: row.currency,
    billingAmount: new Decimal(row.billing_amount),
    billingCurrency: row.billing_currency,
    referenceId: row.reference_id,
    linkedId: row.linked_id,
    authorizationId: row.authorization_id,
    fee: new Decimal(row.fee),
    forced: row.forced,
    declineReason: row.decline_reason,
    source: row.source,
    merchant: row.merchant,
    available: new Decimal(row.available),
    pending: new Decimal(row.pending),
    spent: new Decimal(row.spent),
  };
}
