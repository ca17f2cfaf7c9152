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
  insertCard,
  keepBufferAccount,
  keepProcessorReference,
  lockCardAccounts,
  lockCards,
  overdueCards,
  redirectReturns,
  setLimited,
} from './store';
export { endTokenization, findTokenization } from './tokenization-store';

/**
 * The cards that the card processor calls so: `id` and `tenant_id` of one, or of two where the name is no card's alone. SQL,
 * for whoever asks for more with it.
 */
export const cardsOfProcessor = (reference: string): string =>
  `select id, tenant_id from cards where processor_reference = ${reference} limit 2`;

/** What a card's operations need of a call: whose cards it reaches, and the key that travels to its webhooks. */
export type CardCall = Pick<Call, 'idempotencyKey'> & { caller: Pick<Caller, 'reach'> };

/** @throws Problem 404, naming the field when the id came in the body */
export async function requireCard(sql: Sql, reach: string | null, id: string, field?: string): Promise<Card> {
  const card = isId('card', id) ? await findCard(sql, reach, id) : undefined;
  if (!card) throw notFound('card', field);
  return card;
}

/** The card, whoever's it is, held to the end of the transaction. */
export const lockCard = async (tx: Tx, id: string): Promise<Card | undefined> =>
  isId('card', id) ? (await lockCards(tx, [id])).get(id) : undefined;

/** The same. @throws Problem 404 */
export async function requireLockedCard(tx: Tx, id: string): Promise<Card> {
  const card = await lockCard(tx, id);
  if (!card) throw notFound('card');
  return card;
}

/** Keeps what a card knows of its user's status; in the transaction that changes it. */
export async function blockCardsOf(tx: Tx, userId: string, blocked: boolean): Promise<void> {
  await setUserBlocked(tx, userId, blocked);
}
