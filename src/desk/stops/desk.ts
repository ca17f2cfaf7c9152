import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import type { WaitingPlace } from '../../kernel/db/waiting';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { listStops } from '../../process/stops/operations';
import { listSwitchedOff } from '../../process/switches/operations';
import { type CardStopServices, cardDecisions } from './cards';
import type { SwitchServices } from './switches';
import { userDecisions } from './users';

/** A stop in force, or a switch that is off. */
interface Stopped {
  kind: string;
  subject: string;
  tenantId: string | null;
  at: Date;
  stoppedBy: string;
  reason: string;
}

const columns = columnsOf<Stopped>();

/** The desk of stopped tenants, users and cards. Tenants are stopped at their own desk (src/desk/clients). */
export function stopDesk(services: SwitchServices & CardStopServices): Desk {
  return defineDesk({
    name: 'stops',
    title: 'What operators have stopped',
    lists: [
      list({
        name: 'stops',
        title: 'stopped tenants, users and cards, and what is switched off, the newest first',
        filters: z.object({}),
        columns: {
          kind: columns.text('what', ({ kind }) => kind),
          subject: columns.id('id', ({ subject }) => subject),
          client: columns.id('client', ({ tenantId }) => tenantId),
          since: columns.since('since', ({ at }) => at),
          by: columns.text('by', ({ stoppedBy }) => stoppedBy),
          reason: columns.text('why', ({ reason }) => reason),
        },
        rows: ({ after, limit }) => allStopped(services.database, after, limit),
        place: placeOf,
      }),
    ],
    decisions: [...userDecisions, ...cardDecisions(services)],
  });
}

const placeOf = ({ kind, subject, tenantId, at }: Stopped): WaitingPlace => ({
  since: at,
  id: kind === 'capability' ? `${kind}:${subject}:${tenantId ?? ''}` : `${kind}:${subject}`,
});

/** A page of both, the newest first. Each page reads all switches, because they are few. */
async function allStopped(sql: Sql, after: WaitingPlace | undefined, limit: number): Promise<Stopped[]> {
  const [stops, switches] = await Promise.all([listStops(sql, { after, limit }), listSwitchedOff(sql)]);
  const off = switches.map(({ kind, name, tenantId, offAt, offBy, offReason }) => ({
    kind,
    subject: name,
    tenantId,
    at: offAt,
    stoppedBy: offBy,
    reason: offReason,
  }));
  const rest = off.filter((each) => !after || isOlder(placeOf(each), after));
  return [...rest, ...stops]
    .sort((one, other) => (isOlder(placeOf(one), placeOf(other)) ? 1 : -1))
    .slice(0, limit);
}

/** Whether a place comes later in the list. */
const isOlder = (one: WaitingPlace, other: WaitingPlace): boolean =>
  one.since < other.since || (one.since.getTime() === other.since.getTime() && one.id < other.id);
