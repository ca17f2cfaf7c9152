import type { Sql } from '../../kernel/db/database';
import type { Write } from '../../kernel/db/writes';
import { lockSelectedAccounts } from '../../kernel/ledger/accounts';
import { Decimal } from '../../kernel/money/money';
import type { Card } from './record';

const COLUMNS = `id, tenant_id as "tenantId", user_id as "userId", account_id as "accountId",
  master_account_id as "masterAccountId", cardholder_id as "cardholderId", bin, scheme, currency, label, status,
  freeze_reasons as "freezeReasons", user_blocked as "userBlocked", last4, expiry_month as "expiryMonth", expiry_year as "expiryYear",
  processor_reference as "processorReference", initial_amount as "initialAmount", issue_fee as "issueFee",
  processor_closed_at as "processorClosedAt", failure, idempotency_key as "idempotencyKey",
  created_at as "createdAt", updated_at as "updatedAt"`;

type Row = Omit<Card, 'initialAmount' | 'issueFee'> & { initialAmount: string; issueFee: string };

const cardOf = (row: Row): Card => ({
  ...row,
  initialAmount: new Decimal(row.initialAmount),
  issueFee: new Decimal(row.issueFee),
});

/** @param card a new card: what the processor gives comes later, its times are the database's */
export async function insertCard(
  tx: Sql,
  card: Pick<
    Card,
    | 'id'
    | 'tenantId'
    | 'userId'
    | 'accountId'
    | 'masterAccountId'
    | 'cardholderId'
    | 'bin'
    | 'scheme'
    | 'currency'
    | 'label'
    | 'initialAmount'
    | 'issueFee'
    | 'idempotencyKey'
  >,
): Promise<Card> {
  const [row] = await tx.query<Row>(
    `insert into cards (id, tenant_id, user_id, account_id, master_account_id, cardholder_id, bin, scheme, currency, label,
                        status, initial_amount, issue_fee, idempotency_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', $11, $12, $13) returning ${COLUMNS}`,
    [
      card.id,
      card.tenantId,
      card.userId,
      card.accountId,
      card.masterAccountId,
      card.cardholderId,
      card.bin,
      card.scheme,
      card.currency,
      card.label,
      card.initialAmount.toFixed(),
      card.issueFee.toFixed(),
      card.idempotencyKey,
    ],
  );
  return cardOf(row as Row);
}

export interface CardFilter {
  userId?: string;
  accountId?: string;
  cardholderId?: string;
  status?: string;
  bin?: string;
}

/** Newest first. @param after the id of the last card of the page before */
export async function listCards(
  sql: Sql,
  reach: string | null,
  filter: CardFilter,
  page: { after: string | undefined; rows: number },
): Promise<Card[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from cards
      where ($1::text is null or tenant_id = $1) and ($2::text is null or user_id = $2)
        and ($3::text is null or account_id = $3) and ($4::text is null or cardholder_id = $4)
        and ($5::text is null or status = $5) and ($6::text is null or bin = $6)
        and ($7::text is null or id < $7)
      order by id desc limit $8`,
    [
      reach,
      filter.userId ?? null,
      filter.accountId ?? null,
      filter.cardholderId ?? null,
      filter.status ?? null,
      filter.bin ?? null,
      page.after ?? null,
      page.rows,
    ],
  );
  return rows.map(cardOf);
}

/** The user's row is locked for the change of its status, so that no card of his is being asked for meanwhile. */
export async function setUserBlocked(tx: Sql, userId: string, blocked: boolean): Promise<void> {
  // Locked in the order of all who lock cards; the update itself would take them as it finds them.
  await tx.query('select from cards where user_id = $1 order by id for no key update', [userId]);
  await tx.query('update cards set user_blocked = $2 where user_id = $1 and user_blocked <> $2', [
    userId,
    blocked,
  ]);
}

/** `updated_at` stays: a client sees nothing of the processor's word. */
export async function confirmClosure(tx: Sql, cardId: string, at: Date): Promise<void> {
  await tx.query('update cards set processor_closed_at = $2 where id = $1 and processor_closed_at is null', [
    cardId,
    at,
  ]);
}

/** Cards that wait for the processor and have not moved since; the longest first. Its condition is the index's. */
export async function unfinishedCards(sql: Sql, olderThan: Date, limit: number, except: string[]) {
  return sql.query<Pick<Card, 'id' | 'tenantId' | 'status'>>(
    `select id, tenant_id as "tenantId", status from cards
      where (status = 'pending' or (status in ('closing', 'closed') and processor_closed_at is null))
        and updated_at < $1 and id <> all($3)
      order by updated_at limit $2`,
    [olderThan, limit, except],
  );
}

/** @param reach the tenant whose cards may be found, or null for every tenant's */
export async function findCard(sql: Sql, reach: string | null, id: string): Promise<Card | undefined> {
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from cards where id = $1 and ($2::text is null or tenant_id = $2)`,
    [id, reach],
  );
  return row && cardOf(row);
}

/** The cards of a user, closed ones too. */
export async function cardIdsOfUser(sql: Sql, userId: string): Promise<string[]> {
  return (await sql.query<{ id: string }>('select id from cards where user_id = $1', [userId])).map(
    (row) => row.id,
  );
}

/** Locks the cards, in the one order of their ids: whoever changes a card or moves its money holds this lock first. */
export async function lockCards(tx: Sql, ids: string[]): Promise<Map<string, Card>> {
  const rows = await tx.prepared<Row>(
    'cards-lock',
    `select ${COLUMNS} from cards where id = any($1) order by id for no key update`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, cardOf(row)]));
}

// A card's row is locked before this statement begins, so the accounts it names are the ones that count.
/** The ledger accounts of the cards, of what funds them and of where their fees fall. */
export function lockCardAccounts(tx: Sql, cardIds: string[]) {
  const selection = 'select unnest(array[id, account_id, master_account_id]) from cards where id = any($1)';
  return lockSelectedAccounts(tx, 'ledger-lock-cards', selection, cardIds);
}

/** Writes what card events change on cards. The caller holds their locks. */
export function cardStatesWrite(cards: Card[]): Write | undefined {
  if (cards.length === 0) return undefined;
  const rows = cards.map((card) => ({
    id: card.id,
    status: card.status,
    freeze_reasons: card.freezeReasons,
    last4: card.last4,
    expiry_month: card.expiryMonth,
    expiry_year: card.expiryYear,
    processor_reference: card.processorReference,
    failure: card.failure,
    updated_at: card.updatedAt,
  }));
  return {
    name: 'card-states',
    statement: `update cards c set status = n.status, freeze_reasons = n.freeze_reasons, last4 = n.last4,
            expiry_month = n.expiry_month, expiry_year = n.expiry_year, processor_reference = n.processor_reference,
            failure = n.failure, updated_at = n.updated_at
       from json_populate_recordset(null::cards, $1::json) n where c.id = n.id`,
    values: [JSON.stringify(rows)],
  };
}

/** How many cards of a cardholder use up its capacity on the BIN: all that are neither closed nor failed. */
export async function countOpenCards(sql: Sql, cardholderId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count from cards where cardholder_id = $1 and status not in ('closed', 'failed')`,
    [cardholderId],
  );
  return row?.count ?? 0;
}
