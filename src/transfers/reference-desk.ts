import { transactionsByReference } from '../cards/events/history';
import { notFound } from '../kernel/errors';
import { listedByReference } from '../kernel/ledger/by-reference';
import { commonLists, line } from '../process/desk/common-lists';
import { type Desk, defineDesk } from '../process/desk/desk';
import { record } from '../process/desk/record';
import { type DeskDeps, type Story, storyOf } from '../process/desk/story';
import { transferOfReference } from './engine/read';

/** The desk of references, which movements of accounts, cards and transfers share. */
export const referenceDesk = (deps: DeskDeps): Desk =>
  defineDesk({
    name: 'reference',
    title: 'References of movements',
    records: [
      record({
        kind: 'reference',
        title: 'Entries and webhooks of one reference',
        story: (id, limit) => referenceStory(deps, id, limit),
      }),
    ],
  });

async function referenceStory({ database }: DeskDeps, id: string, limit: number): Promise<Story> {
  const legs = await listedByReference(database, id, limit + 1);
  const cardSide: object[] = await transactionsByReference(database, id);
  const transfer = await transferOfReference(database, id);
  const lists = await commonLists(database, { id, references: [id] }, limit);
  if (legs.length + cardSide.length === 0 && transfer === undefined) throw notFound('reference');
  return storyOf(
    id,
    {
      what: 'reference',
      tenantId: null,
      status: null,
      since: legs[0]?.at.toISOString() ?? null,
      record: transfer === undefined ? {} : { transfer },
    },
    { ...lists, entries: legs.map(line), transactions: cardSide.map(line) },
    limit,
  );
}
