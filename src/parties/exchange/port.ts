import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { ReadBalances } from '../protocol/balances';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { ExchangeOrderWord, ExchangeWithdrawalWord } from './word';

/** An order to exchange one currency for another. */
export interface ExchangeOrder {
  /** Idempotency key of ours: a repeat returns the state of the first order. */
  key: string;
  from: string;
  to: string;
  /** The most to sell, in `from`. */
  amount: Decimal;
  /** The least to receive, in `to`. With it the order is executed whole or not at all. */
  minReceive?: Decimal;
  /** Where the party reports that the order has changed. */
  callbackUrl: string;
}

/**
 * A bank account for a withdrawal of fiat. Personal data: sealed at rest, masked in answers, and never in a log,
 * history, event or error.
 */
export interface BankDestination {
  name: string;
  /** Without spaces, in capitals. */
  iban?: string;
  bic?: string;
  accountNumber?: string;
  country?: string;
}

/** An order to pay out of our balance at the exchange. */
export interface ExchangeWithdrawalOrder {
  /** Idempotency key of ours. */
  key: string;
  amount: Decimal;
  currency: string;
  destination: BankDestination;
  callbackUrl: string;
}

/** A callback. `ref` is the key of the order or withdrawal that has changed. */
export interface ExchangeCallback extends PartyCallback {
  key: string;
}

/** The outside party that exchanges currencies, holds our balances, and pays them out. */
export interface ExchangeParty {
  /**
   * Orders an exchange, idempotent by its key.
   * @returns the order's whole state
   * @throws PartyRefused the party has refused for good; PartyAway the outcome is unknown: repeat the order
   */
  order(order: ExchangeOrder): Promise<ExchangeOrderWord>;
  /** @throws PartyAway the state is unknown now */
  askOrder(key: string): Promise<ExchangeOrderWord | 'unknown_to_party'>;
  /** Orders a withdrawal, idempotent by its key. @throws PartyRefused; PartyAway */
  withdraw(order: ExchangeWithdrawalOrder): Promise<ExchangeWithdrawalWord>;
  /** @throws PartyAway the state is unknown now */
  askWithdrawal(key: string): Promise<ExchangeWithdrawalWord | 'unknown_to_party'>;
  /** @throws PartyAway the balances are unknown now */
  balances: ReadBalances;
  /** Lists orders and withdrawals by their keys. */
  changes: ReadChanges;
  /** Undefined when the signature is wrong or too old, or when the message is not such a callback. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): ExchangeCallback | undefined;
}
