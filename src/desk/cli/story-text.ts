import { LISTS, type Line, type Story } from '../../process/desk/story';
import { ageText, type Cell, printable, table } from './console';

export interface ShownStory extends Story {
  workflowUrl?: string;
  revealed?: object;
}

const TITLES: Record<(typeof LISTS)[number], string> = {
  words: "The party's words",
  screenings: 'Screenings',
  decisions: 'Decisions',
  booked: 'Booked now',
  entries: 'Entries',
  transactions: 'Transactions',
  documents: 'Documents',
  related: 'Endpoints',
  events: 'Webhooks',
  breaks: 'Breaks',
  commands: 'What its workflow is still to be told',
  audit: 'Audit log',
};

/** A story for people: the record, then its lists as tables. */
export function storyText(story: ShownStory, now: Date): string {
  const lists = LISTS.flatMap((name) => {
    const lines = story.lists[name];
    if (lines === undefined) return [];
    const more = story.cut.includes(name) ? ' (the newest; --limit shows more)' : '';
    return [`${TITLES[name]}${more}\n${linesTable(lines)}`];
  });
  return [headOf(story, now), ...lists].join('\n\n');
}

function headOf(story: ShownStory, now: Date): string {
  const { id, what, status, since, tenantId, workflowId, workflowUrl, dueBy, overdue, record } = story;
  const age =
    since === null ? '' : ` since ${since} (${ageText((now.getTime() - Date.parse(since)) / 1000)})`;
  const facts: [string, unknown][] = [
    ['client', tenantId],
    ['workflow', workflowUrl ?? workflowId],
    ['due by', dueBy && (overdue ? `${dueBy}, overdue` : dueBy)],
    ...Object.entries(record),
    ...Object.entries(story.revealed ?? {}).map(([name, value]): [string, unknown] => [`! ${name}`, value]),
  ];
  const shown = facts.filter(([, value]) => value !== undefined && value !== null && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  return [
    `${what} ${id}${status === null ? '' : `: ${status}${age}`}`,
    ...shown.map(
      ([name, value]) => `  ${printable(name).padEnd(width)}  ${printable(String(cellOf(value)))}`,
    ),
  ].join('\n');
}

/** A table whose columns are all names of its lines, in order of appearance. */
function linesTable(lines: Line[]): string {
  const named = [...new Set(lines.flatMap((each) => Object.keys(each)))];
  const columns = named.filter((name) => lines.some((each) => !isNothing(each[name])));
  return table(
    columns,
    lines.map((each) => columns.map((name) => cellOf(each[name]))),
  );
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0 && !(value instanceof Date));

function cellOf(value: unknown): Cell {
  if (isNothing(value)) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}
