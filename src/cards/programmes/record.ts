import type { Decimal } from '../../kernel/money/money';
import type { CardholderModel } from '../../people/cardholders/record';

/** The BIN endpoints are deprecated (`interface.md 9.3`), from the first release of this interface on. */
export const BINS_DEPRECATED = new Date('2026-01-01T00:00:00Z');

/** Fees of a programme, in the BIN's currency; the percentage is of the billing amount. */
export interface ProgrammeFees {
  issue: Decimal;
  topUp: Decimal;
  /** Once an authorization. */
  settleFixed: Decimal;
  settlePercent: Decimal;
  decline: Decimal;
}

/** The terms on which the cards of a BIN are issued and spent on (decisions part 3, Card event rules). */
export interface Programme {
  bin: string;
  scheme: string;
  currency: string;
  fees: ProgrammeFees;
  /** On top of the rate of a transaction in another currency: 2 is two percent. */
  markupPercent: Decimal;
  /** After so many days an open authorization is cancelled by itself. */
  authorizationDays: number;
  /** In the BIN's currency; above it an authorization is declined with `limit_exceeded`. Null: no limit. */
  maxAuthorization: Decimal | null;
  /** The same for what each card is authorized in a calendar day, and in a month, in UTC. */
  maxPerDay: Decimal | null;
  maxPerMonth: Decimal | null;
  /** Merchants of these categories are declined with `invalid_merchant`. */
  blockedMccs: readonly string[];
  /** Where there are any: all others are, too. */
  allowedMccs: readonly string[];
  /** And those of these countries, ISO 3166-1 alpha-2. */
  blockedCountries: readonly string[];
  /** A payment on the internet without a challenge of 3-D Secure is declined with `authentication_required`. */
  challengeEcommerce: boolean;
  /** The same above an amount in the BIN's currency. Null: no such rule. */
  challengeAbove: Decimal | null;
  /** And at merchants of all other countries, where there are any; ISO 3166-1 alpha-2. */
  homeCountries: readonly string[];
}

/** What a programme allows each of its cards. */
export type ProgrammeLimits = Pick<
  Programme,
  | 'maxAuthorization'
  | 'maxPerDay'
  | 'maxPerMonth'
  | 'blockedMccs'
  | 'allowedMccs'
  | 'blockedCountries'
  | 'challengeEcommerce'
  | 'challengeAbove'
  | 'homeCountries'
>;

/** A BIN with the programme that runs on it. */
export interface Bin extends Programme {
  /** `providerCardHolderModel`: how a cardholder is created (`interface.md 1`). */
  model: CardholderModel;
  status: 'active' | 'closed';
  capacityPerCardholder: number;
  /** Every new tenant of a sandbox is admitted to it. */
  demo: boolean;
}
