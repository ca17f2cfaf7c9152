import { z } from 'zod';
import { exchangeSettings } from '../../../accounts/exchange/settings';
import { walletSettings } from '../../../chain/wallets/settings';
import { invalid } from '../../../kernel/errors';
import { firstProblem } from '../../../kernel/wire/schemas';
import { type TenantSettings, tenantSettings } from '../../../tenants/clients/settings';
import { approvalSettings } from '../../../transfers/approval/settings';
import { depositSettings } from '../../../transfers/deposits/settings';
import { exchangePartySettings, keptExchangePartySettings } from '../../../transfers/exchange/settings';
import { externalCardSettings } from '../../../transfers/external-cards/settings';
import { bankingSettings } from '../../../transfers/iban/settings';
import { payoutSettings } from '../../../transfers/payouts/settings';

/** `rateLimit.perSecond` and what it becomes, as it was typed. */
export interface SettingChange {
  key: string;
  value: string;
}

/** A tenant's own settings, and the sections of the domains, as they are kept: also what was set before it had its bounds. */
const kept = z.object({
  ...tenantSettings.shape,
  deposits: depositSettings.prefault({}),
  payouts: payoutSettings.prefault({}),
  externalCards: externalCardSettings.prefault({}),
  banking: bankingSettings.prefault({}),
  exchange: z.object({ ...exchangeSettings.shape, ...keptExchangePartySettings.shape }).prefault({}),
  approvals: approvalSettings.prefault({}),
  wallets: walletSettings.prefault({}),
});

/** What any of it can be set to. */
const settable = kept.extend({
  exchange: z.object({ ...exchangeSettings.shape, ...exchangePartySettings.shape }),
});

/** With the defaults of every section. */
export const shownSettings = (settings: TenantSettings): TenantSettings => kept.parse(settings);

/**
 * What is not among the changes stands as it is, whether or not it could still be set.
 * @throws Problem 400 for a key that is none, or a value that it does not take
 */
export function changedSettings(before: TenantSettings, changes: SettingChange[]): TenantSettings {
  const settings = structuredClone(shownSettings(before)) as Record<string, unknown>;
  const keys = keysOf(settings);
  const stood = new Set(problemsOf(settings).map(({ path }) => path.join('.')));
  for (const { key, value } of changes) {
    if (!keys.includes(key)) throw invalid(`${key} is no setting. There are: ${keys.join(', ')}.`, key);
    assign(settings, key.split('.'), valueOf(value));
    stood.delete(key);
  }
  const refused = problemsOf(settings).filter(({ path }) => !stood.has(path.join('.')));
  if (refused.length > 0) throw firstProblem(new z.ZodError(refused));
  return kept.parse(settings);
}

const problemsOf = (settings: unknown): z.core.$ZodIssue[] =>
  settable.safeParse(settings, { reportInput: true }).error?.issues ?? [];

/** Every value's path: all settings have defaults, so that none is missing here. */
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

/** Numbers, true, false, null and lists as JSON has them; anything else is text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
