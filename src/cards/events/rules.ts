import type { CardStatus, FreezeReason } from './card';

/** The life of a card. No status is assigned but by a row of this table. */
export const CARD_TRANSITIONS = [
  { from: 'pending', on: 'issue', to: 'active' },
  { from: 'pending', on: 'issue_failed', to: 'failed' },
  { from: 'active', on: 'freeze', to: 'frozen' },
  { from: 'frozen', on: 'unfreeze', to: 'active' },
  { from: 'active', on: 'close', to: 'closed' },
  { from: 'frozen', on: 'close', to: 'closed' },
] as const satisfies { from: CardStatus; on: string; to: CardStatus }[];

export type CardTrigger = (typeof CARD_TRANSITIONS)[number]['on'];

/** Where a trigger leads from a status; nothing when it does not. */
export function nextStatus(from: CardStatus, on: CardTrigger): CardStatus | undefined {
  return CARD_TRANSITIONS.find((row) => row.from === from && row.on === on)?.to;
}

/** A card can be funded, and withdrawn from, while it lives: freezing stops spending only. */
export function isFundable(status: CardStatus): boolean {
  return status === 'active' || status === 'frozen';
}

/** The reasons of a freeze, in a fixed order and without doubles. */
const ORDER: FreezeReason[] = ['manual', 'insufficient_funds', 'risk', 'provider'];
export function withReason(reasons: FreezeReason[], reason: FreezeReason): FreezeReason[] {
  return ORDER.filter((each) => each === reason || reasons.includes(each));
}
