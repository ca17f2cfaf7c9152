import type { Sql } from '../../kernel/db/database';
import { overdueIn } from '../../process/due';
import { CARD_COLUMNS, type Card, type CardRow, cardOf } from '../events/card';

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
  const [row] = await tx.query<CardRow>(
    `insert into cards (id, tenant_id, user_id, account_id, master_account_id, cardholder_id, bin, scheme, currency, label,
                        status, initial_amount, issue_fee, idempotency_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', $11, $12, $13) returning ${CARD_COLUMNS}`,
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
  return cardOf(row as CardRow);
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
  const rows = await sql.query<CardRow>(
    `select ${CARD_COLUMNS} from cards
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

/** Cards whose order or closure the processor has not confirmed; the condition is the index's. */
export const overdueCards = overdueIn<Pick<Card, 'id' | 'tenantId' | 'status'>>('cards', {
  columns: ['id', 'tenantId', 'status'],
  dueBy: 'updated_at',
  open: `status = 'pending' or (status in ('closing', 'closed') and processor_closed_at is null)`,
});
