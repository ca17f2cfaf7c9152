import { createHash } from 'node:crypto';
import { z } from 'zod';
import { orAway, parseAnswer } from './answers';
import type { PartyClient } from './client';
import { isStorable, partyName, partyVersion } from './stored';

/** A record of the party that has changed. */
export interface PartyChange {
  /** The party's id of the change, unique in its list. Readers recognise repeated rows by it. */
  id: string;
  /** The name under which the record is read: the order's key, or the party's own id. */
  ref: string;
  /** The party's version of the record after the change. A known version needs no further reading. */
  version?: number | undefined;
}

/** A page of changes, in the party's order. */
export interface ChangesPage {
  changes: PartyChange[];
  /**
   * Rows that could not be read, each as a short text without personal data. A person is shown them, and the reader
   * goes on.
   */
  unreadable: string[];
  /** Cursor of the next page. The given cursor where nothing followed it. */
  next: string | null;
  /** Whether another page exists already. */
  more: boolean;
}

/**
 * Reads a page of a party's changes, so that nothing depends on its callbacks. Transactions at the party commit in any
 * order, so a change may be listed before one that was read. Readers therefore keep their cursors and repeat the two
 * minutes before the last reading.
 * @param after cursor of the page before; null for the beginning
 * @throws PartyAway the party cannot be reached now
 */
export type ReadChanges = (after: string | null) => Promise<ChangesPage>;

/** A page of the list. Each row is checked separately, so that an unreadable row does not stop the list. */
export const pageSchema = z.object({
  changes: z.array(z.unknown()),
  next: z
    .string()
    .min(1)
    .max(1_000)
    .refine(isStorable)
    .nullable()
    .describe('Cursor of the next page, opaque to us. The given cursor where nothing followed it.'),
  more: z.boolean().describe('Whether another page exists already.'),
});

/** A row of the list. */
export const rowSchema = z.object({
  id: partyName.describe('The party’s id of the change, unique in its list.'),
  ref: partyName.describe('The name under which the record is read.'),
  // The version only saves a request, so an unreadable one is dropped.
  version: partyVersion.catch(undefined),
});

/** `GET /changes?after=` of our protocol. An unreadable row does not stop the list. */
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
 * Describes an unreadable row, with the same text at each reading: its id where that is plain, else a hash, and the
 * wrong fields. The row's content is left out, because it may be personal data.
 */
function describeUnreadable(row: unknown, { issues }: z.ZodError): string {
  const { id } = (row ?? {}) as { id?: unknown };
  const hash = createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 12);
  const name = typeof id === 'string' && /^[\w-]{1,100}$/.test(id) ? id : `sha256 ${hash}`;
  const fields = [...new Set(issues.map(({ path }) => String(path[0] ?? 'row')))];
  return `${name}: ${fields.join(', ')}`;
}
