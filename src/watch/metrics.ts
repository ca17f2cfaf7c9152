import { sample } from '../kernel/metrics/definitions';
import { ageSeconds, type Reading } from '../kernel/metrics/readings';
import { WATCHED_PARTIES } from '../kernel/outbox/queues';
import type { Services } from '../services';
import { listsReadAt } from './store';

/**
 * Reports how long ago each party's list was read. A list that was never read counts from the start of this process, so
 * that a watcher that never ran is noticed. Parties that are left out have no watcher.
 */
export function listAgeReading({ now, switches }: Pick<Services, 'now' | 'switches'>): Reading {
  const startedAt = now();
  return {
    name: 'lists',
    gauges: ['party_list_age_seconds'],
    async read(sql) {
      const read = await listsReadAt(sql);
      return WATCHED_PARTIES.filter((party) => switches.partyAtOnce(party) !== 'left_out').map((party) => {
        const at = (read.get(party) ?? startedAt).getTime();
        return sample('party_list_age_seconds', { party }, ageSeconds(now(), at));
      });
    },
  };
}
