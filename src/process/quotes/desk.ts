import { commonLists, line } from '../desk/common-lists';
import { type Desk, defineDesk } from '../desk/desk';
import { record } from '../desk/record';
import { type DeskDeps, type Story, storyOf } from '../desk/story';
import { findQuote } from './operations';

/** The desk of quotes, which wait for nobody. */
export const quoteDesk = (deps: DeskDeps): Desk =>
  defineDesk({
    name: 'quote',
    title: 'Quotes of fees and rates',
    records: [
      record({ kind: 'quote', title: 'A quote', story: (id, limit) => storyOfQuote(deps, id, limit) }),
    ],
  });

async function storyOfQuote(
  { database, now }: DeskDeps,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const found = await findQuote(database, id);
  if (!found) return undefined;
  const { tenantId, usedBy, expiresAt, createdAt } = found;
  const status = usedBy !== null ? 'used' : expiresAt <= now() ? 'expired' : 'open';
  return storyOf(
    id,
    { what: 'quote', tenantId, status, since: createdAt.toISOString(), record: line(found) },
    await commonLists(database, { id }, limit),
    limit,
  );
}
