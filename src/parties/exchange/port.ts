import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { ExchangeOrderWord, ExchangeWithdrawalWord } from './word';

/** What the party is to deal. */
export interface ExchangeOrder {
  /** Ours: asking again with the same key gives the first order's state and never a second deal. */
  key: string;
  from: string;
  to: string;
  /** Of `from`: what is to be sold at most. */
  amount: Decimal;
  /** Of `to`: with it the order is dealt whole and for this at least, or not at all. */
  minReceive?: Decimal;
  /** Where the party tells that the order has moved. */
  callbackUrl: string;
}

/**
 * Where fiat may be withdrawn to: a bank account. Personal data: sealed at rest, masked in answers, never in a log, a history,
 * an event or an error.
 */
export interface BankDestination {
  name: string;
  /** Without spaces, in capitals. */
  iban?: string;
  bic?: string;
  accountNumber?: string;
  country?: string;
}

/** What the party is to pay out of our balance there. */
export interface ExchangeWithdrawalOrder {
  /** As of an order. */
  key: string;
  amount: Decimal;
  currency: string;
  destination: BankDestination;
  callbackUrl: string;
}

/** What the party says that it holds of ours, settled, by currency; below zero where we owe it. */
export interface SettlementReading {
  /** The party's time of it. */
  asOf: Date;
  /** A currency that is not among them is zero. */
  balances: readonly { currency: string; amount: Decimal }[];
}

/** A callback; `ref` is the key of what it is about. */
export interface ExchangeCallback extends PartyCallback {
  key: string;
}

/** The outside party that exchanges currencies, holds what it owes us, and pays it out. */
export interface ExchangeParty {
  /**
   * Orders a deal: its whole state at once, or the state of the first order under that key.
   * @throws PartyRefused it will never deal it; PartyAway the outcome is not known: the same again
   */
  order(order: ExchangeOrder): Promise<ExchangeOrderWord>;
  /** @throws PartyAway nothing is known just now */
  askOrder(key: string): Promise<ExchangeOrderWord | 'unknown_to_party'>;
  /** Orders a withdrawal, in the same way. @throws PartyRefused; PartyAway */
  withdraw(order: ExchangeWithdrawalOrder): Promise<ExchangeWithdrawalWord>;
  /** @throws PartyAway nothing is known just now */
  askWithdrawal(key: string): Promise<ExchangeWithdrawalWord | 'unknown_to_party'>;
  /** @throws PartyAway nothing is known just now */
  balances(): Promise<SettlementReading>;
  /** Of orders and withdrawals, by their keys. */
  changes: ReadChanges;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): ExchangeCallback | undefined;
}
