import type { Reached } from '../cards/programmes/rules';
import { Problem } from '../kernel/errors';
import type { Services } from '../services';
import { bothSettingsOf } from '../tenants/clients/operations';
import { depositSettingsSection } from './deposits/settings';
import { payoutSettingsSection } from './payouts/settings';

/**
 * The currencies, of those given, that some option of the tenant's can be paid into and out of now: its own currency, or
 * another that is dealt in.
 */
export async function currenciesReached(
  { database, parties }: Pick<Services, 'database' | 'parties'>,
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

  function isDealt(from: string, to: string): boolean {
    try {
      parties.rates.rate(from, to);
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  return {
    deposit: new Set(
      currencies.filter((own) => deposits.options.some(({ currency }) => isDealt(currency, own))),
    ),
    payout: new Set(
      currencies.filter((own) => payouts.options.some(({ currency }) => isDealt(own, currency))),
    ),
  };
}
