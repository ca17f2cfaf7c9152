import { newId } from '../ids';
import { type Decimal, ZERO } from '../money/money';
import type { Balances } from './accounts';
import {
  ACCOUNT_EFFECTS,
  type AccountEffect,
  CARD_EFFECTS,
  type CardTransactionType,
  type Effect,
  HOLD_EFFECTS,
  type HoldEffect,
} from './effects';

/** One line of a posting: what an event changes on one account. Amounts are in the account's currency. */
export interface Entry {
  account: string;
  type: string;
  subtype?: string;
  reference: string;
  /** The public id of the account transaction or card transaction that this entry is. */
  id?: string;
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
  /** Whether the account's owner sees it: in its history, and as an `account_transaction`. */
  listed: boolean;
}

/** An entry as it was posted. `number` and `balance` are absent on internal accounts. */
export interface PostedEntry extends Entry {
  at: Date;
  number?: number;
  balance?: Balances;
}

/** Entries that are posted together or not at all; available + pending sums to zero per currency. */
export interface Posting {
  entries: Entry[];
  /** May leave an account below zero: a forced authorization, a decline fee, a chargeback, a negative card's funding. */
  forced?: boolean;
}

/** The counterparts of client money, one account of each per currency. */
export const INTERNAL_ACCOUNTS = [
  'funding', // money that came from, or left to, the outside by an operator's word
  'card_network', // settlement with the card schemes
  'fees',
  'fx_position',
  'suspense', // money that could not be matched
  'deposits', // settled by a checkout provider
  'payouts',
  'treasury',
] as const;

export type InternalAccount = (typeof INTERNAL_ACCOUNTS)[number];

export function internalAccountId(name: InternalAccount, currency: string): string {
  return `${name}:${currency}`;
}

function scaled(effect: Effect, amount: Decimal): Pick<Entry, 'available' | 'pending' | 'spent'> {
  return {
    available: amount.times(effect.available),
    pending: amount.times(effect.pending),
    spent: amount.times(effect.spent),
  };
}

/** What a card event does to the card's balances. */
export function cardEntry(
  card: string,
  type: CardTransactionType,
  amount: Decimal,
  reference: string,
  id: string,
): Entry {
  return { account: card, type, reference, id, listed: false, ...scaled(CARD_EFFECTS[type], amount) };
}

/** What an account transaction does to an account; it becomes a line of its history and an event. */
export function accountEntry(
  account: string,
  name: AccountEffect,
  amount: Decimal,
  reference: string,
): Entry {
  const [type, subtype] = name.split('/') as [string, string];
  const id = newId('accountTransaction');
  return { account, type, subtype, reference, id, listed: true, ...scaled(ACCOUNT_EFFECTS[name], amount) };
}

/** A hold or its release. */
export function holdEntry(account: string, name: HoldEffect, amount: Decimal, reference: string): Entry {
  const [type, subtype] = name.split('/') as [string, string];
  return { account, type, subtype, reference, listed: false, ...scaled(HOLD_EFFECTS[name], amount) };
}

/** The other side, on an internal account: `amount` is what it receives (negative: what it gives). */
export function internalEntry(
  name: InternalAccount,
  currency: string,
  amount: Decimal,
  reference: string,
): Entry {
  const account = internalAccountId(name, currency);
  return {
    account,
    type: 'internal',
    reference,
    listed: false,
    available: amount,
    pending: ZERO,
    spent: ZERO,
  };
}

/** The amount of an event, never negative, from what it did to the balances. */
export function amountOf(entry: Pick<Entry, 'available' | 'pending'>): Decimal {
  return entry.available.isZero() ? entry.pending.abs() : entry.available.abs();
}
