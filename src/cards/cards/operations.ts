import type { Call, Caller } from '../../kernel/caller';
import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { isId } from '../../kernel/ids';
import type { Card } from './record';
import { findCard, lockCards, setUserBlocked } from './store';

export {
  cardIdsOfUser,
  cardStatesWrite,
  cardsOfUser,
  confirmClosure,
  countOpenCards,
  findCard,
  findOpenCardOn,
  foundCards,
  insertCard,
  keepBufferAccount,
  keepProcessorReference,
  listCards,
  lockCardAccounts,
  lockCards,
  overdueCards,
  redirectReturns,
  setLimited,
} from './store';
export { endTokenization, findTokenization } from './tokenization-store';

/**
 * SQL for the `id` and `tenant_id` of the cards that have this reference at the processor. The result has two rows when
 * the reference is ambiguous. Callers embed the statement in a larger one.
 */
export const cardsOfProcessor = (reference: string): string =>
  `select id, tenant_id from cards where processor_reference = ${reference} limit 2`;

/** The part of a call that card operations need: its reach over tenants, and the key that its webhooks carry. */
export type CardCall = Pick<Call, 'idempotencyKey'> & { caller: Pick<Caller, 'reach'> };

/** @param field the body field that held the id, for the error @throws Problem 404 */
export async function requireCard(sql: Sql, reach: string | null, id: string, field?: string): Promise<Card> {
  const card = isId('card', id) ? await findCard(sql, reach, id) : undefined;
  if (!card) throw notFound('card', field);
  return card;
}

/** A card as an account, for its statement. */
export const cardAccount = async (
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<Pick<Card, 'id' | 'tenantId' | 'currency'> | undefined> =>
  isId('card', id) ? findCard(sql, reach, id) : undefined;

/** Locks a card of any tenant until the end of the transaction. */
export const lockCard = async (tx: Tx, id: string): Promise<Card | undefined> =>
  isId('card', id) ? (await lockCards(tx, [id])).get(id) : undefined;

/** Locks a card of any tenant until the end of the transaction. @throws Problem 404 */
export async function requireLockedCard(tx: Tx, id: string): Promise<Card> {
  const card = await lockCard(tx, id);
  if (!card) throw notFound('card');
  return card;
}

/** Copies the user's blocked status to their cards, in the transaction that changes the user. */
export async function blockCardsOf(tx: Tx, userId: string, blocked: boolean): Promise<void> {
  await setUserBlocked(tx, userId, blocked);
}
