import type { Decimal } from '../../../../kernel/money/money';
import { alpha2Of } from '../../../../kernel/wire/countries';
import type { Channel } from '../../../../parties/card-processor/message';
import type { Limits, Used } from '../../limits/record';
import type { Authentication, DeclineReason, Merchant } from '../../record';

/** An authorization that limits are applied to. Amounts are in the currency of the card. */
export interface AuthorizationRequest {
  /** The amount that it adds. */
  billing: Decimal;
  /** The total of the authorization, with this amount. */
  total: Decimal;
  merchant?: Merchant | undefined;
  channel?: Channel | undefined;
  /** Absent when no challenge is named. */
  authentication?: Authentication | undefined;
}

/** The limits of a programme, a card or a user, with the spending that they bound. */
export interface Level {
  limits: Limits;
  used: Used;
}

interface Rule {
  reason: DeclineReason;
  isBroken(asked: AuthorizationRequest, level: Level): boolean;
}

const exceeds = (amount: Decimal, limit: Decimal | null): boolean => limit?.lt(amount) ?? false;

/**
 * Whether the payer could have been challenged and was not: on the internet only. A terminal authenticates the
 * cardholder, and nobody can be challenged by mail, by telephone or for an agreed payment. A message without a channel
 * counts as internet.
 */
const isUnchallenged = ({ channel, authentication }: AuthorizationRequest): boolean =>
  (channel === undefined || channel === 'ecommerce') && authentication !== 'valid';

/** The rules in order of precedence, over all levels: merchant, then amount, then authentication. */
const RULES: readonly Rule[] = [
  {
    reason: 'invalid_merchant',
    isBroken: ({ merchant }, { limits }) => limits.blockedMccs.includes(merchant?.mcc ?? ''),
  },
  {
    // A merchant without a category is in none of the allowed ones.
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
    // A merchant without a country counts as abroad.
    reason: 'authentication_required',
    isBroken: (asked, { limits: { homeCountries } }) =>
      homeCountries.length > 0 &&
      !homeCountries.includes(alpha2Of(asked.merchant?.country ?? '')) &&
      isUnchallenged(asked),
  },
];

/** The reason of the first rule that any level breaks; undefined when all limits are kept. */
export const brokenLimit = (
  asked: AuthorizationRequest,
  levels: readonly Level[],
): DeclineReason | undefined =>
  RULES.find((rule) => levels.some((level) => rule.isBroken(asked, level)))?.reason;
