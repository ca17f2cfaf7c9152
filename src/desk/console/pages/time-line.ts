import { type Html, html } from '../../../kernel/wire/html';
import { LISTS, type Line, type ListName, type Story } from '../../../process/desk/story';
import {
  ageOf,
  capital,
  factsOf,
  isInstant,
  isNothing,
  moneyOf,
  textOf,
  timeOf,
  valueOf,
  wordsOf,
} from '../render/cells';

/** What each list of a story holds, in a word for one of its lines and in a title. */
const NAMES: Record<ListName, readonly [string, string]> = {
  words: ['word', "The party's words"],
  screenings: ['screening', 'Screenings'],
  decisions: ['decision', 'Decisions'],
  booked: ['booked', 'Booked now'],
  entries: ['entry', 'Entries'],
  transactions: ['transaction', 'Transactions'],
  documents: ['document', 'Documents'],
  related: ['related', 'Related'],
  events: ['webhook', 'Webhooks'],
  breaks: ['break', 'Breaks'],
  commands: ['command', 'What its workflow is still to be told'],
  audit: ['audit', 'Audit log'],
};

export const listTitle = (name: ListName): string => NAMES[name][1];

interface Dated {
  at: string;
  list: ListName;
  line: Line;
  /** Name of the field with the moment. */
  field: string;
}

/** The moment of a line: `at`, `createdAt`, or its first field that holds a moment. */
function momentOf(line: Line): [string, string] | undefined {
  const moments = Object.entries(line).filter(
    (each): each is [string, string] => typeof each[1] === 'string' && isInstant(each[1]),
  );
  return (
    moments.find(([name]) => name === 'at') ?? moments.find(([name]) => name === 'createdAt') ?? moments[0]
  );
}

/** All lines of a story that have a moment, the newest first. */
export function timeLine({ lists }: Story, now: Date): Html {
  const dated = LISTS.flatMap((list) =>
    (lists[list] ?? []).flatMap((line): Dated[] => {
      const moment = momentOf(line);
      return moment ? [{ at: moment[1], list, line, field: moment[0] }] : [];
    }),
  ).sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  if (dated.length === 0) return html`<p class="empty">Nothing has happened to it yet.</p>`;
  return html`<ol class="time-line">${dated.map((each) => entry(each, now))}</ol>`;
}

/** Fields that say what a line is, in the order of preference. */
const HEADS = ['action', 'decision', 'type', 'event', 'kind', 'component', 'status', 'name'];

function entry({ at, list, line, field }: Dated, now: Date): Html {
  const head = HEADS.find((name) => typeof line[name] === 'string' && line[name] !== '');
  const { amount, currency } = line;
  const money =
    typeof amount === 'string' && typeof currency === 'string' ? moneyOf(amount, currency) : undefined;
  const shown = [field, head, ...(money ? ['amount', 'currency'] : [])];
  const rest = Object.entries(line).filter(([name, value]) => !shown.includes(name) && !isNothing(value));
  const isDeep = (value: unknown) => typeof value === 'object' && value !== null;
  const plain = rest.filter(([, value]) => !isDeep(value));
  const deep = rest.filter(([, value]) => isDeep(value));
  return html`<li class="of-${list}"><div class="when">${timeOf(at)}<span class="soft">${ageOf(at, now)}</span></div>
<div class="what"><p><span class="tag">${NAMES[list][0]}</span> ${
    head === undefined ? undefined : html`<strong>${headText(line[head] as string)}</strong> `
  }${money}</p>${
    plain.length === 0
      ? undefined
      : html`<p class="details">${plain.map(([name, value]) => html`<span><span class="soft">${wordsOf(name)}</span> ${valueOf(value)}</span> `)}</p>`
  }${deep.length === 0 ? undefined : html`<details class="more"><summary>${deep.map(([name]) => wordsOf(name)).join(', ')}</summary>${factsOf(deep)}</details>`}</div></li>`;
}

const headText = (text: string): Html => textOf(text.replaceAll('_', ' '));

/** A list of a story as a table, whose columns are all names of its lines. */
export function linesTable(name: ListName, lines: readonly Line[], now: Date): Html {
  const named = [...new Set(lines.flatMap((each) => Object.keys(each)))];
  const columns = named.filter((column) => lines.some((each) => !isNothing(each[column])));
  const cell = (value: unknown): Html =>
    typeof value === 'string' && isInstant(value)
      ? html`${timeOf(value)} <span class="soft">${ageOf(value, now)}</span>`
      : valueOf(value);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${listTitle(name)}"><table class="rows"><caption class="hidden">${listTitle(name)}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${capital(wordsOf(column))}</th>`)}</tr></thead>
<tbody>${lines.map((each) => html`<tr>${columns.map((column) => html`<td data-label="${wordsOf(column)}"><div>${cell(each[column])}</div></td>`)}</tr>`)}</tbody></table></div>`;
}
