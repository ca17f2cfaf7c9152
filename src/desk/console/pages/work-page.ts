import { type Html, html } from '../../../kernel/wire/html';
import { readPage } from '../../read-list';
import { ageText } from '../../shown-text';
import { counted } from '../render/cells';
import { heading } from '../render/layout';
import { listPath, rowsTable, shortName, titleOf, type Waits, waitsOf } from '../render/lists';
import type { Page, Visit } from '../visit';
import { emptyLists } from './overview-page';

/** Rows of each list on the page. */
const ROWS = 5;

/** Each waiting list with its longest waiting rows. */
export async function workPage(visit: Visit): Promise<Page> {
  const waits = await waitsOf(visit, visit.desk.catalogue.lists);
  const filled = waits
    .filter(({ count }) => count > 0)
    .sort((one, other) => Number(one.of.fails ?? false) - Number(other.of.fails ?? false));
  const sections: Html[] = [];
  for (const each of filled) sections.push(await section(visit, each));
  const others = waits.filter(({ count }) => count === 0);
  return {
    title: 'Work',
    place: 'work',
    body: html`${heading('Work', html`<p class="soft">the longest waiting rows of each list</p>`)}
${filled.length === 0 ? html`<p class="card empty">Nothing waits for a person.</p>` : sections}
${emptyLists(others)}`,
  };
}

async function section(visit: Visit, { of, count, oldestSeconds }: Waits): Promise<Html> {
  const { data } = await readPage(of, { filters: {}, limit: ROWS });
  const all = count > data.length ? html`<a class="all" href="${listPath(of)}">All ${count}</a>` : undefined;
  return html`<section class="card flush" aria-labelledby="list-${of.name}">
<div class="card-head"><h2 id="list-${of.name}"><a href="${listPath(of)}">${shortName(of)}</a></h2>
<p class="soft">${titleOf(of)}</p><p class="count">${counted(count, 'row')} · ${ageText(oldestSeconds)}</p></div>
${rowsTable(of, data, visit.now)}
${all}</section>`;
}
