import { z } from 'zod';
import { notFound, Problem } from '../../../kernel/errors';
import { type Html, html } from '../../../kernel/wire/html';
import { parsedBy } from '../../../kernel/wire/schemas';
import type { Cell, List } from '../../../process/desk/list';
import { assertPermitted } from '../../permitted';
import { readPage } from '../../read-list';
import { schemaOf } from '../../schema-of';
import { decisionLink } from '../decision/decisions';
import { counted } from '../render/cells';
import { type Field, fieldInput, fieldsOf } from '../render/fields';
import { heading, notice } from '../render/layout';
import { listPath, rowsTable, shortName, titleOf } from '../render/lists';
import { callerOf, type Page, type Visit } from '../visit';

const ROWS = 50;

const byName = ({ desk, params }: Visit): List => {
  const list = desk.catalogue.lists.find(({ name }) => name === params['name']);
  if (!list) throw notFound('list');
  return list;
};

/** Any list: filters, a page of rows, and the same rows as a file. */
export async function listPage(visit: Visit): Promise<Page> {
  const list = byName(visit);
  assertPermitted(callerOf(visit), list.permission);
  const { query, desk } = visit;
  const cursor = query.get('cursor') ?? undefined;
  const given = Object.fromEntries([...query].filter(([name, value]) => value !== '' && name !== 'cursor'));
  const { rows, next, refused } = await read(list, given, cursor);
  const fields = fieldsOf(schemaOf(list.filters), '');
  const decisions = (list.decisions ?? []).flatMap((name) => desk.catalogue.decisions.get(name) ?? []);
  const csv = `/desk/v1/lists/${encodeURIComponent(list.name)}?${new URLSearchParams({ ...given, format: 'csv' }).toString()}`;
  return {
    title: shortName(list),
    place: placeOf(visit, list),
    status: refused?.status ?? 200,
    body: html`${heading(shortName(list), html`<a class="button" href="${csv}" download>CSV</a>`)}
<p class="lead">${titleOf(list)}.</p>
${fields.length === 0 ? undefined : filterForm(list, fields, given, refused)}
${refused ? notice('bad', html`<p>${refused.message}</p>`) : table(visit, list, rows)}
${pager(list, given, cursor, next)}
${
  decisions.length === 0
    ? undefined
    : html`<section class="beneath" aria-labelledby="decisions"><h2 id="decisions">Decisions on these rows</h2><ul class="links">${decisions.map((each) => html`<li>${decisionLink(each)}</li>`)}</ul></section>`
}`,
  };
}

const placeOf = ({ desk }: Visit, list: List): string =>
  `desk:${desk.catalogue.desks.find(({ lists = [] }) => lists.includes(list))?.name ?? ''}`;

interface Read {
  rows: Record<string, Cell>[];
  next: string | null;
  refused?: Problem;
}

async function read(list: List, given: Record<string, string>, cursor: string | undefined): Promise<Read> {
  try {
    // Strict, so that a filter with a typing error does not show everything.
    const filters = parsedBy(z.strictObject(list.filters.shape), given);
    const page = await readPage(list, { filters, cursor, limit: ROWS });
    return { rows: page.data, next: page.nextCursor };
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return { rows: [], next: null, refused: error };
    throw error;
  }
}

function filterForm(list: List, fields: Field[], given: Record<string, string>, refused?: Problem): Html {
  const isFiltered = Object.keys(given).length > 0;
  return html`<form class="filters" action="${listPath(list)}" aria-label="Filters">
${fields.map((field) => fieldInput(field, { value: given[field.path] ?? '', wrong: refused?.field === field.path ? refused.message : undefined }))}
<div class="buttons"><button type="submit">Filter</button>${isFiltered ? html`<a class="button plain" href="${listPath(list)}">Clear</a>` : undefined}</div>
</form>`;
}

const table = ({ now }: Visit, list: List, rows: Record<string, Cell>[]): Html =>
  rows.length === 0
    ? html`<p class="card empty">No rows.</p>`
    : html`<div class="card flush">${rowsTable(list, rows, now)}</div>`;

function pager(
  list: List,
  given: Record<string, string>,
  cursor: string | undefined,
  next: string | null,
): Html {
  const to = (more: Record<string, string>) => {
    const query = new URLSearchParams({ ...given, ...more }).toString();
    return query === '' ? listPath(list) : `${listPath(list)}?${query}`;
  };
  if (cursor === undefined && next === null) return html``;
  return html`<nav class="pager" aria-label="Pages">
${cursor === undefined ? undefined : html`<a class="button" href="${to({})}">First page</a>`}
<span class="soft">${counted(ROWS, 'row')} a page</span>
${next === null ? html`<span class="soft">The last page</span>` : html`<a class="button" rel="next" href="${to({ cursor: next })}">Next page</a>`}
</nav>`;
}
