import { newId } from '../ids';
import { type Decimal, ZERO } from '../money/money';
import { PARTY_ACCOUNTS, type SettledParty } from '../parties';
import {
  ACCOUNT_EFFECTS,
  type AccountEffect,
  CARD_EFFECTS,
  type CardTransactionType,
  type Effect,
  HOLD_EFFECTS,
  type HoldEffect,
} from './effects';

export interface Balances {
  available: Decimal;
  pending: Decimal;
  /** Cards only: settled amounts less refunds. */
  spent: Decimal;
}

/** A line of a posting: the change of one account. Amounts are in the account's currency. */
export interface Entry {
  account: string;
  type: string;
  subtype?: string | undefined;
  reference: string;
  /** Public id of the account transaction or card transaction. */
  id?: string | undefined;
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
  /** Whether the account's owner sees the entry: in the history and as an `account_transaction`. */
  listed: boolean;
}

/** A posted entry. Entries of internal accounts have neither `number` nor `balance`. */
export interface PostedEntry extends Entry {
  at: Date;
  number?: number | undefined;
  balance?: Balances | undefined;
}

/** Entries that are posted together or not at all. Per currency, available + pending sums to zero. */
export interface Posting {
  entries: Entry[];
  /** Allows a balance below zero: a forced authorization, a decline fee, a chargeback, the funding of a negative card. */
  forced?: boolean;
}

/** Counterparts of client money, one account of each per currency. */
export const INTERNAL_ACCOUNTS = [
  'funding', // money that an operator booked in from or out to the outside
  'fees',
  'fx_position',
  'suspense', // money without a matching record
  'treasury',
  'losses', // money that an operator wrote off
  ...Object.values<(typeof PARTY_ACCOUNTS)[SettledParty]>(PARTY_ACCOUNTS),
] as const;

/**
 * Accounts of a chain, one of each per chain and asset (`pool@local:USDT`). In order: deposits that still stand on pool
 * addresses, swept money, gas at stations, and gas that was spent.
 */
export type ChainAccount = `${(typeof CHAIN_ACCOUNTS)[number]}@${string}`;

export const CHAIN_ACCOUNTS = ['pool', 'treasury', 'station', 'gas'] as const;

/** Internal account of a party: the party's own, or one of a chain. */
export type PartyAccount = (typeof PARTY_ACCOUNTS)[SettledParty] | ChainAccount;

export type InternalAccount = (typeof INTERNAL_ACCOUNTS)[number] | ChainAccount;

/** The chain in an account's name. Undefined for an account of no chain. */
export function chainOfAccount(name: string): string | undefined {
  const [account = '', chain] = name.split('@');
  return (CHAIN_ACCOUNTS as readonly string[]).includes(account) ? chain : undefined;
}

export const isChainAccount = (name: string): name is ChainAccount => chainOfAccount(name) !== undefined;

export function internalAccountId(name: InternalAccount, currency: string): string {
  return `${name}:${currency}`;
}

type Named = Pick<Entry, 'account' | 'type' | 'subtype' | 'reference' | 'id' | 'listed'>;

// One object shape for all entries, field by field, because the hot path creates several per event.
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

/** An entry of a card event on the card's account. */
export function cardEntry(
  card: string,
  type: CardTransactionType,
  amount: Decimal,
  reference: string,
  id: string,
): Entry {
  return entryOf({ account: card, type, reference, id, listed: false }, CARD_EFFECTS[type], amount);
}

/** An entry of an account transaction, which gets a line in the account's history and an event. */
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

/** An entry of a hold or of its release. */
export function holdEntry(account: string, name: HoldEffect, amount: Decimal, reference: string): Entry {
  const [type, subtype] = name.split('/') as [string, string];
  return entryOf({ account, type, subtype, reference, listed: false }, HOLD_EFFECTS[name], amount);
}

const RECEIVED: Effect = { available: 1, pending: 0, spent: 0 };

/** An entry of a card's buffer: `amount` is received, a negative amount is given. No history shows it. */
export function bufferEntry(account: string, amount: Decimal, reference: string): Entry {
  return entryOf({ account, type: 'buffer', reference, listed: false }, RECEIVED, amount);
}

/** The counterpart entry on an internal account: `amount` is received, a negative amount is given. */
export function internalEntry(
  name: InternalAccount,
  currency: string,
  amount: Decimal,
  reference: string,
): Entry {
  const account = internalAccountId(name, currency);
  return entryOf({ account, type: 'internal', reference, listed: false }, RECEIVED, amount);
}

/** Amount of an event from its entry, never negative. */
export function amountOf(entry: Pick<Entry, 'available' | 'pending'>): Decimal {
  return entry.available.isZero() ? entry.pending.abs() : entry.available.abs();
}
