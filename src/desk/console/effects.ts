import { type Html, html } from '../../kernel/wire/html';
import type { Effect } from '../../process/desk/decision';
import { none, textOf, wordsOf } from './cells';

/** Fields before and after. */
export const changesTable = (
  changes: readonly Effect[],
  caption = 'What it will do',
  [before, after]: readonly [string, string] = ['Now', 'Then'],
): Html =>
  changes.length === 0
    ? html`<p class="soft">It changes no field.</p>`
    : html`<table class="changes"><caption class="hidden">${caption}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">${before}</th><th scope="col">${after}</th></tr></thead>
<tbody>${changes.map(
        ({ field, from, to }) =>
          html`<tr><th scope="row">${wordsOf(field)}</th><td data-label="${before}">${shown(from)}</td><td data-label="${after}"><strong>${shown(to)}</strong></td></tr>`,
      )}</tbody></table>`;

const shown = (value: string | null): Html => (value === null ? none : textOf(value));
