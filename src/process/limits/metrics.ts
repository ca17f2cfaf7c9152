import { sample } from '../../kernel/metrics/definitions';
import { ageSeconds, type Reading } from '../../kernel/metrics/readings';
import { countingRatesTimes } from './rates';

/** Age of the stored rates, and how long they may still be used. */
export const ratesReading = (now: () => Date): Reading => ({
  name: 'rates',
  gauges: ['rates_age_seconds', 'rates_fresh_seconds'],
  async read(sql) {
    const times = await countingRatesTimes(sql);
    if (!times) return [];
    const age = sample('rates_age_seconds', {}, ageSeconds(now(), times.asOf.getTime()));
    if (times.freshUntil === null) return [age];
    const fresh = (times.freshUntil.getTime() - now().getTime()) / 1_000;
    return [age, sample('rates_fresh_seconds', {}, fresh)];
  },
});
