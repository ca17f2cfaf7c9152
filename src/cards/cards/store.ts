import { anyOf, columnsOf, filtered, type IdPage, newestFirst, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { Write } from '../../kernel/db/writes';
import { lockSelectedAccounts } from '../../kernel/ledger/accounts';
import { Decimal } from '../../kernel/money/money';
import { overdueIn } from '../../process/overdue';
import { hasStop } from '../../process/stops/operations';
import type { Card } from './record';

/** NUMERIC comes as text. */
type Row = Omit<Card, 'initialAmount' | 'issueFee'> & { initialAmount: string; issueFee: string };

const FIELDS = [
  'id',
  'tenantId',
  'userId',
  'accountId',
  'returnsTo',
  'masterAccountId',
  'cardholderId',
  'bin',
  'scheme',
  'currency',
  'bufferAccountId',
  'label',
  'status',
  'freezeReasons',
  'insufficientAsked',
  'userBlocked',
  'limited',
  'last4',
  'expiryMonth',
  'expiryYear',
  'processorReference',
  'initialAmount',
  'issueFee',
  'processorClosedAt',
  'failure',
  'idempotencyKey',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Card)[];

/** Read with the card's row and not kept on it, so that to stop a tenant writes one row, however many cards it has. */
const TENANT_STOPPED = hasStop('tenant', 'cards.tenant_id');

const COLUMNS = [...FIELDS, raw(`${TENANT_STOPPED} as tenant_stopped`)];

const cardOf = (row: Row): Card => ({
  ...row,
  initialAmount: new Decimal(row.initialAmount),
  issueFee: new Decimal(row.issueFee),
});

/** What the processor gives comes later. */
type NewCard = Omit<
  Card,
  | 'status'
  | 'freezeReasons'
  | 'insufficientAsked'
  | 'userBlocked'
  | 'tenantStopped'
  | 'returnsTo'
  | 'last4'
  | 'expiryMonth'
  | 'expiryYear'
  | 'processorReference'
  | 'processorClosedAt'
  | 'failure'
  | 'createdAt'
  | 'updatedAt'
>;

/** A card that is asked for. Its times are the database's. */
export async function insertCard(tx: Sql, card: NewCard): Promise<Card> {
  const [row] = await tx.run<Row>(
    table('cards')
      .insert({
        ...card,
        status: 'pending',
        initialAmount: card.initialAmount.toFixed(),
        issueFee: card.issueFee.toFixed(),
      })
      .returning(COLUMNS),
  );
  return cardOf(row as Row);
}

export type CardFilter = Partial<
  Pick<Card, 'userId' | 'accountId' | 'cardholderId' | 'bin' | 'currency'> & { status: string }
>;

/** Newest first. */
export async function listCards(
  sql: Sql,
  reach: string | null,
  filter: CardFilter,
  page: IdPage,
): Promise<Card[]> {
  const cards = table('cards')
    .select(COLUMNS)
    .modify(filtered, { tenantId: reach, ...filter })
    .modify(newestFirst, page);
  return (await sql.run<Row>(cards)).map(cardOf);
}

/** The user's row is locked for the change of its status, so that no card of theirs is being asked for meanwhile. */
export async function setUserBlocked(tx: Sql, userId: string, blocked: boolean): Promise<void> {
  // Locked in the order of all who lock cards; the update itself would take them as it finds them.
  await tx.run(table('cards').select('id').where({ userId }).orderBy('id').forNoKeyUpdate());
  await tx.run(
    table('cards').where({ userId }).whereNot({ userBlocked: blocked }).update({ userBlocked: blocked }),
  );
}

/** The caller holds their locks. `updated_at` stays: a client sees nothing of it on the card. */
export async function setLimited(tx: Sql, cardIds: string[], limited: boolean): Promise<void> {
  await tx.run(table('cards').where(anyOf('id', cardIds)).whereNot({ limited }).update({ limited }));
}

/** Its first buffer. The caller holds the card's lock. */
export async function keepBufferAccount(tx: Sql, cardId: string, bufferAccountId: string): Promise<void> {
  await tx.run(table('cards').where({ id: cardId }).update({ bufferAccountId }));
}

/**
 * The processor has issued a card after all that has failed here: what a network says of it is booked, and returns to zero.
 * `updated_at` stays: to the client it has failed.
 */
export async function keepProcessorReference(tx: Sql, cardId: string, reference: string): Promise<void> {
  const failed = table('cards').where({ id: cardId, status: 'failed' }).whereNull('processorReference');
  await tx.run(failed.update({ processorReference: reference }));
}

/** `updated_at` stays: a client sees nothing of the processor's answer. */
export async function confirmClosure(tx: Sql, cardId: string, at: Date): Promise<void> {
  await tx.run(
    table('cards').where({ id: cardId }).whereNull('processorClosedAt').update({ processorClosedAt: at }),
  );
}

/** Cards whose order or closure the processor has not confirmed; the condition is the index's. */
export const overdueCards = overdueIn<Pick<Card, 'id' | 'tenantId' | 'status'>>('cards', {
  columns: ['id', 'tenantId', 'status'],
  dueBy: 'updated_at',
  open: `status = 'pending' or (status in ('closing', 'closed') and processor_closed_at is null)`,
});
/** @param reach the tenant whose cards may be found, or null for every tenant's */
export async function findCard(sql: Sql, reach: string | null, id: string): Promise<Card | undefined> {
  const [row] = await sql.run<Row>(
    table('cards').select(COLUMNS).where({ id }).modify(filtered, { tenantId: reach }),
  );
  return row && cardOf(row);
}

/** The cards of a user, closed ones too. */
export async function cardIdsOfUser(sql: Sql, userId: string): Promise<string[]> {
  const cards = await sql.run<Pick<Card, 'id'>>(table('cards').select('id').where({ userId }));
  return cards.map(({ id }) => id);
}

/** The same as records. */
export async function cardsOfUser(sql: Sql, userId: string): Promise<Card[]> {
  return (await sql.run<Row>(table('cards').select(COLUMNS).where({ userId }))).map(cardOf);
}

/** How many cards of a cardholder use up its capacity on the BIN: all that are neither closed nor failed. */
export async function countOpenCards(sql: Sql, cardholderId: string): Promise<number> {
  const [row] = await sql.run<{ count: string }>(
    table('cards').count('*').where({ cardholderId }).whereNotIn('status', ['closed', 'failed']),
  );
  return Number(row?.count ?? 0);
}

/** A card that is neither closed nor failed on an account, or with its fees there; nothing where there is none. */
export async function findOpenCardOn(
  sql: Sql,
  accountId: string,
): Promise<Pick<Card, 'id' | 'status'> | undefined> {
  const on = (column: 'accountId' | 'masterAccountId') =>
    sql.run<Pick<Card, 'id' | 'status'>>(
      table('cards')
        .select('id', 'status')
        .where({ [column]: accountId })
        .whereNotIn('status', ['closed', 'failed'])
        .orderBy('id', 'desc')
        .limit(1),
    );
  const [[own], [withFees]] = await Promise.all([on('accountId'), on('masterAccountId')]);
  return own ?? withFees;
}

/** Sends what still comes to the closed cards of an account elsewhere, because the account is closed. */
export async function redirectReturns(tx: Sql, accountId: string, returnsTo: string): Promise<void> {
  const theirs = () =>
    table('cards').where((cards) => {
      void cards.where((own) => void own.where({ accountId }).whereNull('returnsTo'));
      void cards.orWhere({ returnsTo: accountId });
    });
  // Locked in the order of all who lock cards; the update itself would take them as it finds them.
  await tx.run(theirs().select('id').orderBy('id').forNoKeyUpdate());
  await tx.run(theirs().update({ returnsTo }));
}

/** Locks the cards, in the one order of their ids: whoever changes a card or moves its money holds this lock first. */
export async function lockCards(tx: Sql, ids: string[]): Promise<Map<string, Card>> {
  // Prepared, as what follows: on the path of every card event.
  const rows = await tx.prepared<Row>(
    'cards-lock',
    `select ${columnsOf(FIELDS)}, ${TENANT_STOPPED} as "tenantStopped" from cards where id = any($1) order by id for no key update`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, cardOf(row)]));
}

