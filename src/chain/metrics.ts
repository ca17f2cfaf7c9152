import { sample } from '../kernel/metrics/definitions';
import { ageSeconds, type Reading } from '../kernel/metrics/readings';
import type { Services } from '../services';
import { lastReadings } from './reconciliation/readings';

export const chainReading = ({ now }: Pick<Services, 'now'>): Reading => ({
  name: 'chains',
  gauges: ['chain_difference', 'chain_reading_age_seconds'],
  async read(sql) {
    const readings = await lastReadings(sql);
    const newest = new Map<string, number>();
    for (const { chain, readAt } of readings)
      newest.set(chain, Math.max(newest.get(chain) ?? 0, readAt.getTime()));
    return [
      ...readings.map(({ chain, place, asset, reported, booked, unbooked }) =>
        sample(
          'chain_difference',
          { chain, place, asset },
          reported.minus(booked).minus(unbooked).toNumber(),
        ),
      ),
      ...[...newest].map(([chain, at]) =>
        sample('chain_reading_age_seconds', { chain }, ageSeconds(now(), at)),
      ),
    ];
  },
});
