import type { Reached } from '../cards/programmes/rules';
import { isAnyEnabled } from '../chain/networks/operations';
import { Problem } from '../kernel/errors';
import { currenciesIn } from '../parties/rates/snapshot';
import type { Services } from '../services';
import { bothSettingsOf } from '../tenants/clients/operations';
import { depositSettingsSection } from './deposits/settings';
import { payoutSettingsSection } from './payouts/settings';

/**
 * Finds the currencies that a tenant can use now, of those given.
 * `deposit`, `payout`: some option has this currency, or one with a rate to or from it.
 * `exchange`: the currency has rates, or the exchange takes orders.
 * `crypto`: all, while a network is enabled, because chain deposits are converted.
 */
export async function currenciesReached(
  { database, parties, switches }: Pick<Services, 'database' | 'parties' | 'switches'>,
  tenantId: string,
  currencies: readonly string[],
): Promise<Reached> {
  const [deposits, payouts] = await bothSettingsOf(
    database,
    tenantId,
    depositSettingsSection,
    payoutSettingsSection,
  );
  await parties.rates.ready();

  const isDealt = (from: string, to: string) =>
    unlessRefused(() => parties.rates.rate(from, to)) !== undefined;
  const quoted = unlessRefused(() => currenciesIn(parties.rates.snapshot())) ?? [];
  const isQuoted = (own: string) => quoted.length > 1 && quoted.includes(own);
  const [exchange, isOnChain] = await Promise.all([switches.party('exchange'), isAnyEnabled(database)]);
  const takesOrders = exchange === 'on';

  return {
    exchange: new Set(currencies.filter((own) => takesOrders || isQuoted(own))),
    deposit: new Set(
      currencies.filter((own) => deposits.options.some(({ currency }) => isDealt(currency, own))),
    ),
    payout: new Set(
      currencies.filter((own) => payouts.options.some(({ currency }) => isDealt(own, currency))),
    ),
    crypto: new Set(isOnChain ? currencies : []),
  };
}

/** Undefined where rates are missing. */
function unlessRefused<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