// A card's row is locked before this statement begins, so the accounts it names are the ones that count.
/** The ledger accounts of the cards and of their buffers, of what funds them and of where their fees fall. */
export function lockCardAccounts(tx: Sql, cardIds: string[]) {
  const selection =
    'select unnest(array[id, buffer_account_id, account_id, master_account_id, returns_to]) from cards where id = any($1)';
  return lockSelectedAccounts(tx, 'ledger-lock-cards', selection, cardIds);
}

/** Writes what card events change on cards. The caller holds their locks. */
export function cardStatesWrite(cards: Card[]): Write | undefined {
  if (cards.length === 0) return undefined;
  const rows = cards.map((card) => ({
    id: card.id,
    status: card.status,
    freeze_reasons: card.freezeReasons,
    insufficient_asked: card.insufficientAsked,
    last4: card.last4,
    expiry_month: card.expiryMonth,
    expiry_year: card.expiryYear,
    processor_reference: card.processorReference,
    failure: card.failure,
    updated_at: card.updatedAt,
  }));
  return {
    name: 'cards',
    statement: `update cards c set status = n.status, freeze_reasons = n.freeze_reasons,
            insufficient_asked = n.insufficient_asked, last4 = n.last4,
            expiry_month = n.expiry_month, expiry_year = n.expiry_year, processor_reference = n.processor_reference,
            failure = n.failure, updated_at = n.updated_at
       from json_populate_recordset(null::cards, $1::json) n where c.id = n.id`,
    values: [JSON.stringify(rows)],
  };
}
