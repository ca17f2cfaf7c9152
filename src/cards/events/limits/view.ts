import { z } from 'zod';
import { Decimal, formatAmount, maxOf, minOf, roundTo, ZERO } from '../../../kernel/money/money';
import { COUNTRIES, isCountry } from '../../../kernel/wire/countries';
import { amount, money } from '../../../kernel/wire/schemas';
import { ignoredField, shownField, shownObject } from '../../../kernel/wire/shown-fields';
import type { Level } from '../rules/limits/limits';
import type { GivenLimits, readCardLimits, readUserLimits } from './operations';
import type { Limits, Used } from './record';

const mcc = () => z.string().regex(/^\d{4}$/, 'must be a category of four digits');
const country = z
  .string()
  .refine(isCountry, 'must be a country code of ISO 3166-1 alpha-2, such as "GB"')
  .meta({ id: 'Country', enum: COUNTRIES, description: 'ISO 3166-1 alpha-2.', examples: ['GB'] });
const MAX_CODES = 1_000;

/** The body of a PUT. An absent field sets no limit. */
const limitsBody = z.strictObject({
  perTransaction: amount()
    .optional()
    .describe('The most that one authorization may reach, its increases included.'),
  perDay: amount().optional().describe('The most that may be authorized in a calendar day, in UTC.'),
  perMonth: amount().optional().describe('The most that may be authorized in a calendar month, in UTC.'),
  blockedMccs: z.array(mcc()).max(MAX_CODES).optional(),
  allowedMccs: z
    .array(mcc())
    .min(1, 'must name at least one category; omit the field to allow every category')
    .max(MAX_CODES)
    .optional()
    .describe(
      'Allows only these categories; a merchant without a category is declined. No category may be both allowed and blocked.',
    ),
  blockedCountries: z
    .array(country)
    .max(MAX_CODES)
    .optional()
    .describe('Countries whose merchants are declined, ISO 3166-1 alpha-2.'),
  challengeEcommerce: z
    .boolean()
    .optional()
    .describe('Each payment on the internet needs a challenge of 3-D Secure.'),
  challengeAbove: amount()
    .optional()
    .describe('A payment on the internet above this amount needs a challenge of 3-D Secure.'),
  homeCountries: z
    .array(country)
    .min(1, 'must name at least one country; omit the field to require no challenge abroad')
    .max(MAX_CODES)
    .optional()
    .describe(
      'A payment on the internet needs a challenge of 3-D Secure when the merchant has another country, or none.',
    ),
  version: z
    .int('must be a whole number')
    .min(0)
    .max(2 ** 31 - 2)
    .describe('The `version` of GET; 0 when no limits were ever set.'),
});

/** Read-only fields of the response that PUT accepts unchanged. */
export const SHOWN_OF_CARD = ['cardId', 'currency', 'programme'] as const;
export const SHOWN_OF_USER = ['userId'] as const;

const moving = { used: ignoredField(), remaining: ignoredField() };
export const cardLimitsBody = limitsBody.extend({
  cardId: shownField(),
  currency: shownField(),
  programme: shownObject(),
  ...moving,
});
export const userLimitsBody = limitsBody.extend({ userId: shownField(), ...moving });

const once = (codes: string[] = []) => [...new Set(codes)];

/** The limits of a body. */
export const givenLimits = (body: z.output<typeof limitsBody>): GivenLimits => ({
  perTransaction: body.perTransaction ?? null,
  perDay: body.perDay ?? null,
  perMonth: body.perMonth ?? null,
  blockedMccs: once(body.blockedMccs),
  allowedMccs: once(body.allowedMccs),
  blockedCountries: once(body.blockedCountries),
  challengeEcommerce: body.challengeEcommerce ?? false,
  challengeAbove: body.challengeAbove ?? null,
  homeCountries: once(body.homeCountries),
  version: body.version,
});

const limits = z
  .object({
    perTransaction: money().optional(),
    perDay: money().optional(),
    perMonth: money().optional(),
    blockedMccs: z.array(z.string()).optional(),
    allowedMccs: z.array(z.string()).optional(),
    blockedCountries: z.array(z.string()).optional(),
    challengeEcommerce: z.boolean().optional(),
    challengeAbove: money().optional(),
    homeCountries: z.array(z.string()).optional(),
  })
  .meta({ id: 'Limits' });
