import type { FoundRecord } from '../kernel/db/found';
import { Problem } from '../kernel/errors';
import type { Permission } from '../kernel/permissions';
import type { Finder } from '../process/desk/finder';
import type { DeskDeps } from '../process/desk/story';
import type { Catalogue } from './catalogue';
import { recordOfId, tell } from './tell';

/** Rows of each finder. */
const MAX_ROWS = 20;

/** Shortest text that is looked up. */
export const MIN_SEARCH = 3;
export const MAX_SEARCH = 200;

/** The records that one finder has found. */
export interface Found {
  finder: string;
  title: string;
  rows: FoundRecord[];
  /** Whether there are further records that are not shown. */
  more: boolean;
}

export interface Searching {
  text: string;
  may(permission: Permission): boolean;
}

/**
 * Finds records by any text: all finders of all desks are asked at once.
 * @returns the records by finder; the record of a whole id comes first
 */
export async function search(
  catalogue: Pick<Catalogue, 'finders' | 'records'>,
  deps: DeskDeps,
  { text: given, may }: Searching,
): Promise<Found[]> {
  const text = given.trim();
  // Postgres takes no NUL, and no record has a control character in its names.
  if (text.length < MIN_SEARCH || text.length > MAX_SEARCH || /\p{Cc}/u.test(text)) return [];
  const asked = catalogue.finders.filter(
    ({ pattern, permission = 'view' }) => may(permission) && pattern.test(text),
  );
  const found = await Promise.all([
    byWholeId(catalogue, deps, { text, may }),
    ...asked.map((finder) => foundBy(finder, text)),
  ]);
  return found.filter(({ rows }) => rows.length > 0);
}

async function foundBy({ name, title, find }: Finder, text: string): Promise<Found> {
  const rows = await find(text, MAX_ROWS + 1);
  return { finder: name, title, rows: rows.slice(0, MAX_ROWS), more: rows.length > MAX_ROWS };
}

/** The record of an id, or another subject of the audit log. */
async function byWholeId(
  catalogue: Pick<Catalogue, 'records'>,
  deps: DeskDeps,
  { text, may }: Searching,
): Promise<Found> {
  const rows = may(recordOfId(catalogue, text)?.permission ?? 'view')
    ? await told(catalogue, deps, text)
    : [];
  return { finder: 'id', title: 'the id of any record', rows, more: false };
}

async function told(
  catalogue: Pick<Catalogue, 'records'>,
  deps: DeskDeps,
  id: string,
): Promise<FoundRecord[]> {
  try {
    const { tenantId, status, since } = await tell(catalogue, deps, { id, limit: 1 });
    return [{ id, tenantId, status, at: since === null ? null : new Date(since) }];
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return [];
    throw error;
  }
}
