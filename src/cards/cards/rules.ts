import { conflict, type Problem } from '../../kernel/errors';
import {
  CARD_TRANSITIONS,
  type Card,
  type CardStatus,
  type CardTrigger,
  FREEZE_REASONS,
  type FreezeReason,
} from './record';

/** Where a trigger leads from a status; nothing when it does not. */
export function nextStatus(from: CardStatus, on: CardTrigger): CardStatus | undefined {
  return CARD_TRANSITIONS.find((row) => row.from === from && row.on === on)?.to;
}

/** Its holder has closed it, whatever the processor has confirmed. */
export function isClosed(status: CardStatus): boolean {
  return status === 'closed' || status === 'closing';
}

/** A card can be funded, and withdrawn from, while it lives: freezing stops spending only. */
export function isFundable(status: CardStatus): boolean {
  return status === 'active' || status === 'frozen';
}

/** The reasons of a freeze, in a fixed order and without doubles. */
export function withReason(reasons: FreezeReason[], reason: FreezeReason): FreezeReason[] {
  return FREEZE_REASONS.filter((each) => each === reason || reasons.includes(each));
}

/** Why a card cannot be used, funded or frozen just now. */
export function notUsable(card: Card): Problem {
  return isClosed(card.status)
    ? conflict('card_closed', 'The card is closed.')
    : conflict('card_not_active', `The card is ${card.status}.`);
}

/** @throws Problem 409 `card_not_active` before it is issued or when it never was, `card_closed` after its end */
export function assertLive(card: Card): void {
  if (isClosed(card.status)) throw conflict('card_closed', 'The card is closed.');
  if (card.status === 'pending' || card.status === 'failed') {
    throw conflict('card_not_active', 'The card has not been issued.');
  }
}

/** @throws Problem 409 as `assertLive`, and `card_not_active` while it is frozen */
export function assertActive(card: Card): void {
  assertLive(card);
  if (card.status !== 'active') throw conflict('card_not_active', 'The card is frozen.');
}
