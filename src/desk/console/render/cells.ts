import { kindOfId } from '../../../kernel/ids';
import { Html, html } from '../../../kernel/wire/html';
import type { Cell, Column } from '../../../process/desk/list';
import { ageText, printable } from '../../shown-text';

/** Values as a person reads them. Each id is a link, because the next question is always about another record. */

const ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export const isKnownId = (text: string): boolean => ID.test(text) && kindOfId(text) !== undefined;
export const isInstant = (text: string): boolean => INSTANT.test(text);

export const recordPath = (id: string): string =>
  kindOfId(id) === 'approval' ? `/approvals/${id}` : `/records/${encodeURIComponent(id)}`;

/** `pay_…8f2k1m`, because the beginning of an id is a time, which ids of one day share. */
const shortId = (id: string): string => `${id.slice(0, id.indexOf('_') + 1)}…${id.slice(-6)}`;

export function idLink(id: string, length: 'whole' | 'short' = 'whole'): Html {
  const shown = length === 'short' && ID.test(id) ? shortId(id) : printable(id);
  return html`<a class="id" href="${recordPath(id)}" title="${id}">${shown}</a>`;
}

/** `2026-03-01 12:00:05`, in UTC. A script adds the local time. @param zone names UTC where no column does */
export function timeOf(iso: string, zone?: 'UTC'): Html {
  const shown = iso.slice(0, 19).replace('T', ' ');
  return html`<time datetime="${iso}" title="${iso}">${shown}${zone && ` ${zone}`}</time>`;
}

const OLD_SECONDS = 86_400;

/** How long ago. An age above a day stands out. */
export function ageOf(iso: string, now: Date): Html {
  const seconds = (now.getTime() - Date.parse(iso)) / 1000;
  const tone = seconds >= OLD_SECONDS ? ' old' : '';
  return html`<time class="age${tone}" datetime="${iso}" title="${iso}">${ageText(seconds)}</time>`;
}

/** Words that statuses have in common. A status without one is neutral. */
const TONES: readonly [string, RegExp][] = [
  ['bad', /fail|reject|declin|overdue|disabled|broken|frozen|blocked|reversed|lost|expired|inactive/],
  ['busy', /pending|wait|review|process|open|sent|confirm|created|progress/],
  ['good', /complet|approv|admitted|active|settled|succe|delivered|enabled|^on$|healthy/],
];

export function pill(status: string): Html {
  const tone = TONES.find(([, words]) => words.test(status))?.[0] ?? 'plain';
  return html`<span class="pill ${tone}">${printable(status).replaceAll('_', ' ')}</span>`;
}

export const none = html`<span class="none"><span class="hidden">none</span><span aria-hidden="true">–</span></span>`;

/** A cell of a list, by the type of its column. */
export function cellOf(type: Column['type'], cell: Cell, now: Date, isFirst = false): Html {
  if (cell === null || cell === '') return none;
  if (typeof cell === 'object') return moneyOf(cell.amount, cell.currency);
  const text = String(cell);
  if (type === 'id') return idLink(text, isFirst ? 'whole' : 'short');
  if (type === 'time') return timeOf(text);
  if (type === 'since') return ageOf(text, now);
  if (type === 'status') return pill(text);
  if (typeof cell === 'number') return html`<span class="number">${cell}</span>`;
  return textOf(text, 'short');
}

export const moneyOf = (amount: string, currency: string): Html =>
  html`<span class="money">${amount} <span class="unit">${currency}</span></span>`;

/** A text in which each id is a link, and a moment is a time. */
export function textOf(text: string, length: 'whole' | 'short' = 'whole'): Html {
  if (isInstant(text)) return timeOf(text);
  if (isKnownId(text)) return idLink(text, length);
  const parts = printable(text).split(/\b([a-z]{2,5}_[0-9a-z]{26})\b/);
  return html`${parts.map((part) => (isKnownId(part) ? idLink(part, length) : breakable(part)))}`;
}

/** A narrow cell breaks `deposit/admin_deposit` after its words. */
function breakable(text: string): Html {
  const words = text.split(/(?<=[/_])(?=[a-z])/);
  return html`${words.map((word, index) => (index === 0 ? html`${word}` : html`<wbr>${word}`))}`;
}

/** `lookAt` is `look at`. */
export const wordsOf = (name: string): string =>
  name
    .replace(/[_-]/g, ' ')
    .replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const MAX_DEPTH = 2;

/** Any value of a record: text, a list of facts, or JSON where it is nested deeply. */
export function valueOf(value: unknown, depth = 0): Html {
  if (isNothing(value)) return none;
  if (typeof value === 'string') return textOf(value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return html`<span class="number">${String(value)}</span>`;
  if (typeof value === 'boolean') return html`${value ? 'yes' : 'no'}`;
  if (value instanceof Date) return timeOf(value.toISOString());
  const plain = JSON.parse(JSON.stringify(value)) as unknown;
  if (typeof plain !== 'object' || plain === null) return valueOf(plain, depth);
  if (isMoney(plain)) return moneyOf(plain.amount, plain.currency);
  if (Array.isArray(plain) && plain.every((each) => typeof each !== 'object'))
    return html`${plain.map((each, index) => html`${index === 0 ? '' : ', '}${textOf(String(each))}`)}`;
  if (Array.isArray(plain) || depth >= MAX_DEPTH) return jsonOf(plain);
  return factsOf(Object.entries(plain), depth + 1);
}

const isMoney = (value: object): value is { amount: string; currency: string } => {
  const { amount, currency, ...rest } = value as Record<string, unknown>;
  return typeof amount === 'string' && typeof currency === 'string' && Object.keys(rest).length === 0;
};

export const jsonOf = (value: unknown): Html =>
  html`<details class="json"><summary>JSON</summary><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></details>`;

export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && !(value instanceof Date) && Object.keys(value).length === 0);

/** Names with their values. A field without a value is left out. */
export function factsOf(facts: readonly [string, unknown][], depth = 0): Html {
  const shown = facts.filter(([, value]) => !isNothing(value));
  if (shown.length === 0) return none;
  return html`<dl class="facts${depth > 0 ? ' nested' : ''}">${shown.map(
    ([name, value]) => html`<div><dt>${wordsOf(name)}</dt><dd>${valueOf(value, depth)}</dd></div>`,
  )}</dl>`;
}

/** A number with its noun: `1 row`, `2 rows`, `2 kinds of record`. */
export function counted(count: number, noun: string): string {
  const [first = '', ...rest] = noun.split(' ');
  return [String(count), count === 1 ? first : `${first}s`, ...rest].join(' ');
}

/** An attribute that stands alone, such as `checked`. */
export const flag = (name: string, isOn: boolean): Html => new Html(isOn ? ` ${name}` : '');
