import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';

/** A payment that the bank has received for an IBAN of the range that it has given us. */
export interface BankCredit {
  /** The bank's name for it: one payment, one name. */
  id: string;
  iban: string;
  amount: Decimal;
  currency: string;
}

/** A callback says no more than which payment to look at. */
export interface BankCallback {
  /** The bank's name for the message: the same when it comes again. */
  externalId: string;
  creditId: string;
}

/**
 * The bank that keeps the money behind the virtual IBANs.
 * @throws PartyAway it cannot be asked just now
 */
export interface Bank {
  credit(id: string): Promise<BankCredit | 'unknown_to_party'>;
  /**
   * The names of what it has received, in order, after a place in that order: for what a lost callback has not told.
   * @param after the place where the page before ended; null for the beginning
   */
  creditsAfter(after: string | null): Promise<{ credits: Pick<BankCredit, 'id'>[]; next: string | null }>;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): BankCallback | undefined;
}
