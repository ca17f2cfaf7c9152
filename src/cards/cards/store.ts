import { anyOf, columnsOf, filtered, type IdPage, newestFirst, raw } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { foundRecords } from '../../kernel/db/found';
import { decimal, recordTable } from '../../kernel/db/record-table';
import type { Write } from '../../kernel/db/writes';
import { lockSelectedAccounts } from '../../kernel/ledger/accounts';
import { overdueIn } from '../../process/overdue';
import { hasStop } from '../../process/stops/operations';
import type { Card } from './record';

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

/**
 * Joined to each read of a card, not stored on it, so that stopping a tenant writes one row however many cards it has.
 */
const TENANT_STOPPED = hasStop('tenant', 'cards.tenant_id');

const cards = recordTable<Card>('cards', { initialAmount: decimal, issueFee: decimal }, [
  ...FIELDS,
  raw(`${TENANT_STOPPED} as tenant_stopped`),
]);

/** A new card lacks the fields that its life and the processor fill in later. */
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

/** Inserts a pending card. Postgres sets its times. */
export const insertCard = (tx: Sql, card: NewCard) =>
  cards.saved(tx, cards().insert(cards.row({ ...card, status: 'pending' })));

export type CardFilter = Partial<
  Pick<Card, 'userId' | 'accountId' | 'cardholderId' | 'bin' | 'currency'> & { status: string }
>;

/** Cards of any tenant by a text, newest first. */
export const foundCards = (sql: Sql, column: 'last4' | 'processorReference', text: string, limit: number) =>
  foundRecords(sql, { table: 'cards', column, text }, limit);

/** Newest first. */
export const listCards = (sql: Sql, reach: string | null, filter: CardFilter, page: IdPage) =>
  cards.all(
    sql,
    cards()
      .modify(filtered, { tenantId: reach, ...filter })
      .modify(newestFirst, page),
  );

/**
 * Copies the user's blocked status to their cards. The caller holds the user's row, so no card of theirs is being
 * issued.
 */
export async function setUserBlocked(tx: Sql, userId: string, blocked: boolean): Promise<void> {
  // Lock the cards by id, as everywhere. The update alone would lock them in any order, which could deadlock.
  await tx.run(cards().select('id').where({ userId }).orderBy('id').forNoKeyUpdate());
  await tx.run(cards().where({ userId }).whereNot({ userBlocked: blocked }).update({ userBlocked: blocked }));
}

/** Sets `limited`. The caller holds the cards' locks. `updated_at` stays, because clients cannot see this field. */
export async function setLimited(tx: Sql, cardIds: string[], limited: boolean): Promise<void> {
  await tx.run(cards().where(anyOf('id', cardIds)).whereNot({ limited }).update({ limited }));
}

/** Records the card's first buffer account. The caller holds the card's lock. */
export async function keepBufferAccount(tx: Sql, cardId: string, bufferAccountId: string): Promise<void> {
  await tx.run(cards().where({ id: cardId }).update({ bufferAccountId }));
}

/**
 * Records the reference of a card that failed here but was issued at the processor. Its network messages can then be
 * booked, and its balance returns to zero. `updated_at` stays, because the card is still failed for the client.
 */
export async function keepProcessorReference(tx: Sql, cardId: string, reference: string): Promise<void> {
  const failed = cards().where({ id: cardId, status: 'failed' }).whereNull('processorReference');
  await tx.run(failed.update({ processorReference: reference }));
}

/** Records the processor's confirmation. `updated_at` stays, because clients cannot see it. */
export async function confirmClosure(tx: Sql, cardId: string, at: Date): Promise<void> {
  await tx.run(
    cards().where({ id: cardId }).whereNull('processorClosedAt').update({ processorClosedAt: at }),
  );
}

/** Cards whose issuance or closure the processor has not confirmed. The condition matches a partial index. */
export const overdueCards = overdueIn<Pick<Card, 'id' | 'tenantId' | 'status'>>('cards', {
  columns: ['id', 'tenantId', 'status'],
  dueBy: 'updated_at',
  open: `status = 'pending' or (status in ('closing', 'closed') and processor_closed_at is null)`,
});

