import { type Html, html } from '../../../kernel/wire/html';
import type { Desk } from '../../../process/desk/desk';
import { type Found, MAX_SEARCH, MIN_SEARCH, search } from '../../search';
import { ageOf, capital, idLink, none, pill, recordPath } from '../render/cells';
import { csrfField, heading } from '../render/layout';
import { may, type Page, type Redirect, type Visit } from '../visit';

/** The search, and by which texts each desk finds its records. */
export const recordsPage = (visit: Visit): Page => pageOf(visit, '', undefined);

/**
 * Looks a text up. The text comes in the body of a form, because an address is logged and a text may be an e-mail.
 * A record that is found alone is opened.
 */
export async function foundPage(visit: Visit): Promise<Page | Redirect> {
  const { desk, form } = visit;
  const text = (form.get('q') ?? '').trim();
  const found = await search(desk.catalogue, desk, { text, may: (permission) => may(visit, permission) });
  const ids = new Set(found.flatMap(({ rows }) => rows.map(({ id }) => id)));
  const [only] = ids;
  if (only !== undefined && ids.size === 1) return { to: recordPath(only) };
  return pageOf(visit, text, found);
}

function pageOf(visit: Visit, text: string, found: Found[] | undefined): Page {
  return {
    title: 'Records',
    place: 'records',
    status: found?.length === 0 ? 404 : 200,
    body: html`${heading('Records')}
<form class="card find" method="post" action="/records" role="search" aria-label="Records">${csrfField(visit)}
<div class="field"><label for="find">Any text that you have of a record</label>
<input id="find" name="q" type="search" value="${text}" required minlength="${MIN_SEARCH}" maxlength="${MAX_SEARCH}" autocomplete="off" spellcheck="false" aria-describedby="find-hint">
<p class="hint" id="find-hint">An id or its beginning, a reference, an e-mail, the last four digits of a card. The text is in no log.</p></div>
<div class="buttons"><button type="submit" class="first">Search</button></div></form>
${found === undefined ? finders(visit) : found.length === 0 ? nothing(text) : found.map((each) => foundTable(each, visit.now))}`,
  };
}

const nothing = (text: string): Html =>
  html`<p class="card empty" role="status">Nothing is found by “${text}”.${
    text.length < MIN_SEARCH ? html` A text has ${MIN_SEARCH} characters at least.` : undefined
  }</p>`;

function foundTable({ finder, title, rows, more }: Found, now: Date): Html {
  return html`<section class="card flush" aria-labelledby="found-${finder}">
<div class="card-head"><h2 id="found-${finder}">By ${title}</h2></div>
<table class="rows" data-finder="${finder}"><caption class="hidden">Found by ${title}</caption>
<thead><tr><th scope="col">Id</th><th scope="col">Client</th><th scope="col">Status</th><th scope="col">Since</th></tr></thead>
<tbody>${rows.map(
    ({ id, tenantId, status, at }) =>
      html`<tr><td data-label="Id"><div>${idLink(id)}</div></td><td data-label="Client"><div>${tenantId === null ? none : idLink(tenantId, 'short')}</div></td><td data-label="Status"><div>${status === null ? none : pill(status)}</div></td><td data-label="Since"><div>${at === null ? none : ageOf(at.toISOString(), now)}</div></td></tr>`,
  )}</tbody></table>${more ? html`<p class="quiet">The newest ones. There are more.</p>` : undefined}</section>`;
}

/** By which texts records are found, by desk. */
function finders({ desk: { catalogue } }: Visit): Html {
  const entry = ({ title, finds = [] }: Desk) =>
    finds.length === 0
      ? html``
      : html`<div><dt>${capital(title)}</dt><dd>${finds.map(
          ({ name, title: shown }) =>
            html`<span class="finder" data-finder="${name}">${capital(shown)}</span>`,
        )}</dd></div>`;
  return html`<section aria-labelledby="finds"><h2 id="finds">What finds a record</h2>
<div class="card"><dl class="facts"><div><dt>All desks</dt><dd><span class="finder">The whole id of any record, or another name in the audit log</span></dd></div>${catalogue.desks.map(entry)}</dl></div></section>`;
}
