import { notFound } from '../../../kernel/errors';
import { PREFIXES } from '../../../kernel/ids';
import { type Html, html } from '../../../kernel/wire/html';
import type { Desk } from '../../../process/desk/desk';
import type { List } from '../../../process/desk/list';
import { ageText } from '../../shown-text';
import { decisionLink } from '../decision/decisions';
import { capital, counted, wordsOf } from '../render/cells';
import { figuresOf } from '../render/charts';
import { deskPath, heading } from '../render/layout';
import { listPath, shortName, titleOf, type Waits, waitsOf } from '../render/lists';
import { may, type Page, type Visit } from '../visit';

/** All desks, with what each of them has. */
export function desksPage({ desk: { catalogue } }: Visit): Page {
  const shown = ({ name, title, lists = [], records = [], decisions = [], figures = [] }: Desk) =>
    html`<li><a class="card desk" href="${deskPath(name)}"><span class="desk-name">${capital(title)}</span>
<span class="soft">${[
      [lists.length, 'list'] as const,
      [records.length, 'kind of record'] as const,
      [decisions.length, 'decision'] as const,
      [figures.length, 'figure'] as const,
    ]
      .filter(([count]) => count > 0)
      .map(([count, noun]) => counted(count, noun))
      .join(' · ')}</span></a></li>`;
  return {
    title: 'Desks',
    place: 'desks',
    body: html`${heading('Desks')}<ul class="desks">${catalogue.desks.map(shown)}</ul>`,
  };
}

/** A desk: its lists, its decisions, its kinds of records, its figures. */
export async function deskPage(visit: Visit): Promise<Page> {
  const found = visit.desk.catalogue.desks.find(({ name }) => name === visit.params['name']);
  if (!found) throw notFound('desk');
  const { name, title, lists = [], records = [], decisions = [], figures = [] } = found;
  const waits = await waitsOf(visit, lists);
  const free = decisions.filter(({ subject }) => subject.only !== undefined);
  const about = decisions.filter(({ subject }) => subject.only === undefined);
  return {
    title: capital(title),
    place: `desk:${name}`,
    body: html`${heading(capital(title))}
<div class="columns">
${section('Lists', lists.length === 0 ? undefined : html`<ul class="entries">${lists.map((each) => listEntry(visit, each, waits))}</ul>`)}
<div>
${section('Decisions without a record', free.length === 0 ? undefined : html`<ul class="entries">${free.map((each) => html`<li>${decisionLink(each)}</li>`)}</ul>`)}
${section('Decisions on a record', about.length === 0 ? undefined : html`<ul class="entries">${about.map((each) => html`<li>${decisionLink(each)}</li>`)}</ul>`)}
${section(
  'Records',
  records.length === 0
    ? undefined
    : html`<ul class="entries">${records.map(
        ({ kind, title: shown }) =>
          html`<li data-record="${kind}"><span>${capital(wordsOf(shown))}</span> <code>${PREFIXES[kind]}_…</code></li>`,
      )}</ul><p class="quiet">A record is found by its id in the search.</p>`,
)}
</div>
</div>
${figures.length === 0 ? undefined : html`<section aria-labelledby="figures"><h2 id="figures">Figures</h2>${await figuresOf(visit, figures)}</section>`}`,
  };
}

const section = (title: string, body: Html | undefined): Html =>
  body === undefined
    ? html``
    : html`<section><h2>${title}</h2><div class="card flush">${body}</div></section>`;

function listEntry(visit: Visit, list: List, waits: Waits[]): Html {
  const count = waits.find(({ of }) => of === list);
  const waiting =
    count && count.count > 0
      ? html`<span class="pill ${list.fails ? 'bad' : 'busy'}">${count.count} · ${ageText(count.oldestSeconds)}</span>`
      : undefined;
  const name = may(visit, list.permission)
    ? html`<a href="${listPath(list)}" data-list="${list.name}">${shortName(list)}</a>`
    : html`<span data-list="${list.name}">${shortName(list)}</span>`;
  return html`<li>${name} ${waiting} <span class="soft">${titleOf(list)}</span></li>`;
}