/** @param reach the tenant whose cards may be found, or null for every tenant's */
export const findCard = (sql: Sql, reach: string | null, id: string) =>
  cards.one(sql, cards().where({ id }).modify(filtered, { tenantId: reach }));

/** The ids of a user's cards, closed cards included. */
export async function cardIdsOfUser(sql: Sql, userId: string): Promise<string[]> {
  const found = await sql.run<Pick<Card, 'id'>>(cards().select('id').where({ userId }));
  return found.map(({ id }) => id);
}

/** A user's cards, closed cards included. */
export const cardsOfUser = (sql: Sql, userId: string) => cards.all(sql, cards().where({ userId }));

/** The owner of counted cards. */
type CardsOf = { cardholderId: string } | { userId: string } | { tenantId: string };

/** The number of cards that are neither closed nor failed. Open cards of a cardholder use up its capacity on the BIN. */
export async function countOpenCards(sql: Sql, of: CardsOf): Promise<number> {
  const [row] = await sql.run<{ count: string }>(
    cards().count('*').where(of).whereNotIn('status', ['closed', 'failed']),
  );
  return Number(row?.count ?? 0);
}

/**
 * A card that is neither closed nor failed and that the account funds or pays fees for; undefined when there is none.
 */
export async function findOpenCardOn(
  sql: Sql,
  accountId: string,
): Promise<Pick<Card, 'id' | 'status'> | undefined> {
  const on = (column: 'accountId' | 'masterAccountId') =>
    sql.run<Pick<Card, 'id' | 'status'>>(
      cards()
        .select('id', 'status')
        .where({ [column]: accountId })
        .whereNotIn('status', ['closed', 'failed'])
        .orderBy('id', 'desc')
        .limit(1),
    );
  const [[own], [withFees]] = await Promise.all([on('accountId'), on('masterAccountId')]);
  return own ?? withFees;
}

/** Redirects later money of an account's closed cards, because the account is closed. */
export async function redirectReturns(tx: Sql, accountId: string, returnsTo: string): Promise<void> {
  const theirs = () =>
    cards().where((either) => {
      void either.where((own) => void own.where({ accountId }).whereNull('returnsTo'));
      void either.orWhere({ returnsTo: accountId });
    });
  // Lock the cards by id, as everywhere. The update alone would lock them in any order, which could deadlock.
  await tx.run(theirs().select('id').orderBy('id').forNoKeyUpdate());
  await tx.run(theirs().update({ returnsTo }));
}

/** Locks cards in the order of their ids. Every change of a card or of its money takes this lock first. */
export async function lockCards(tx: Sql, ids: string[]): Promise<Map<string, Card>> {
  // Prepared, like the statements below, because every card event runs it.
  const rows = await tx.prepared(
    'cards-lock',
    `select ${columnsOf(FIELDS)}, ${TENANT_STOPPED} as "tenantStopped" from cards where id = any($1) order by id for no key update`,
    [ids],
  );
  return new Map(rows.map(cards.record).map((card) => [card.id, card]));
}

/**
 * Locks the ledger accounts of cards: their own, their buffers, their funding accounts and the accounts that pay their
 * fees. The caller holds the cards' locks, so the accounts that their rows name cannot change.
 */
export function lockCardAccounts(tx: Sql, cardIds: string[]) {
  const selection =
    'select unnest(array[id, buffer_account_id, account_id, master_account_id, returns_to]) from cards where id = any($1)';
  return lockSelectedAccounts(tx, 'ledger-lock-cards', selection, cardIds);
}

/** Writes the changes that card events make to cards. The caller holds the cards' locks. */
export function cardStatesWrite(changed: Card[]): Write | undefined {
  if (changed.length === 0) return undefined;
  const rows = changed.map((card) => ({
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
