import { newId } from '../ids';
import { type Decimal, ZERO } from '../money/money';
import {
  ACCOUNT_EFFECTS,
  type AccountEffect,
  CARD_EFFECTS,
  type CardTransactionType,
  type Effect,
  HOLD_EFFECTS,
  type HoldEffect,
} from './effects';
import { PARTY_ACCOUNTS, type SettledParty } from './party-accounts';

export interface Balances {
  available: Decimal;
  pending: Decimal;
  /** Cards only: what was settled less what was refunded. */
  spent: Decimal;
}

/** One line of a posting: what an event changes on one account. Amounts are in the account's currency. */
export interface Entry {
  account: string;
  type: string;
  subtype?: string | undefined;
  reference: string;
  /** The public id of the account transaction or card transaction that this entry is. */
  id?: string | undefined;
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
  /** Whether the account's owner sees it: in its history, and as an `account_transaction`. */
  listed: boolean;
}

/** An entry as it was posted. `number` and `balance` are absent on internal accounts. */
export interface PostedEntry extends Entry {
  at: Date;
  number?: number | undefined;
  balance?: Balances | undefined;
}

/** Entries that are posted together or not at all; available + pending sums to zero per currency. */
export interface Posting {
  entries: Entry[];
  /** May leave an account below zero: a forced authorization, a decline fee, a chargeback, a negative card's funding. */
  forced?: boolean;
}

/** The counterparts of client money, one account of each per currency. */
export const INTERNAL_ACCOUNTS = [
  'funding', // money that came from, or left to, the outside by an operator's hand
  'fees',
  'fx_position',
  'suspense', // money that could not be matched
  'treasury',
  'losses', // written off by an operator
  ...Object.values<(typeof PARTY_ACCOUNTS)[SettledParty]>(PARTY_ACCOUNTS),
] as const;

/**
 * What stands on a chain, one of each per chain and asset (`pool@local:USDT`): what clients' deposits have left on the addresses of
 * the pool, what was swept, what pays for gas, and what was paid for gas.
 */
export type ChainAccount = `${(typeof CHAIN_ACCOUNTS)[number]}@${string}`;

export const CHAIN_ACCOUNTS = ['pool', 'treasury', 'station', 'gas'] as const;

/** The account of a party: its own, or one of a chain. */
export type PartyAccount = (typeof PARTY_ACCOUNTS)[SettledParty] | ChainAccount;

export type InternalAccount = (typeof INTERNAL_ACCOUNTS)[number] | ChainAccount;

/** The chain of an account's name; nothing for one that is no chain's. */
export function chainOfAccount(name: string): string | undefined {
  const [account = '', chain] = name.split('@');
  return (CHAIN_ACCOUNTS as readonly string[]).includes(account) ? chain : undefined;
}

export const isChainAccount = (name: string): name is ChainAccount => chainOfAccount(name) !== undefined;

export function internalAccountId(name: InternalAccount, currency: string): string {
  return `${name}:${currency}`;
}

type Named = Pick<Entry, 'account' | 'type' | 'subtype' | 'reference' | 'id' | 'listed'>;

// One shape for all entries, field by field: the hot path makes several for each event.
function entryOf(named: Named, effect: Effect, amount: Decimal): Entry {
  return {
    account: named.account,
    type: named.type,
    subtype: named.subtype,
    reference: named.reference,
    id: named.id,
    available: scaled(amount, effect.available),
    pending: scaled(amount, effect.pending),
    spent: scaled(amount, effect.spent),
    listed: named.listed,
  };
}

function scaled(amount: Decimal, factor: Effect['available']): Decimal {
  if (factor === 0) return ZERO;
  return factor === 1 ? amount : amount.negated();
}

/** What a card event does to the card's balances. */
export function cardEntry(
  card: string,
  type: CardTransactionType,
  amount: Decimal,
  reference: string,
  id: string,
): Entry {
  return entryOf({ account: card, type, reference, id, listed: false }, CARD_EFFECTS[type], amount);
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
  return entryOf({ account, type, subtype, reference, id, listed: true }, ACCOUNT_EFFECTS[name], amount);
}

/** A hold or its release. */
export function holdEntry(account: string, name: HoldEffect, amount: Decimal, reference: string): Entry {
  const [type, subtype] = name.split('/') as [string, string];
  return entryOf({ account, type, subtype, reference, listed: false }, HOLD_EFFECTS[name], amount);
}

const RECEIVED: Effect = { available: 1, pending: 0, spent: 0 };

/** What a card's buffer receives (negative: gives); nobody's history shows it. */
export function bufferEntry(account: string, amount: Decimal, reference: string): Entry {
  return entryOf({ account, type: 'buffer', reference, listed: false }, RECEIVED, amount);
}

/** The other side, on an internal account: `amount` is what it receives (negative: what it gives). */
export function internalEntry(
  name: InternalAccount,
  currency: string,
  amount: Decimal,
  reference: string,
): Entry {
  const account = internalAccountId(name, currency);
  return entryOf({ account, type: 'internal', reference, listed: false }, RECEIVED, amount);
}

/** The amount of an event, never negative, from what it did to the balances. */
export function amountOf(entry: Pick<Entry, 'available' | 'pending'>): Decimal {
  return entry.available.isZero() ? entry.pending.abs() : entry.available.abs();
}
