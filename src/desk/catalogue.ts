import type { Sql } from '../kernel/db/database';
import { notFound } from '../kernel/errors';
import type { IdKind } from '../kernel/ids';
import type { Decision } from '../process/desk/decision';
import type { Desk } from '../process/desk/desk';
import { type Figure, gauge } from '../process/desk/figure';
import type { Finder } from '../process/desk/finder';
import type { List } from '../process/desk/list';
import type { RecordOfDesk } from '../process/desk/record';

/** The desks of all domains: everything that operators look at and decide. Each face is made from it. */
export interface Catalogue {
  desks: readonly Desk[];
  lists: readonly List[];
  records: ReadonlyMap<IdKind, RecordOfDesk>;
  decisions: ReadonlyMap<string, Decision>;
  figures: readonly Figure[];
  finders: readonly Finder[];
}

/** @throws Error where a name is declared twice, or a list names a decision that nobody declares */
export function catalogueOf(
  database: Sql,
  declared: readonly Desk[],
  now: () => Date = () => new Date(),
): Catalogue {
  const lists = declared.flatMap((desk) => desk.lists ?? []);
  const own: Desk = {
    name: 'desk',
    title: 'All work',
    figures: [waitingFigure(database, lists, now)],
  };
  const desks = [own, ...declared];
  const records = desks.flatMap((desk) => desk.records ?? []);
  const decisions = desks.flatMap((desk) => desk.decisions ?? []);
  const figures = desks.flatMap((desk) => desk.figures ?? []);
  const finders = desks.flatMap((desk) => desk.finds ?? []);
  const names = {
    desk: desks.map(({ name }) => name),
    list: lists.map(({ name }) => name),
    record: records.map(({ kind }) => kind),
    // A download is a command, as a decision is.
    decision: [
      ...decisions.map(({ name }) => name),
      ...records.flatMap(({ download }) => (download ? [download.name] : [])),
    ],
    figure: figures.map(({ name }) => name),
    finder: finders.map(({ name }) => name),
  };
  for (const [what, each] of Object.entries(names)) assertUnique(what, each);
  const byName = new Map(decisions.map((each) => [each.name, each]));
  for (const { name, decisions: offered = [] } of lists)
    for (const each of offered)
      if (!byName.has(each)) throw new Error(`the list ${name} offers ${each}, which no desk declares`);
  return {
    desks,
    lists,
    records: new Map(records.map((each) => [each.kind, each])),
    decisions: byName,
    figures,
    finders,
  };
}

function assertUnique(what: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two desks declare the ${what} ${twice}`);
}

export interface ListCount {
  list: string;
  count: number;
  /** Waiting time of the oldest row, 0 when none waits. */
  oldestSeconds: number;
}

/** Length of each list of waiting rows. Cheap statements, one after another on one connection. */
export async function waitingCounts(
  lists: readonly List[],
  sql: Sql,
  now = new Date(),
): Promise<ListCount[]> {
  const counts: ListCount[] = [];
  for (const { name, waitsSince } of lists)
    if (waitsSince) counts.push({ list: name, ...(await waitsSince(sql, now)) });
  return counts;
}

const waitingFigure = (database: Sql, lists: readonly List[], now: () => Date): Figure =>
  gauge({
    name: 'waiting',
    title: 'rows that wait for a person, and the age of the oldest in seconds',
    unit: 'rows, seconds',
    values: async () =>
      (await waitingCounts(lists, database, now())).flatMap(({ list, count, oldestSeconds }) => [
        { labels: { list, of: 'rows' }, value: count },
        { labels: { list, of: 'oldest' }, value: Math.round(oldestSeconds) },
      ]),
  });

/** @throws Problem 404 */
export function requireDecision({ decisions }: Catalogue, name: string): Decision {
  const found = decisions.get(name);
  if (!found) throw notFound('decision');
  return found;
}
