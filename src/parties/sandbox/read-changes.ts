import type { Database } from '../../kernel/db/database';
import { lookoutOf, type Sign, type SignValue } from '../../kernel/db/lookout';
import { changesCommitted, type ListedChange, listChanges, nextChangeAt, type Place } from './changes';
import type { SandboxParty } from './options';

export type { Place } from './changes';

/** Each change of a record, also a planned one, has a new number. */
const NEWEST: Sign = {
  name: 'changes of the sandbox',
  sql: 'select max(number) from sandbox_party_changes',
};

/** The end of a list: nothing follows a place before a time. */
interface End {
  after: Place | null;
  newest: SignValue;
  /** Commits of this process then. Its own changes are listed at once, without a look. */
  commits: number;
  /** Infinite: no change is planned. */
  untilMs: number;
}

let commits = 0;
changesCommitted.subscribe(() => {
  commits += 1;
});

const ends = new WeakMap<Database, Map<SandboxParty, End>>();

/** Lists changes as {@link listChanges}. A reader who asks at the end of a list again costs no statement until it grows. */
export async function readChanges(
  database: Database,
  party: SandboxParty,
  given: { after: Place | null; until: Date; limit: number },
): Promise<ListedChange[]> {
  const newest = await lookoutOf(database).value(NEWEST);
  const known = endsOf(database).get(party);
  if (known && isEnd(known, newest, given)) return [];
  const before = commits;
  const listed = await listChanges(database, party, given);
  if (listed.length > 0) return listed;
  const next = await nextChangeAt(database, party, given.until);
  endsOf(database).set(party, {
    after: given.after,
    newest,
    commits: before,
    untilMs: next?.getTime() ?? Number.POSITIVE_INFINITY,
  });
  return [];
}

const isEnd = (known: End, newest: SignValue, { after, until }: { after: Place | null; until: Date }) =>
  known.newest === newest &&
  known.commits === commits &&
  known.after?.number === after?.number &&
  known.after?.at.getTime() === after?.at.getTime() &&
  until.getTime() < known.untilMs;

function endsOf(database: Database): Map<SandboxParty, End> {
  const known = ends.get(database) ?? new Map<SandboxParty, End>();
  ends.set(database, known);
  return known;
}
