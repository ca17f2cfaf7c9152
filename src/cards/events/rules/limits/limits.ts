import type { Decimal } from '../../../../kernel/money/money';
import { alpha2Of } from '../../../../kernel/wire/countries';
import type { Channel } from '../../../../parties/card-processor/message';
import type { Limits, Used } from '../../limits/record';
import type { Authentication, DeclineReason, Merchant } from '../../record';

/** What an authorization asks for, in the currency of the card. */
export interface Asked {
  /** What it adds. */
  billing: Decimal;
  /** What its chain comes to with it. */
  total: Decimal;
  merchant?: Merchant | undefined;
  channel?: Channel | undefined;
  /** Absent where no challenge is named. */
  authentication?: Authentication | undefined;
}

/** The limits of a programme, a card or a user, and what has been used of them. */
export interface Level {
  limits: Limits;
  used: Used;
}

interface Rule {
  reason: DeclineReason;
  isBroken(asked: Asked, level: Level): boolean;
}

const exceeds = (amount: Decimal, limit: Decimal | null): boolean => limit?.lt(amount) ?? false;

/**
 * A payer who could have been challenged and was not: one on the internet. At a terminal the card authenticates its holder; by mail, telephone or
 * agreement nobody can be challenged. A message that does not tell its channel is judged strictly.
 */
const isUnchallenged = ({ channel, authentication }: Asked): boolean =>
  (channel === undefined || channel === 'ecommerce') && authentication !== 'valid';

/** In the order in which they are heard, whoever's limits they are: where, before how much, before who pays. */
const RULES: readonly Rule[] = [
  {
    reason: 'invalid_merchant',
    isBroken: ({ merchant }, { limits }) => limits.blockedMccs.includes(merchant?.mcc ?? ''),
  },
  {
    // A merchant that does not tell its category is none of them.
    reason: 'invalid_merchant',
    isBroken: ({ merchant }, { limits: { allowedMccs } }) =>
      allowedMccs.length > 0 && !allowedMccs.includes(merchant?.mcc ?? ''),
  },
  {
    reason: 'invalid_merchant',
    isBroken: ({ merchant }, { limits }) =>
      limits.blockedCountries.includes(alpha2Of(merchant?.country ?? '')),
  },
  {
    reason: 'limit_exceeded',
    isBroken: ({ total }, { limits }) => exceeds(total, limits.perTransaction),
  },
  {
    reason: 'limit_exceeded',
    isBroken: ({ billing }, { limits, used }) => exceeds(used.day.plus(billing), limits.perDay),
  },
  {
    reason: 'limit_exceeded',
    isBroken: ({ billing }, { limits, used }) => exceeds(used.month.plus(billing), limits.perMonth),
  },
  {
    reason: 'authentication_required',
    isBroken: (asked, { limits }) => limits.challengeEcommerce && isUnchallenged(asked),
  },
  {
    reason: 'authentication_required',
    isBroken: (asked, { limits }) => exceeds(asked.total, limits.challengeAbove) && isUnchallenged(asked),
  },
  {
    // A merchant that does not tell its country is abroad.
    reason: 'authentication_required',
    isBroken: (asked, { limits: { homeCountries } }) =>
      homeCountries.length > 0 &&
      !homeCountries.includes(alpha2Of(asked.merchant?.country ?? '')) &&
      isUnchallenged(asked),
  },
];

/** Why the limits of all levels together do not admit it; nothing where they do. */
export const brokenLimit = (asked: Asked, levels: readonly Level[]): DeclineReason | undefined =>
  RULES.find((rule) => levels.some((level) => rule.isBroken(asked, level)))?.reason;
