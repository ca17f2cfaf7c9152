import type { Reached } from '../cards/programmes/rules';
import { isAnyEnabled } from '../chain/networks/operations';
import { Problem } from '../kernel/errors';
import { currenciesIn } from '../parties/rates/snapshot';
import type { Services } from '../services';
import { bothSettingsOf } from '../tenants/clients/operations';
import { depositSettingsSection } from './deposits/settings';
import { payoutSettingsSection } from './payouts/settings';

/**
 * The currencies, of those given, that some option of the tenant's can be paid into and out of now: its own currency, or
 * another that is dealt in; those that can be exchanged: between accounts what has a rate to another currency, by an
 * order whatever the exchange may take; and, while a network is enabled, all of them, for what comes on a chain is converted.
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

/** Nothing where there are no rates to deal on. */
function unlessRefused<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
