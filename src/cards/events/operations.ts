import type { Tx } from '../../kernel/db/database';
import { writeWithCommit } from '../../kernel/db/writes';
import type { Decimal } from '../../kernel/money/money';
import { tellWhenCommitted, type WebhookEvent } from '../../kernel/outbox/events';
import { assertFits } from '../../kernel/wire/schemas';
import { endStop, forgetStop, noteStop } from '../../process/stops/operations';
import type { Stopping } from '../../process/stops/record';
import { type CardCall, requireCard, requireLockedCard } from '../cards/operations';
import type { Card, FreezeReason } from '../cards/record';
import { startClosure } from '../cards/workflows';
import type { CardServices } from '../services';
import { type CardEventDeps, countWhenCommitted, loadBoard, recordWrites } from './load-board';
import type { Message } from './record';
import { type Judgement, judge } from './rules/judge';

/**
 * Records one event of a card in the caller's transaction: locks the card and its accounts, judges, posts and appends
 * the webhook events.
 * @returns the card, and the event unless it had no effect
 * @throws Problem 404 for a card out of reach, 409 by the rules; nothing has been written then
 */
export async function recordCardEvent(tx: Tx, deps: CardEventDeps, message: Message): Promise<Recorded> {
  const board = await loadBoard(tx, deps, [message]);
  const judgement = judge(board, message);
  tellWhenCommitted(tx);
  countWhenCommitted(tx, deps, board);
  writeWithCommit(tx, [...recordWrites(board), board.book.written()]);
  return { ...judgement, told: board.outcome().events };
}

/** The outcome of a message: the requested event, and all webhook events. */
export interface Recorded extends Judgement {
  told: readonly WebhookEvent[];
}

/**
 * Closes a card at once. Its balance returns to its account. A workflow asks the processor to close it until the
 * processor confirms. A closed card never reopens.
 * @throws Problem 404, 409 `card_not_active` for a pending or failed card
 */
export async function closeCard(services: CardServices, tx: Tx, id: string, call: CardCall): Promise<Card> {
  const message = { type: 'close', cardId: id, ...reachAndKey(call) } as const;
  const { card, transaction } = await recordCardEvent(tx, services, message);
  if (transaction) {
    services.commands.append(tx, [startClosure(card)]);
    await forgetStop(tx, 'card', id);
  }
  return card;
}

/**
 * Adds or removes the client's freeze reason. The card may be frozen for other reasons too.
 * @throws Problem 404, 409 as `closeCard`, `invalid_transition` for removing `insufficient_funds` below zero
 */
export async function freezeCard(
  services: CardServices,
  tx: Tx,
  type: 'freeze' | 'unfreeze',
  id: string,
  call: CardCall,
  reason: Extract<FreezeReason, 'manual' | 'insufficient_funds'> = 'manual',
): Promise<Card> {
  const message = { type, cardId: id, reason, ...reachAndKey(call) } as const;
  return (await recordCardEvent(tx, services, message)).card;
}

/**
 * Adds or removes the operator's freeze reason `risk`. Other reasons are independent, and a client's unfreeze removes
 * only the client's reason.
 * @throws Problem 404, 409 as `closeCard`, `invalid_transition` when the card already has the reason, or has it not
 */
export async function freezeForRisk(
  tx: Tx,
  deps: CardEventDeps,
  type: 'freeze' | 'unfreeze',
  id: string,
  stopping: Stopping,
): Promise<{ before: FreezeReason[]; card: Card }> {
  const { freezeReasons: before } = await requireLockedCard(tx, id);
  const { card } = await recordCardEvent(tx, deps, { type, cardId: id, reason: 'risk', reach: null });
  if (type === 'freeze')
    await noteStop(tx, { kind: 'card', subject: id, tenantId: card.tenantId, ...stopping });
  else await endStop(tx, 'card', id);
  return { before, card };
}

/**
 * Moves money between a card and its account at once.
 * @throws Problem 404, 400 for too many decimals, 409 `insufficient_funds`, `user_blocked` (top-up), as `closeCard`
 */
export async function fundCard(
  services: CardServices,
  tx: Tx,
  type: 'topup' | 'withdraw',
  id: string,
  amount: Decimal,
  call: CardCall,
) {
  const card = await requireCard(tx, call.caller.reach, id);
  assertFits(amount, card.currency);
  const message = { type, cardId: id, amount, ...reachAndKey(call) } as const;
  const { transaction } = await recordCardEvent(tx, services, message);
  if (!transaction) throw new Error(`${type} recorded no transaction`);
  return transaction;
}

function reachAndKey({ caller, idempotencyKey }: CardCall) {
  return { reach: caller.reach, idempotencyKey: idempotencyKey ?? null };
}
