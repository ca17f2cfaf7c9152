import { capabilityDisabled } from '../../kernel/errors';
import type { RefreshedRates } from './port';
import { rateOfItself } from './snapshot';

/** Where no party quotes: a currency is worth itself, and no other is dealt in. */
export const ratesLeftOut = (): RefreshedRates => ({
  rate: (from) => rateOfItself(from, new Date()),
  worth: (from, to) => (from === to ? rateOfItself(from, new Date()).mid : undefined),
  snapshot() {
    throw capabilityDisabled();
  },
  ready: async () => undefined,
  start: () => undefined,
  stop: async () => undefined,
});

/**
 * Rates that are dealt on while the party is on.
 * @returns whose `rate` (for two currencies) and `snapshot` throw Problem 403 `capability_disabled` while it is not
 */
export const dealtWhileOn = (rates: RefreshedRates, isOn: () => boolean): RefreshedRates => ({
  ...rates,
  rate(from, to) {
    if (from !== to && !isOn()) throw capabilityDisabled();
    return rates.rate(from, to);
  },
  snapshot() {
    if (!isOn()) throw capabilityDisabled();
    return rates.snapshot();
  },
});
