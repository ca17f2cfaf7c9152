import { sample } from '../../kernel/metrics/definitions';
import type { Reading } from '../../kernel/metrics/readings';
import { countOpenBreaks } from './store';

/** The unresolved breaks by kind. */
export const breaksReading: Reading = {
  name: 'breaks',
  gauges: ['breaks_open', 'breaks_oldest_seconds'],
  read: async (sql) =>
    (await countOpenBreaks(sql)).flatMap(({ kind, count, oldestSeconds }) => [
      sample('breaks_open', { kind }, count),
      sample('breaks_oldest_seconds', { kind }, oldestSeconds),
    ]),
};
