import type { Decimal } from '../../../kernel/money/money';
import type { Programme } from '../../programmes/record';

/** Limits of amounts and merchants. Amounts are in the currency of the card; null means no limit. */
export interface Limits {
  /** The most that one authorization may reach, its increases included. */
  perTransaction: Decimal | null;
  /** Per calendar day and calendar month, in UTC. */
  perDay: Decimal | null;
  perMonth: Decimal | null;
  blockedMccs: readonly string[];
  /** When not empty, all other categories are blocked. */
  allowedMccs: readonly string[];
  /** ISO 3166-1 alpha-2. */
  blockedCountries: readonly string[];
  /**
   * Payments on the internet that need a challenge of 3-D Secure: all, those above an amount, and those outside some
   * countries.
   */
  challengeEcommerce: boolean;
  challengeAbove: Decimal | null;
  homeCountries: readonly string[];
}

/** The limits of a card or of a user. */
export interface SubjectLimits extends Limits {
  subjectId: string;
  /** Incremented by each change; 0 before the first. */
  version: number;
}

/** Authorized amounts less releases. */
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

export const hasAnyLimit = (limits: Limits): boolean =>
  hasPeriodLimit(limits) ||
  limits.perTransaction !== null ||
  limits.challengeAbove !== null ||
  limits.challengeEcommerce ||
  limits.homeCountries.length > 0 ||
  limits.blockedMccs.length + limits.allowedMccs.length + limits.blockedCountries.length > 0;

/** Whether the limits count spending over time. */
export const hasPeriodLimit = ({ perDay, perMonth }: Limits): boolean => perDay !== null || perMonth !== null;
