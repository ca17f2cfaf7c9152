import { type Html, html } from '../../../kernel/wire/html';
import type { Effect } from '../../../process/desk/decision';
import { none, textOf, wordsOf } from '../render/cells';

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

/** A status may break at its underscores, because the table may be narrow. */
function shown(value: string | null): Html {
  if (value === null) return none;
  if (!/^[a-z]+(_[a-z]+)+$/.test(value)) return textOf(value);
  return html`${value.split('_').map((word, index) => (index === 0 ? html`${word}` : html`_<wbr>${word}`))}`;
}
