import type { Tx } from '../kernel/db/database';
import { isAway } from '../kernel/db/faults';
import type { WatchedParty } from '../kernel/outbox/queues';
import type { PartyChange } from '../parties/protocol/changes';
import { nameForLog } from '../parties/protocol/names';
import { openBreak, openBreaksOf, syncBreaks } from '../process/breaks/operations';
import { PartyAway } from '../process/party-errors';
import type { Services } from '../services';
import type { BookReports } from './book-reports';
import { LISTENERS } from './listeners';
import { noteAnchor, notePlace } from './store';

/** Overlap of readings, because parties commit late and clocks differ. */
export const OVERLAP_MS = 120_000;

/** Break: a row of a list could not be applied and was passed. */
const NOT_APPLIED = 'party_row_not_applied';

/**
 * Most passed rows of a party that wait for people. With more failures the fault is ours, so no further row is passed.
 */
const MAX_PASSED = 20;

/** A page that was read. The new changes are delivered later. */
export interface ReadPage {
  from: string | null;
  changes: PartyChange[];
  place: string | null;
  readAt: Date;
  /** Delivers every row, known or not. */
  isAnew: boolean;
}

export interface Delivery {
  /** Ids of rows that an earlier call passed. */
  passedBefore: ReadonlySet<string>;
  /** Books rows that are reports. Absent: the list has none. */
  book?: BookReports | undefined;
}

/**
 * Delivers a page's changes to their listener, and notes its end in the same transaction. When a row fails the page, the
 * rows are delivered one by one. A row that fails alone is passed with a break, so that it stops no later row.
 * @returns the rows that were passed
 * @throws DatabaseAway, or the error of a row when too many rows fail; nothing is noted, and the page must be delivered
 *   again
 */
export async function deliverPage(
  services: Services,
  party: WatchedParty,
  page: ReadPage,
  { passedBefore, book }: Delivery,
): Promise<PartyChange[]> {
  try {
    const refs = await refsToTell(services, party, page, book);
    await services.database.transaction(async (tx) => {
      if (refs.length > 0) await LISTENERS[party].receive(services, tx, refs);
      await noteDelivered(tx, party, page, { passed: [], passedBefore, at: services.now() });
    });
    return [];
  } catch (error) {
    if (isOfNoRow(error) || page.changes.length === 0) throw error;
  }
  const passed = await deliverOneByOne(services, party, page, book);
  await services.database.transaction((tx) =>
    noteDelivered(tx, party, page, { passed, passedBefore, at: services.now() }),
  );
  return passed;
}

/** Whether an error is independent of the rows, so that any other page would fail, too. */
const isOfNoRow = (error: unknown): boolean => isAway(error) || error instanceof PartyAway;

/** @returns the rows that cannot be applied */
async function deliverOneByOne(
  services: Services,
  party: WatchedParty,
  { changes, isAnew }: ReadPage,
  book: BookReports | undefined,
): Promise<PartyChange[]> {
  const { database, log, observeUnusable } = services;
  const known = new Set((await openNotApplied(database, party)).map(({ detail }) => detail));
  const passed: PartyChange[] = [];
  for (const change of changes) {
    try {
      const refs = await refsToTell(services, party, { changes: [change], isAnew }, book);
      await database.transaction(async (tx) => {
        if (refs.length > 0) await LISTENERS[party].receive(services, tx, refs);
      });
    } catch (error) {
      if (isOfNoRow(error)) throw error;
      known.add(describe(change));
      if (known.size > MAX_PASSED) throw error;
      observeUnusable(party, 'row_not_applied');
      log.error(
        { party, row: describe(change), err: error },
        'a row of the list cannot be applied; it is passed',
      );
      passed.push(change);
    }
  }
  return passed;
}

interface Passed {
  passed: readonly PartyChange[];
  passedBefore: ReadonlySet<string>;
  at: Date;
}

/** Notes how far the list was delivered, and opens a break for each passed row. */
async function noteDelivered(
  tx: Tx,
  party: WatchedParty,
  { from, changes, place, readAt }: ReadPage,
  { passed, passedBefore, at }: Passed,
): Promise<void> {
  for (const change of passed)
    await openBreak(tx, { tenantId: null, kind: NOT_APPLIED, subject: party, detail: describe(change) });
  const applied = changes.filter((change) => !passed.includes(change));
  await closeApplied(tx, party, applied.filter(({ id }) => passedBefore.has(id)).map(describe), at);
  if (place === null) return;
  await notePlace(tx, { party, place, readAt }, new Date(readAt.getTime() - OVERLAP_MS));
  if (applied[0]) await noteAnchor(tx, party, { place: from, changeId: applied[0].id, readAt });
}

/** Closes the breaks of passed rows that are applied now. */
async function closeApplied(
  tx: Tx,
  party: WatchedParty,
  details: readonly string[],
  at: Date,
): Promise<void> {
  if (details.length === 0) return;
  const open = (await openNotApplied(tx, party)).filter(({ detail }) => details.includes(detail));
  await syncBreaks(tx, { tenantId: null, subject: party, open, wanted: [], notices: [], at });
}

const openNotApplied = async (sql: Parameters<typeof openBreaksOf>[0], party: WatchedParty) =>
  (await openBreaksOf(sql, party)).filter(({ kind }) => kind === NOT_APPLIED);

/** Describes a row by its id and record, without possible personal data. */
const describe = ({ id, ref }: PartyChange): string => `${nameForLog(id)}: ${nameForLog(ref)}`;

/**
 * Books the reports among the changes, and lets the listener inspect the others, before the page is noted.
 * @returns the names that the listener receives
 */
async function refsToTell(
  services: Services,
  party: WatchedParty,
  { changes, isAnew }: Pick<ReadPage, 'changes' | 'isAnew'>,
  book: BookReports | undefined,
): Promise<string[]> {
  const refs = await refsToDeliver(services, party, changes, isAnew);
  const { reports, inspect } = LISTENERS[party];
  if (refs.length > 0) await inspect?.(services, refs);
  if (!reports || !book) return refs;
  await book(refs.filter(reports.isReport));
  return refs.filter((ref) => !reports.isReport(ref));
}

async function refsToDeliver(
  services: Services,
  party: WatchedParty,
  changes: readonly PartyChange[],
  isAnew: boolean,
): Promise<string[]> {
  return isAnew ? [...new Set(changes.map(({ ref }) => ref))] : news(services, party, changes);
}

/** Names with an unknown version, and unknown names, which may be money that nobody ordered. */
async function news(
  { database }: Services,
  party: WatchedParty,
  changes: readonly PartyChange[],
): Promise<string[]> {
  if (changes.length === 0) return [];
  const versions = new Map<string, number | undefined>();
  for (const { ref, version } of changes) versions.set(ref, newer(versions.get(ref), version));
  for (const { ref, version } of await LISTENERS[party].known(database, [...versions.keys()]))
    if (version !== null && version >= (versions.get(ref) ?? Number.POSITIVE_INFINITY)) versions.delete(ref);
  return [...versions.keys()];
}

const newer = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? other : Math.max(one, other);
