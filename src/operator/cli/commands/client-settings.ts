import { z } from 'zod';
import { exchangeSettings } from '../../../accounts/exchange/settings';
import { walletSettings } from '../../../chain/wallets/settings';
import { invalid } from '../../../kernel/errors';
import { firstProblem } from '../../../kernel/wire/schemas';
import { type TenantSettings, tenantSettings } from '../../../tenants/clients/settings';
import { approvalSettings } from '../../../transfers/approval/settings';
import { depositSettings } from '../../../transfers/deposits/settings';
import { exchangePartySettings } from '../../../transfers/exchange/settings';
import { externalCardSettings } from '../../../transfers/external-cards/settings';
import { bankingSettings } from '../../../transfers/iban/settings';
import { payoutSettings } from '../../../transfers/payouts/settings';

/** `rateLimit.perSecond` and what it becomes, as it was typed. */
export interface SettingChange {
  key: string;
  value: string;
}

/** A tenant's own settings, and the sections of the domains. */
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

/** With the defaults of every section. */
export const shownSettings = (settings: TenantSettings): TenantSettings => allSettings.parse(settings);

/**
 * What is not among the changes stands as it is.
 * @throws Problem 400 for a key that is none, or a value that it does not take
 */
export function changedSettings(before: TenantSettings, changes: SettingChange[]): TenantSettings {
  const settings = structuredClone(shownSettings(before)) as Record<string, unknown>;
  const keys = keysOf(settings);
  for (const { key, value } of changes) {
    if (!keys.includes(key)) throw invalid(`${key} is no setting. There are: ${keys.join(', ')}.`, key);
    assign(settings, key.split('.'), valueOf(value));
  }
  const { data, error } = allSettings.safeParse(settings, { reportInput: true });
  if (error) throw firstProblem(error);
  return data;
}

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
