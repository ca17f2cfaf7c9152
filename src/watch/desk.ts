import { WATCHED_PARTIES } from '../kernel/outbox/queues';
import { type Desk, defineDesk } from '../process/desk/desk';
import { gauge } from '../process/desk/figure';
import type { Services } from '../services';
import { listsReadAt } from './store';

/** The desk of parties' lists of changes, which the watchers read. */
export const partyListDesk = ({
  database,
  now,
  switches,
}: Pick<Services, 'database' | 'now' | 'switches'>): Desk =>
  defineDesk({
    name: 'party-lists',
    title: "Parties' lists of changes",
    figures: [
      gauge({
        name: 'parties-heard',
        title: "how long ago each party's list of changes was last read",
        unit: 'seconds',
        async values() {
          const read = await listsReadAt(database);
          const at = now().getTime();
          return WATCHED_PARTIES.filter((party) => switches.partyAtOnce(party) !== 'left_out').map(
            (party) => {
              const last = read.get(party);
              return {
                labels: { party },
                value: last === undefined ? 'never' : Math.max(0, Math.round((at - last.getTime()) / 1_000)),
              };
            },
          );
        },
      }),
    ],
  });
