import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { BankCreditWord } from './word';

/** A callback; `ref` is the bank's name for the payment to look at. */
export interface BankCallback extends PartyCallback {
  creditId: string;
}

/** What is to go back to a payer, in the credit's currency. */
export interface BankReturn {
  /** Ours: asking again with the same key orders nothing more. */
  key: string;
  creditId: string;
  amount: Decimal;
}

/**
 * The bank that keeps the money behind the virtual IBANs.
 * @throws PartyAway it cannot be asked just now
 */
export interface Bank {
  /** @param creditId the bank's name for it */
  ask(creditId: string): Promise<BankCreditWord | 'unknown_to_party'>;
  /**
   * Orders that a payment, or a part of it, goes back to its payer; what becomes of that stands in the credit's `returns`.
   * @throws PartyRefused it will never do it; PartyAway the outcome is not known: the same again
   */
  giveBack(order: BankReturn): Promise<void>;
  /** Also of what it has received for us: so it is found without a callback. */
  changes: ReadChanges;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): BankCallback | undefined;
}
