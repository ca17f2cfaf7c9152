import { z } from 'zod';
import { amountOrZero, currency, identifier } from '../../kernel/wire/schemas';
import type { Bin, ProgrammeLimits } from './record';

/** The input of decisions about BINs, whose fields are the options of the commands. */

const limit = (description: string) => amountOrZero().optional().meta({ description });
const percent = (description: string) => amountOrZero().prefault('0').meta({ description });
const fee = percent;
const codes = (description: string) =>
  z.array(z.string().max(10)).max(1_000).default([]).meta({ description });
const count = (description: string) => z.int().min(1).max(999_999).meta({ description });

export const capacityField = () => count('Cards that a cardholder may have.');

/** Limits of the spending of each card of a programme. */
export const limitsFields = {
  maxAuthorization: limit('Above it: declined with limit_exceeded.'),
  maxPerDay: limit('Of each card, in a calendar day (UTC).'),
  maxPerMonth: limit('Of each card, in a calendar month (UTC).'),
  blockMcc: codes('Declined with invalid_merchant.'),
  allowMcc: codes('All others are declined.'),
  blockCountry: codes('Such as GB, declined too.'),
  challengeEcommerce: z.boolean().default(false).meta({
    description: 'On the internet: declined with authentication_required without a challenge.',
  }),
  challengeAbove: limit('The same, above it.'),
  homeCountry: codes('The same, at merchants of others.'),
};

export type LimitsInput = z.output<z.ZodObject<typeof limitsFields>>;

export const programmeFields = z.strictObject({
  scheme: z.string().min(1).max(50).meta({ description: 'For instance visa.' }),
  currency: z.string().toUpperCase().pipe(currency()),
  model: z.enum(['B2B', 'B2C']).meta({ description: 'How cardholders are created.' }),
  capacity: capacityField().default(10),
  feeIssue: fee('For each card.'),
  feeTopup: fee('For each top-up.'),
  feeSettleFixed: fee('Once an authorization.'),
  feeSettlePercent: percent('Of what is settled.'),
  feeDecline: fee('For each decline.'),
  markupPercent: percent('On the rate of other currencies.'),
  authorizationDays: count('An open authorization is cancelled after these days.').default(7),
  admit: z
    .array(identifier('cli_01jz0000000000000000000000'))
    .max(100)
    .default([])
    .meta({ description: 'Tenants that may issue on it.' }),
  ...limitsFields,
});

export type ProgrammeInput = z.output<typeof programmeFields>;

export const limitsOf = (given: LimitsInput): ProgrammeLimits => ({
  maxAuthorization: given.maxAuthorization ?? null,
  maxPerDay: given.maxPerDay ?? null,
  maxPerMonth: given.maxPerMonth ?? null,
  blockedMccs: given.blockMcc,
  allowedMccs: given.allowMcc,
  blockedCountries: given.blockCountry,
  challengeEcommerce: given.challengeEcommerce,
  challengeAbove: given.challengeAbove ?? null,
  homeCountries: given.homeCountry,
});

/** Limits as JSON. */
export const limitsShown = (limits: ProgrammeLimits) => ({
  maxAuthorization: limits.maxAuthorization?.toFixed() ?? null,
  maxPerDay: limits.maxPerDay?.toFixed() ?? null,
  maxPerMonth: limits.maxPerMonth?.toFixed() ?? null,
  blockedMccs: limits.blockedMccs,
  allowedMccs: limits.allowedMccs,
  blockedCountries: limits.blockedCountries,
  challengeEcommerce: limits.challengeEcommerce,
  challengeAbove: limits.challengeAbove?.toFixed() ?? null,
  homeCountries: limits.homeCountries,
});

export const binOf = (bin: string, given: ProgrammeInput): Bin => ({
  bin,
  scheme: given.scheme,
  currency: given.currency,
  model: given.model,
  status: 'active',
  capacityPerCardholder: given.capacity,
  fees: {
    issue: given.feeIssue,
    topUp: given.feeTopup,
    settleFixed: given.feeSettleFixed,
    settlePercent: given.feeSettlePercent,
    decline: given.feeDecline,
  },
  markupPercent: given.markupPercent,
  authorizationDays: given.authorizationDays,
  ...limitsOf(given),
  demo: false,
});
