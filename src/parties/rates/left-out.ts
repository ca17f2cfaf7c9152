import { capabilityDisabled } from '../../kernel/errors';
import type { RefreshedRates } from './port';
import { rateOfItself } from './snapshot';

/** Without a rates party, a currency converts only to itself. */
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
 * Rates that may be used only while the party is on.
 * @returns rates whose `rate` (for two currencies) and `snapshot` throw Problem 403 `capability_disabled` while the
 * party is off
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
