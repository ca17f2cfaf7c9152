import { sample } from '../../kernel/metrics/definitions';
import type { Reading } from '../../kernel/metrics/readings';
import { pendingByDirection } from './store';

export const screeningReading: Reading = {
  name: 'screenings',
  gauges: ['screenings_pending', 'screenings_pending_oldest_seconds'],
  read: async (sql) =>
    (await pendingByDirection(sql)).flatMap(({ direction, count, seconds }) => [
      sample('screenings_pending', { direction }, count),
      sample('screenings_pending_oldest_seconds', { direction }, seconds),
    ]),
};
