import type { Decimal } from '../../kernel/money/money';
import type { CardholderModel } from '../../people/cardholders/record';

/** Since when the BIN endpoints are deprecated (`interface.md 9.3`): since the first release of the interface. */
export const BINS_DEPRECATED = new Date('2026-01-01T00:00:00Z');

/** Fees of a programme, in the BIN's currency. The percentage refers to the billing amount. */
export interface ProgrammeFees {
  issue: Decimal;
  topUp: Decimal;
  /** Charged once per authorization. */
  settleFixed: Decimal;
  settlePercent: Decimal;
  decline: Decimal;
}

/** Terms of the cards of a BIN (decisions part 3, Card event rules). */
export interface Programme {
  bin: string;
  scheme: string;
  currency: string;
  fees: ProgrammeFees;
  /** Added to the exchange rate of a transaction in another currency: 2 means two percent. */
  markupPercent: Decimal;
  /** The number of days after which an open authorization is cancelled. */
  authorizationDays: number;
  /** In the BIN's currency. A larger authorization is declined with `limit_exceeded`. Null: no limit. */
  maxAuthorization: Decimal | null;
  /** The most that a card may be authorized for in a calendar day, in UTC. Null: no limit. */
  maxPerDay: Decimal | null;
  /** The most that a card may be authorized for in a calendar month, in UTC. Null: no limit. */
  maxPerMonth: Decimal | null;
  /** Merchants of these categories are declined with `invalid_merchant`. */
  blockedMccs: readonly string[];
  /** When not empty, merchants of all other categories are declined with `invalid_merchant`. */
  allowedMccs: readonly string[];
  /** Merchants of these countries are declined with `invalid_merchant`; ISO 3166-1 alpha-2. */
  blockedCountries: readonly string[];
  /** A payment on the internet without a challenge of 3-D Secure is declined with `authentication_required`. */
  challengeEcommerce: boolean;
  /** A payment on the internet above this amount, in the BIN's currency, needs a challenge. Null: no such rule. */
  challengeAbove: Decimal | null;
  /** When not empty, a payment on the internet to any other country needs a challenge; ISO 3166-1 alpha-2. */
  homeCountries: readonly string[];
}

/** Limits that a programme sets for each card. */
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
  /** How a cardholder is created, `providerCardHolderModel` on the wire (`interface.md 1`). */
  model: CardholderModel;
  status: 'active' | 'closed';
  capacityPerCardholder: number;
  /** Every new tenant of a sandbox is admitted to it. */
  demo: boolean;
}
