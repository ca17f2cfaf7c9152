import type { Problem } from '../../../kernel/errors';
import { type Html, html } from '../../../kernel/wire/html';
import type { RecordOfDesk } from '../../../process/desk/record';
import type { Story } from '../../../process/desk/story';
import { schemaOf } from '../../schema-of';
import { recordOfId } from '../../tell';
import { INPUT } from '../decision/decision-form';
import { capital, recordPath, wordsOf } from '../render/cells';
import { fieldInput, fieldsOf, typedIn } from '../render/fields';
import { csrfField, notice } from '../render/layout';
import { may, type Visit } from '../visit';

/** The path that gives out the file of a record. */
const contentPath = (id: string): string => `${recordPath(id)}/content`;

/** The form that gives out the file of a record. Empty for operators without its permission. */
export function downloadBox(visit: Visit, { download }: RecordOfDesk, id: string, refused?: Problem): Html {
  if (!download || !may(visit, download.permission)) return html``;
  const fields = download.input ? fieldsOf(schemaOf(download.input), INPUT) : [];
  const wrongOf = (path: string) => (refused?.field === path ? refused.message : undefined);
  return html`<section class="card" id="download" aria-labelledby="download-title"><h2 id="download-title">${nameOf(download)}</h2>
${refused ? notice('bad', html`<p>${refused.message}</p>`) : undefined}
<form method="post" action="${contentPath(id)}" class="stack">${csrfField(visit)}
${fields.map((field) => fieldInput(field, { ...typedIn(visit.form, field), wrong: wrongOf(field.path) }))}
${reasonField('download', visit.form.get('reason') ?? '')}
<div class="buttons"><button type="submit">Download</button></div></form></section>`;
}

/** `kyc.document` is `Document`. */
const nameOf = ({ name }: { name: string }): string => capital(wordsOf(name.split('.')[1] ?? name));

const reasonField = (place: string, value = ''): Html =>
  html`<div class="field"><label for="${place}-reason">Why you need it</label>
<input id="${place}-reason" name="reason" type="text" required maxlength="500" autocomplete="off" value="${value}" aria-describedby="${place}-hint">
<p class="hint" id="${place}-hint">The audit log keeps your name and the reason.</p></div>`;

/** A button for each document of a story, by one reason. Decisions on people show it beside their buttons. */
export function documentsBox(visit: Visit, { lists: { documents = [] } }: Story): Html {
  const found = documents.flatMap((each) => {
    const id = Object.values(each).find((value): value is string => {
      const file = typeof value === 'string' && recordOfId(visit.desk.catalogue, value)?.download;
      return file !== false && file !== undefined && may(visit, file.permission);
    });
    if (id === undefined) return [];
    const name = [each['slot'], each['type'], each['kind']].find((value) => typeof value === 'string');
    return [{ id, name: name ?? 'document' }];
  });
  if (found.length === 0) return html``;
  return html`<section class="card" id="documents" aria-labelledby="documents-title"><h2 id="documents-title">Download a document</h2>
<form method="post" action="${contentPath(found[0]?.id ?? '')}" class="stack">${csrfField(visit)}
${reasonField('documents')}
<div class="buttons">${found.map(
    ({ id, name }) =>
      html`<button type="submit" formaction="${contentPath(id)}">${capital(wordsOf(String(name)))} <span class="of">…${id.slice(-6)}</span></button>`,
  )}</div></form></section>`;
}
