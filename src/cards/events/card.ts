import type { Sql } from '../../kernel/db/database';
import type { Write } from '../../kernel/db/writes';
import { Decimal } from '../../kernel/money/money';

export type CardStatus = 'pending' | 'active' | 'frozen' | 'closing' | 'closed' | 'failed';
export type FreezeReason = 'manual' | 'insufficient_funds' | 'risk' | 'provider';

export interface Card {
  id: string;
  tenantId: string;
  userId: string;
  /** What funds it. */
  accountId: string;
  /** Where its settle and decline fees fall: the tenant's master account of its currency. */
  masterAccountId: string;
  cardholderId: string;
  bin: string;
  scheme: string;
  currency: string;
  label: string | null;
  status: CardStatus;
  /** Frozen exactly while a reason stands. */
  freezeReasons: FreezeReason[];
  /** Its user is blocked: it declines, and is not funded. */
  userBlocked: boolean;
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  /** The card processor's name of it; number and CVV stay there. */
  processorReference: string | null;
  initialAmount: Decimal;
  issueFee: Decimal;
  /** When the processor confirmed the closure. */
  processorClosedAt: Date | null;
  failure: string | null;
  /** Of the call that issued it; travels to the webhooks of its issuance. */
  idempotencyKey: string | null;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `id, tenant_id as "tenantId", user_id as "userId", account_id as "accountId",
  master_account_id as "masterAccountId", cardholder_id as "cardholderId", bin, scheme, currency, label, status,
  freeze_reasons as "freezeReasons", user_blocked as "userBlocked", last4, expiry_month as "expiryMonth", expiry_year as "expiryYear",
  processor_reference as "processorReference", initial_amount as "initialAmount", issue_fee as "issueFee",
  processor_closed_at as "processorClosedAt", failure, idempotency_key as "idempotencyKey",
  created_at as "createdAt", updated_at as "updatedAt"`;

type Row = Omit<Card, 'initialAmount' | 'issueFee'> & { initialAmount: string; issueFee: string };

export const cardOf = (row: Row): Card => ({
  ...row,
  initialAmount: new Decimal(row.initialAmount),
  issueFee: new Decimal(row.issueFee),
});

export { COLUMNS as CARD_COLUMNS, type Row as CardRow };

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
