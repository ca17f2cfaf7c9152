import type { Decimal } from '../../../kernel/money/money';
import type { Programme } from '../../programmes/record';

/** How much may be authorized, and where. Amounts count in the currency of the card; null sets no bound. */
export interface Limits {
  /** A chain's total. */
  perTransaction: Decimal | null;
  /** Calendar days and months, in UTC. */
  perDay: Decimal | null;
  perMonth: Decimal | null;
  blockedMccs: readonly string[];
  /** Only these, where there are any. */
  allowedMccs: readonly string[];
  /** ISO 3166-1 alpha-2. */
  blockedCountries: readonly string[];
  /** A payment on the internet needs a challenge of 3-D Secure: each, above an amount, or of a merchant outside these countries. */
  challengeEcommerce: boolean;
  challengeAbove: Decimal | null;
  homeCountries: readonly string[];
}

/** The limits of a card or of a user. */
export interface SubjectLimits extends Limits {
  subjectId: string;
  /** Counts the changes; 0 before the first. */
  version: number;
}

/** What was authorized and not released. */
export interface Used {
  day: Decimal;
  month: Decimal;
}

export const limitsNeverSet = (subjectId: string): SubjectLimits => ({
  subjectId,
  version: 0,
  perTransaction: null,
  perDay: null,
  perMonth: null,
  blockedMccs: [],
  allowedMccs: [],
  blockedCountries: [],
  challengeEcommerce: false,
  challengeAbove: null,
  homeCountries: [],
});

/** What a programme allows each of its cards. */
export const limitsOfProgramme = (programme: Programme): Limits => ({
  perTransaction: programme.maxAuthorization,
  perDay: programme.maxPerDay,
  perMonth: programme.maxPerMonth,
  blockedMccs: programme.blockedMccs,
  allowedMccs: programme.allowedMccs,
  blockedCountries: programme.blockedCountries,
  challengeEcommerce: programme.challengeEcommerce,
  challengeAbove: programme.challengeAbove,
  homeCountries: programme.homeCountries,
});

export const setSomething = (limits: Limits): boolean =>
  sumsUp(limits) ||
  limits.perTransaction !== null ||
  limits.challengeAbove !== null ||
  limits.challengeEcommerce ||
  limits.homeCountries.length > 0 ||
  limits.blockedMccs.length + limits.allowedMccs.length + limits.blockedCountries.length > 0;

/** They bound what is spent over time: it must be counted. */
export const sumsUp = ({ perDay, perMonth }: Limits): boolean => perDay !== null || perMonth !== null;