const used = z.object({ perDay: money(), perMonth: money() }).meta({ id: 'UsedLimits' });
const remaining = z
  .object({
    perTransaction: money().optional(),
    perDay: money().optional(),
    perMonth: money().optional(),
  })
  .meta({ id: 'RemainingLimits' });

export const cardLimitsSchema = limits
  .extend({
    cardId: z.string(),
    currency: z.string(),
    version: z.number().int(),
    programme: limits.describe("The programme's limits, which apply to each card in addition to its own."),
    used: used.describe('Authorized today and in this month (UTC), less releases.'),
    remaining: remaining.describe(
      "The amount that may still be authorized under the strictest of the card's, its programme's and its user's limits.",
    ),
  })
  .meta({ id: 'CardLimits' });

export const userLimitsSchema = limits
  .extend({
    userId: z.string(),
    version: z.number().int(),
    used: z
      .record(z.string(), used)
      .describe("The spending of all of the user's cards together, by currency."),
    remaining: z
      .record(z.string(), remaining)
      .describe("The amount that may still be authorized under the user's limits, by currency."),
  })
  .meta({ id: 'UserLimits' });

type Show = (amount: Decimal) => string;

/** The limits on the wire. Empty lists are left out, because they set no limit. */
function limitsView(given: Limits, show: Show) {
  const shown = (value: Decimal | null) => (value === null ? undefined : show(value));
  const some = (codes: readonly string[]) => (codes.length > 0 ? [...codes] : undefined);
  return {
    perTransaction: shown(given.perTransaction),
    perDay: shown(given.perDay),
    perMonth: shown(given.perMonth),
    blockedMccs: some(given.blockedMccs),
    allowedMccs: some(given.allowedMccs),
    blockedCountries: some(given.blockedCountries),
    challengeEcommerce: given.challengeEcommerce || undefined,
    challengeAbove: shown(given.challengeAbove),
    homeCountries: some(given.homeCountries),
  };
}

const usedView = ({ day, month }: Used, show: Show) => ({ perDay: show(day), perMonth: show(month) });

/**
 * The least that any level leaves; absent when no level sets a limit. Rounded down, because a user's limit may have
 * more decimals.
 */
function remainingView(levels: readonly Level[], currency: string) {
  const show: Show = (value) => formatAmount(roundTo(value, currency, Decimal.ROUND_DOWN), currency);
  const least = (leaves: (level: Level) => Decimal | undefined) => {
    const all = levels.map(leaves).filter((each) => each !== undefined);
    return all.length > 0 ? show(maxOf(all.reduce(minOf), ZERO)) : undefined;
  };
  return {
    perTransaction: least(({ limits: { perTransaction } }) => perTransaction ?? undefined),
    perDay: least((level) => level.limits.perDay?.minus(level.used.day)),
    perMonth: least((level) => level.limits.perMonth?.minus(level.used.month)),
  };
}

export function cardLimitsView({
  card,
  own,
  programme,
  used: spent,
  levels,
}: Awaited<ReturnType<typeof readCardLimits>>) {
  const show = (value: Decimal) => formatAmount(value, card.currency);
  return {
    cardId: card.id,
    currency: card.currency,
    ...limitsView(own, show),
    version: own.version,
    programme: limitsView(programme, show),
    used: usedView(spent, show),
    remaining: remainingView(levels, card.currency),
  };
}

/** An amount without a currency: two decimals, or as many as were given. */
const plainly: Show = (value) => value.toFixed(Math.max(2, value.decimalPlaces()));

export function userLimitsView({ own, used: spent }: Awaited<ReturnType<typeof readUserLimits>>) {
  const byCurrency = <T>(of: (each: Used & { currency: string }, show: Show) => T) =>
    Object.fromEntries(
      spent.map((each) => [each.currency, of(each, (value) => formatAmount(value, each.currency))]),
    );
  return {
    userId: own.subjectId,
    ...limitsView(own, plainly),
    version: own.version,
    used: byCurrency(usedView),
    remaining: byCurrency((each) => remainingView([{ limits: own, used: each }], each.currency)),
  };
}

/** Limits as the audit log records them. */
export const auditedLimits = (given: Limits & { version: number }) => ({
  ...limitsView(given, plainly),
  version: given.version,
});
