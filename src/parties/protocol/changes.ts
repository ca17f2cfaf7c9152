import { createHash } from 'node:crypto';
import { z } from 'zod';
import { orAway, parseAnswer } from './answers';
import type { PartyClient } from './client';
import { isStorable, partyName, partyVersion } from './stored';

/** A record of the party's that has changed. */
export interface PartyChange {
  /** The party's name for this change, one in its list: what was read before is known by it. */
  id: string;
  /** What the party is asked for: the order's key, or the party's own name of it. */
  ref: string;
  /** The party's version of it then, where it counts any: a change that is known already needs no look. */
  version?: number | undefined;
}

/** A page of what has changed, in the party's order. */
export interface ChangesPage {
  changes: PartyChange[];
  /** Rows that could not be read, each as a short text without personal data: shown to a person, and passed. */
  unreadable: string[];
  /** The place after this page; the place that was asked for when nothing came after it. */
  next: string | null;
  /** More stands after this page already. */
  more: boolean;
}

/**
 * What a party lists of what has changed, so that nothing depends on its callbacks. A change may come to stand before one
 * that was read (transactions commit in any order), so who reads keeps its places, and reads the two minutes before its last reading again.
 * @param after the place where the page before ended; null for the beginning
 * @throws PartyAway it cannot be asked just now
 */
export type ReadChanges = (after: string | null) => Promise<ChangesPage>;

/** A page of the list; its rows are read one by one, so that one that cannot be read stops none. */
export const pageSchema = z.object({
  changes: z.array(z.unknown()),
  next: z
    .string()
    .min(1)
    .max(1_000)
    .refine(isStorable)
    .nullable()
    .describe(
      'The place after this page, opaque to us; the place that was asked for when nothing came after it.',
    ),
  more: z.boolean().describe('More stands after this page already.'),
});

/** A row of the list. */
export const rowSchema = z.object({
  id: partyName.describe('The party’s name for this change, one in its list.'),
  ref: partyName.describe('What the record is asked for.'),
  // Only spares a look: what is no number is as good as none.
  version: partyVersion.catch(undefined),
});

/** `GET /changes?after=` of our protocol. A row that cannot be read never stops the list. */
export const changesOver =
  (client: PartyClient): ReadChanges =>
  async (after) => {
    const query = after === null ? '' : `?after=${encodeURIComponent(after)}`;
    const page = parseAnswer(pageSchema, await orAway(client.get(`/changes${query}`), 'the list of changes'));
    const next = page.next ?? after;
    return { ...readRows(page.changes), next, more: page.more && next !== after };
  };

function readRows(rows: readonly unknown[]): Pick<ChangesPage, 'changes' | 'unreadable'> {
  const changes: PartyChange[] = [];
  const unreadable: string[] = [];
  for (const row of rows) {
    const parsed = rowSchema.safeParse(row);
    if (parsed.success) changes.push(parsed.data);
    else unreadable.push(describeUnreadable(row, parsed.error));
  }
  return { changes, unreadable };
}

/**
 * The same text for the same row, whenever it is read: its name where it has a plain one, a hash of it elsewhere, and which
 * fields are wrong. Nothing of its content: it may be anybody's.
 */
function describeUnreadable(row: unknown, { issues }: z.ZodError): string {
  const { id } = (row ?? {}) as { id?: unknown };
  const hash = createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 12);
  const name = typeof id === 'string' && /^[\w-]{1,100}$/.test(id) ? id : `sha256 ${hash}`;
  const fields = [...new Set(issues.map(({ path }) => String(path[0] ?? 'row')))];
  return `${name}: ${fields.join(', ')}`;
}
