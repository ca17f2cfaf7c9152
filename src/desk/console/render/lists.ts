import { type Html, html } from '../../../kernel/wire/html';
import type { Cell, List } from '../../../process/desk/list';
import { type ListCount, waitingCounts } from '../../catalogue';
import { may, type Visit } from '../visit';
import { capital, cellOf } from './cells';

export const listPath = ({ name }: Pick<List, 'name'>): string => `/lists/${encodeURIComponent(name)}`;

/** Rows as a table, which is a card a row on a phone. */
export function rowsTable(
  { name, title, columns }: Pick<List, 'name' | 'title' | 'columns'>,
  rows: readonly Record<string, Cell>[],
  now: Date,
): Html {
  const all = Object.entries(columns);
  const [first] = all.map(([key]) => key);
  return html`<table class="rows" data-list="${name}"><caption class="hidden">${title}</caption>
<thead><tr>${all.map(([, column]) => html`<th scope="col"${right(column.type)}>${capital(column.title)}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr>${all.map(
        ([key, { type, title: shown }]) =>
          html`<td data-label="${capital(shown)}"${right(type)}><div>${cellOf(type, row[key] ?? null, now, key === first)}</div></td>`,
      )}</tr>`,
  )}</tbody></table>`;
}

const right = (type: string): Html => (type === 'money' ? html` class="right"` : html``);

export interface Waits extends ListCount {
  of: List;
}

/** The waiting lists that the operator may see, in the order of the catalogue. */
export async function waitsOf(visit: Visit, lists: readonly List[]): Promise<Waits[]> {
  const seen = lists.filter(
    ({ waitsSince, permission }) => waitsSince !== undefined && may(visit, permission),
  );
  const counts = await waitingCounts(seen, visit.desk.database, visit.now);
  return seen.map((of, index) => ({ ...(counts[index] as ListCount), of }));
}

/** `All payouts` for a title, which begins with a small letter. */
export const titleOf = ({ title }: { title: string }): string => capital(title);

/** A list's short name for people: `iban payouts`. */
export const shortName = ({ name }: Pick<List, 'name'>): string => capital(name.replaceAll('-', ' '));
