import { Problem } from '../../../kernel/errors';
import { kindOfId } from '../../../kernel/ids';
import { type Html, html } from '../../../kernel/wire/html';
import type { Line, Story } from '../../../process/desk/story';
import { recordOfId, tell } from '../../tell';
import { ageOf, capital, factsOf, idLink, pill, timeOf, wordsOf } from '../render/cells';
import { may, type Visit } from '../visit';
import { documentsBox } from './downloads';
import { linesTable } from './time-line';

/** Status, age and due time of a record. */
export const stateOf = (story: Story, now: Date): Html =>
  html`${story.status === null ? undefined : pill(story.status)}${
    story.since === null ? undefined : html` <span class="soft">for ${ageOf(story.since, now)}</span>`
  }${story.overdue ? html` <span class="pill bad">overdue</span>` : undefined}`;

/** Where a record's process is: its workflow, and when it must have been processed. */
export function processOf({ desk }: Visit, { workflowId, dueBy }: Story): Html {
  if (workflowId === undefined) return html``;
  const url = desk.workflowUrl(workflowId);
  const workflow =
    url === null
      ? html`<code>${workflowId}</code>`
      : html`<a href="${url}" rel="noreferrer" target="_blank">${workflowId}<span class="hidden"> (Temporal, new tab)</span></a>`;
  return html`<div><dt>workflow</dt><dd>${workflow}</dd></div>${dueBy ? html`<div><dt>due by</dt><dd>${timeOf(dueBy)}</dd></div>` : undefined}`;
}

/** Lines of the record's documents and decisions beside the form. */
const LINES = 20;

const SHORT = ['slot', 'type', 'status', 'id', 'documentId'];

/** A document without what fills a narrow box: its record has the rest. */
const inShort = (document: Line): Line =>
  Object.fromEntries(SHORT.flatMap((name) => (name in document ? [[name, document[name]]] : [])));

/** The subject of a decision, beside its form: what the operator judges by. */
export async function subjectBox(visit: Visit, id: string): Promise<Html> {
  const { desk, now } = visit;
  const record = recordOfId(desk.catalogue, id);
  if (kindOfId(id) === undefined || !may(visit, record?.permission)) return html``;
  try {
    const story = await tell(desk.catalogue, desk, { id, limit: LINES });
    const { documents } = story.lists;
    return html`<aside class="card subject" aria-labelledby="subject">
<h2 id="subject">${capital(wordsOf(story.what))} ${idLink(id)}</h2>
<p>${stateOf(story, now)}</p>
${documents ? html`<h3>Documents</h3>${linesTable('documents', documents.map(inShort), now)}` : undefined}
${factsOf([['client', story.tenantId], ...Object.entries(story.record)])}
</aside>${documentsBox(visit, story)}`;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return html``;
    throw error;
  }
}
