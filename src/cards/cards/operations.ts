import type { Call, Caller } from '../../kernel/caller';
import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { isId } from '../../kernel/ids';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { type Card, findCard } from '../events/card';
import { recordCardEvent } from '../events/operations';
import type { CardServices } from '../services';
import { startClosure } from './processes';
import { setUserBlocked } from './store';

/** Whose card may be meant, and the key that travels to its webhooks. */
export type Asked = Pick<Call, 'idempotencyKey'> & { caller: Pick<Caller, 'reach'> };

/** @throws Problem 404, naming the field when the id came in the body */
export async function requireCard(sql: Sql, reach: string | null, id: string, field?: string): Promise<Card> {
  const card = isId('card', id) ? await findCard(sql, reach, id) : undefined;
  if (!card) throw notFound('card', field);
  return card;
}

/**
 * Closes a card for its holder at once: what is left returns to its account. The processor is told by a process of its
 * own until it confirms. A closed card stays closed.
 * @throws Problem 404, 409 `card_not_active` while it is pending or when it failed
 */
export async function closeCard(services: CardServices, tx: Tx, id: string, asked: Asked): Promise<Card> {
  const message = { type: 'close', cardId: id, ...fromWhom(asked) } as const;
  const { card, transaction } = await recordCardEvent(tx, services, message);
  if (transaction) await services.commands.append(tx, [startClosure(card)]);
  return card;
}

/** The holder's own freeze: a card may be frozen for other reasons too. @throws Problem 404, 409 as `closeCard` */
export async function freezeCard(
  services: CardServices,
  tx: Tx,
  type: 'freeze' | 'unfreeze',
  id: string,
  asked: Asked,
): Promise<Card> {
  const message = { type, cardId: id, reason: 'manual', ...fromWhom(asked) } as const;
  return (await recordCardEvent(tx, services, message)).card;
}

/**
 * Moves money between a card and its account, at once.
 * @throws Problem 404, 400 for too many decimals, 409 `insufficient_funds`, `user_blocked` (top-up), as `closeCard`
 */
export async function fundCard(
  services: CardServices,
  tx: Tx,
  type: 'topup' | 'withdraw',
  id: string,
  amount: Decimal,
  asked: Asked,
) {
  const card = await requireCard(tx, asked.caller.reach, id);
  assertFits(amount, card.currency);
  const message = { type, cardId: id, amount, ...fromWhom(asked) } as const;
  const { transaction } = await recordCardEvent(tx, services, message);
  if (!transaction) throw new Error(`${type} left no transaction`);
  return transaction;
}

/** Keeps what a card knows of its user's status; in the transaction that changes it. */
export async function blockCardsOf(tx: Tx, userId: string, blocked: boolean): Promise<void> {
  await setUserBlocked(tx, userId, blocked);
}

function fromWhom({ caller, idempotencyKey }: Asked) {
  return { reach: caller.reach, idempotencyKey: idempotencyKey ?? null };
}
