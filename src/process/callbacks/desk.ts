import { commonLists, line } from '../desk/common-lists';
import { type Desk, defineDesk } from '../desk/desk';
import { keepingHours, series } from '../desk/figure';
import { record } from '../desk/record';
import { type DeskDeps, type Story, storyOf } from '../desk/story';
import { findCallback } from './operations';
import { countByHour, forgedByHour } from './store';

/** The desk of verified callbacks of parties. Their content stays sealed. */
export const callbackDesk = (deps: DeskDeps): Desk =>
  defineDesk({
    name: 'callback',
    title: 'Callbacks of parties',
    figures: [
      series({
        name: 'party-callbacks',
        title: 'callbacks of parties, and those without a valid signature',
        unit: 'callbacks',
        points: keepingHours(async (from, to) => {
          const [verified, forged] = await Promise.all([
            countByHour(deps.database, { from, to }),
            forgedByHour(deps.database, { from, to }),
          ]);
          return [
            ...verified.map(({ at, party, count }) => ({ at, labels: { party }, value: count })),
            ...forged.map(({ at, party, count }) => ({
              at,
              labels: { party, what: 'forged' },
              value: count,
            })),
          ];
        }),
      }),
    ],
    records: [
      record({
        kind: 'callback',
        title: 'A verified callback of a party',
        story: (id, limit) => storyOfCallback(deps, id, limit),
      }),
    ],
  });

async function storyOfCallback(
  { database }: DeskDeps,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const found = await findCallback(database, id);
  if (!found) return undefined;
  const { receivedAt, handledAt } = found;
  return storyOf(
    id,
    {
      what: 'callback',
      tenantId: null,
      status: handledAt ? 'handled' : 'received',
      since: (handledAt ?? receivedAt).toISOString(),
      record: line(found),
    },
    await commonLists(database, { id }, limit),
    limit,
  );
}
