import { conflict, type Problem } from '../../kernel/errors';
import {
  CARD_TRANSITIONS,
  type Card,
  type CardStatus,
  type CardTrigger,
  FREEZE_REASONS,
  type FreezeReason,
} from './record';

/** The status that a trigger leads to; undefined when the table has no such row. */
export function nextStatus(from: CardStatus, on: CardTrigger): CardStatus | undefined {
  return CARD_TRANSITIONS.find((row) => row.from === from && row.on === on)?.to;
}

/** Whether the card is closed for the client. The processor may still have to confirm. */
export function isClosed(status: CardStatus): boolean {
  return status === 'closed' || status === 'closing';
}

/** Whether a card can be funded and withdrawn from. A freeze stops spending only. */
export function isFundable(status: CardStatus): boolean {
  return status === 'active' || status === 'frozen';
}

/** Adds a reason, without duplicates and in the order of `FREEZE_REASONS`. */
export function withReason(reasons: FreezeReason[], reason: FreezeReason): FreezeReason[] {
  return FREEZE_REASONS.filter((each) => each === reason || reasons.includes(each));
}

/** The error for a card that cannot be used, funded or frozen. */
export function notUsable(card: Card): Problem {
  return isClosed(card.status)
    ? conflict('card_closed', 'The card is closed.')
    : conflict('card_not_active', `The card is ${card.status}.`);
}

/** @throws Problem 409 `card_not_active` for a pending or failed card, `card_closed` for a closing or closed card */
export function assertLive(card: Card): void {
  if (isClosed(card.status)) throw conflict('card_closed', 'The card is closed.');
  if (card.status === 'pending' || card.status === 'failed') {
    throw conflict('card_not_active', 'The card has not been issued.');
  }
}

/** @throws Problem 409 as `assertLive`, and `card_not_active` while the card is frozen */
export function assertActive(card: Card): void {
  assertLive(card);
  if (card.status !== 'active') throw conflict('card_not_active', 'The card is frozen.');
}
