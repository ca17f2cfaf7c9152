import { z } from 'zod';
import { Decimal, formatAmount, maxOf, minOf, roundTo, ZERO } from '../../../kernel/money/money';
import { isCountry } from '../../../kernel/wire/countries';
import { amount, money } from '../../../kernel/wire/schemas';
import { ignoredField, shownField, shownObject } from '../../../kernel/wire/shown-fields';
import type { Level } from '../rules/limits/limits';
import type { GivenLimits, readCardLimits, readUserLimits } from './operations';
import type { Limits, Used } from './record';

const mcc = () => z.string().regex(/^\d{4}$/, 'must be a category of four digits');
const country = () =>
  z
    .string()
    .refine(isCountry, 'must be a country code of ISO 3166-1 alpha-2, such as "GB"')
    .meta({ pattern: '^[A-Z]{2}$', examples: ['GB'] });
const MAX_CODES = 1_000;

/** The body of a PUT: what is absent bounds nothing. */
const limitsBody = z.strictObject({
  perTransaction: amount().optional().describe('What an authorization may come to, its increases included.'),
  perDay: amount().optional().describe('A calendar day in UTC.'),
  perMonth: amount().optional().describe('A calendar month in UTC.'),
  blockedMccs: z.array(mcc()).max(MAX_CODES).optional(),
  allowedMccs: z
    .array(mcc())
    .min(1, 'must name at least one category; without it every one is allowed')
    .max(MAX_CODES)
    .optional()
    .describe('Only these; a merchant that does not tell its category is declined. None may be blocked too.'),
  blockedCountries: z
    .array(country())
    .max(MAX_CODES)
    .optional()
    .describe("ISO 3166-1 alpha-2, of the merchant's country."),
  challengeEcommerce: z
    .boolean()
    .optional()
    .describe('Each payment on the internet needs a challenge of 3-D Secure.'),
  challengeAbove: amount().optional().describe('A payment on the internet above it needs one.'),
  homeCountries: z
    .array(country())
    .min(1, 'must name at least one country; without it no merchant is abroad')
    .max(MAX_CODES)
    .optional()
    .describe('A payment on the internet needs one where the merchant is of another country, or tells none.'),
  version: z
    .int('must be a whole number')
    .min(0)
    .max(2 ** 31 - 2)
    .describe('The one that GET tells: 0 where none were ever set.'),
});

/** Read-only fields of the answer that PUT takes back unchanged. */
export const SHOWN_OF_CARD = ['cardId', 'currency', 'programme'] as const;
export const SHOWN_OF_USER = ['userId'] as const;

const moving = { used: ignoredField(), remaining: ignoredField() };
export const cardLimitsBody = limitsBody.extend({
  ...{ cardId: shownField(), currency: shownField(), programme: shownObject() },
  ...moving,
});
export const userLimitsBody = limitsBody.extend({ userId: shownField(), ...moving });

const once = (codes: string[] = []) => [...new Set(codes)];

/** The limits that a body gives. */
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

const limits = z.object({
  perTransaction: money().optional(),
  perDay: money().optional(),
  perMonth: money().optional(),
  blockedMccs: z.array(z.string()).optional(),
  allowedMccs: z.array(z.string()).optional(),
  blockedCountries: z.array(z.string()).optional(),
  challengeEcommerce: z.boolean().optional(),
  challengeAbove: money().optional(),
  homeCountries: z.array(z.string()).optional(),
});
const used = z.object({ perDay: money(), perMonth: money() });
const remaining = z.object({
  perTransaction: money().optional(),
  perDay: money().optional(),
  perMonth: money().optional(),
});

export const cardLimitsSchema = limits
  .extend({
    cardId: z.string(),
    currency: z.string(),
    version: z.number().int(),
    programme: limits.describe("The programme's, which hold for each of its cards beside its own."),
    used: used.describe('Authorized today and in this month (UTC), less what was released of it.'),
    remaining: remaining.describe(
      "What may still be authorized, by the strictest of the card's, its programme's and its user's limits.",
    ),
  })
  .meta({ id: 'CardLimits' });

export const userLimitsSchema = limits
  .extend({
    userId: z.string(),
    version: z.number().int(),
    used: z.record(z.string(), used).describe("By currency, of all the user's cards together."),
    remaining: z.record(z.string(), remaining).describe('By currency, by the limits of the user.'),
  })
  .meta({ id: 'UserLimits' });

type Show = (amount: Decimal) => string;

/** Lists that are empty say nothing, and are left out. */
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

/** The least that any of them leaves, rounded down, for a user's limits may have more decimals: nothing where none bounds it. */
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

/** Of no currency: two decimals, or as many as were given. */
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

/** As the audit log keeps them. */
export const auditedLimits = (given: Limits & { version: number }) => ({
  ...limitsView(given, plainly),
  version: given.version,
});
