import { z } from 'zod';
import { exchangeSettings } from '../../accounts/exchange/settings';
import { walletSettings } from '../../chain/wallets/settings';
import { invalid, Problem } from '../../kernel/errors';
import { Decimal } from '../../kernel/money/money';
import { firstProblem } from '../../kernel/wire/schemas';
import type { Effect, Facts } from '../../process/desk/decision';
import { type TenantSettings, tenantSettings } from '../../tenants/clients/settings';
import { approvalSettings, type Thresholds } from '../../transfers/approval/settings';
import { depositSettings } from '../../transfers/deposits/settings';
import { exchangePartySettings } from '../../transfers/exchange/settings';
import { externalCardSettings } from '../../transfers/external-cards/settings';
import { bankingSettings } from '../../transfers/iban/settings';
import { payoutSettings } from '../../transfers/payouts/settings';

/** The settings of a tenant, with those of all domains, as operators read and change them. */

/** A setting such as `rateLimit.perSecond` and its new value, as typed. */
export interface SettingChange {
  key: string;
  value: string;
}

/** Settings of a tenant, with the sections of all domains. */
const allSettings = z.object({
  ...tenantSettings.shape,
  deposits: depositSettings.prefault({}),
  payouts: payoutSettings.prefault({}),
  externalCards: externalCardSettings.prefault({}),
  banking: bankingSettings.prefault({}),
  exchange: z.object({ ...exchangeSettings.shape, ...exchangePartySettings.shape }).prefault({}),
  approvals: approvalSettings.prefault({}),
  wallets: walletSettings.prefault({}),
});

/** Settings with the defaults of every section. */
export const shownSettings = (settings: TenantSettings): TenantSettings => allSettings.parse(settings);

/** Examples of settings whose default does not show their format. */
const EXAMPLES: Record<string, unknown> = {
  'exchange.feeFixed': [{ currency: 'USD', amount: '0.30' }],
  'exchange.withdrawal.fees': [{ currency: 'EUR', amount: '1.00' }],
  'approvals.aboveDaily': '50000.00',
};

/** An example of a setting's value for a shell: `--set kycReview=manual`. A list is shown with its first entry only. */
export function exampleOf(key: string): string {
  const value = EXAMPLES[key] ?? valueAt(allSettings.parse({}), key);
  const typed = `${key}=${typedOf(Array.isArray(value) ? value.slice(0, 1) : value)}`;
  return /^[\w.=-]+$/.test(typed) ? `--set ${typed}` : `--set '${typed}'`;
}

/** Settings that differ, with their values as `--set` takes them. */
export function changesOf(before: TenantSettings, after: TenantSettings): Effect[] {
  return keysOf(after).flatMap((key) => {
    const [from = '', to = ''] = [before, after].map((settings) => typedOf(valueAt(settings, key)));
    return from === to ? [] : [{ field: key, from, to }];
  });
}

/** The present values of these settings, as `--set` takes them. */
export const factsOf = (settings: TenantSettings, keys: readonly string[]): Facts =>
  Object.fromEntries(keys.map((key) => [key, typedOf(valueAt(settings, key))]));

/**
 * Amounts up to which payments leave without a person, by currency. An unlisted currency has zero, so every payment in
 * it waits. Null: no payment waits.
 */
type Free = Thresholds | null;

/** Free amounts of every section. Add new thresholds here. */
function freeAmounts(settings: TenantSettings): Free[] {
  const { payouts, externalCards, exchange, banking, approvals } = allSettings.parse(settings);
  const { aboveDaily, currency } = approvals;
  return [
    payouts.approvalAbove,
    externalCards.withdrawal.approvalAbove,
    exchange.withdrawal.approvalAbove,
    [{ currency: 'EUR', amount: banking.payout.approvalAbove }],
    aboveDaily === null ? null : [{ currency, amount: aboveDaily }],
  ];
}

/** Whether a payment that waits for a person under `before` may leave without one under `after`. */
export function raisesThreshold(before: TenantSettings, after: TenantSettings): boolean {
  const earlier = freeAmounts(before);
  if (restOf(after) < restOf(before)) return true;
  return freeAmounts(after).some((free, index) => isRaised(earlier[index] as Free, free));
}

const restOf = (settings: TenantSettings): number =>
  allSettings.parse(settings).approvals.newDestinationHours;

function isRaised(before: Free, after: Free): boolean {
  if (before === null || after === null) return before !== null;
  return after.some(({ currency, amount }) => {
    const earlier = before.find((each) => each.currency === currency);
    return new Decimal(amount).gt(earlier?.amount ?? 0);
  });
}

/**
 * Applies changes to settings. Other settings keep their values.
 * @throws Problem 400 for an unknown setting or an invalid value, with an example of a valid one
 */
export function changedSettings(before: TenantSettings, changes: SettingChange[]): TenantSettings {
  const settings = structuredClone(shownSettings(before)) as Record<string, unknown>;
  const keys = keysOf(settings);
  for (const { key, value } of changes) {
    if (!keys.includes(key)) throw unknownSetting(key, keys);
    assign(settings, key.split('.'), valueOf(value));
  }
  const { data, error } = allSettings.safeParse(settings, { reportInput: true });
  if (error) throw withExample(firstProblem(error), keys);
  return data;
}

function unknownSetting(key: string, keys: string[]): Problem {
  const meant = keys.find((each) => each.startsWith(`${key}.`)) ?? 'cardholderReview';
  return invalid(
    `${key} is no setting. There are: ${keys.join(', ')}. For instance: ${exampleOf(meant)}`,
    key,
  );
}

/** Adds an example of the setting to a problem. The field may lie within the setting: `payouts.options[0].min`. */
function withExample({ status, code, message, field = '' }: Problem, keys: string[]): Problem {
  const key = keys.find((each) => field === each || field.startsWith(`${each}[`));
  const example = key === undefined ? '' : ` For instance: ${exampleOf(key)}`;
  return new Problem(status, code, message + example, field);
}

/** Paths of all values. Each setting has a default, so none is missing. */
function keysOf(settings: Record<string, unknown>, prefix = ''): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const nested = value !== null && typeof value === 'object' && !Array.isArray(value);
    return nested ? keysOf(value as Record<string, unknown>, `${prefix}${name}.`) : [prefix + name];
  });
}

function assign(target: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) target[name] = value;
  else assign(target[name] as Record<string, unknown>, rest, value);
}

const valueAt = (settings: TenantSettings, key: string): unknown =>
  key.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], settings);

/** The inverse of {@link valueOf}. Texts that parse as JSON, and all other types, are JSON. */
const typedOf = (value: unknown): string =>
  typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value);

/** Parses numbers, booleans, null and lists as JSON. Anything else is text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
