import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { BankCreditWord, BankRemitter } from './word';

/** A callback of the bank. `ref` is the bank's id of the payment that has changed. */
export interface BankCallback extends PartyCallback {
  creditId: string;
}

/** An order to return money to a payer, in the credit's currency. */
export interface BankReturn {
  /** Idempotency key, made by us. */
  key: string;
  creditId: string;
  amount: Decimal;
}

/** The bank’s answer about a received payment. */
export interface BankCreditReport {
  word: BankCreditWord;
  /** Absent when the bank does not name the payer. */
  remitter?: BankRemitter | undefined;
}

/**
 * The bank that holds the money behind the virtual IBANs.
 * @throws PartyAway the bank cannot be reached now
 */
export interface Bank {
  /** Reads the state of a received payment. @param creditId the bank's id of the payment */
  ask(creditId: string): Promise<BankCreditReport | 'unknown_to_party'>;
  /**
   * Orders the return of a payment, or of a part. The result appears in the credit's `returns`.
   * @throws PartyRefused the bank has refused for good; PartyAway the outcome is unknown: repeat the order
   */
  giveBack(order: BankReturn): Promise<void>;
  /** Lists received payments as well, so that a payment is found without a callback. */
  changes: ReadChanges;
  /** Undefined when the signature is wrong or too old, or when the message is not a bank callback. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): BankCallback | undefined;
}
