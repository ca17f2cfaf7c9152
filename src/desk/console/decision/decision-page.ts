import { randomUUID } from 'node:crypto';
import { Problem } from '../../../kernel/errors';
import { type Html, html } from '../../../kernel/wire/html';
import { requireDecision } from '../../catalogue';
import { type Preview, previewDecision, proveDecision } from '../../decide';
import { assertPermitted } from '../../permitted';
import { subjectBox } from '../pages/record-summary';
import { capital, factsOf, idLink, recordPath } from '../render/cells';
import type { Field } from '../render/fields';
import { csrfField, deskPath, hidden, notice } from '../render/layout';
import { askerOfVisit, callerOf, type Page, type Visit } from '../visit';
import { carryOut, type Given, givenIn } from './carry-out';
import { type Draft, fieldsBox, formFields } from './decision-form';
import { decisionName, decisionPath } from './decisions';
import { changesTable } from './effects';
import { outcomeBox } from './outcome';
import { isUnknown, type Refusal, refusalOf } from './under-key';

/** The form of a decision on any subject. */
export function decisionPage(visit: Visit): Promise<Page> {
  const draft = draftOf(visit, new URLSearchParams());
  return pageOf(visit, draft, editBox(visit, draft));
}

/**
 * What the form asks for. `preview` shows what the decision will do, `edit` goes back to the fields, `confirm` carries
 * it out, and `again`, of a form that waited for its operator to sign in, shows the preview.
 */
export async function decisionForm(visit: Visit): Promise<Page> {
  const { form } = visit;
  const draft = draftOf(visit, form);
  const step = form.get('step');
  if (step === 'edit') return pageOf(visit, draft, editBox(visit, draft));
  if (step !== 'confirm') return previewPage(visit, draft);
  const given = givenOf(draft);
  if ('refusal' in given) return refusedPage(visit, draft, given.refusal);
  const done = await carryOut(visit, draft.decision, given, form.get('key') ?? '');
  if ('answer' in done) return pageOf(visit, draft, outcomeBox(visit, draft.decision, given, done.answer));
  const { refusal } = done;
  if (isUnknown(refusal)) return pageOf(visit, draft, sendAgain(visit, draft, refusal), refusal.status);
  if (refusal.changed) return previewPage(visit, draft, refusal);
  return refusedPage(visit, draft, refusal);
}

function draftOf(visit: Visit, form: URLSearchParams): Draft {
  const { desk, params, query } = visit;
  const decision = requireDecision(desk.catalogue, params['name'] ?? '');
  assertPermitted(callerOf(visit));
  assertPermitted(callerOf(visit), decision.permission);
  const subject = form.get('subject')?.trim() ?? query.get('subject') ?? decision.subject.only ?? '';
  return { decision, subject, form, fields: formFields(decision) };
}

/** @returns a refusal for a text that is no JSON, no number, or not a reason */
function givenOf(draft: Draft): Given | { refusal: Refusal } {
  try {
    return givenIn(draft);
  } catch (error) {
    if (error instanceof Problem) return { refusal: refusalOf(error) };
    throw error;
  }
}

/** @param changed the refusal because the subject has changed meanwhile */
async function previewPage(visit: Visit, draft: Draft, changed?: Refusal): Promise<Page> {
  const given = givenOf(draft);
  if ('refusal' in given) return refusedPage(visit, draft, given.refusal);
  const { desk } = visit;
  const asked = { name: draft.decision.name, subject: given.subject, input: given.input };
  try {
    const proof = await proveDecision(desk, asked);
    const preview = await desk.database.transaction((tx) =>
      previewDecision(desk, tx, askerOfVisit(visit), { ...asked, proof }),
    );
    return await pageOf(visit, draft, confirmBox(visit, draft, preview, changed), changed?.status);
  } catch (error) {
    if (error instanceof Problem) return refusedPage(visit, draft, refusalOf(error), changed);
    throw error;
  }
}

async function refusedPage(visit: Visit, draft: Draft, refusal: Refusal, changed?: Refusal): Promise<Page> {
  return pageOf(visit, draft, editBox(visit, draft, refusal, changed), refusal.status);
}

/** The decision beside its subject. */
async function pageOf(visit: Visit, draft: Draft, box: Html, status = 200): Promise<Page> {
  const { decision, subject } = draft;
  const { desks } = visit.desk.catalogue;
  const own = desks.find(({ decisions = [] }) => decisions.includes(decision));
  const about = decision.subject.only === undefined && subject !== '';
  return {
    title: decisionName(decision),
    status,
    place: `desk:${own?.name ?? ''}`,
    body: html`<h1 class="hidden">${decisionName(decision)}</h1>
<p class="crumb"><a href="${deskPath(own?.name ?? '')}">${capital(own?.title ?? '')}</a></p>
<div class="columns decide"><div>${box}</div><div>${about ? await subjectBox(visit, subject) : undefined}</div></div>`,
  };
}

const box = ({ decision, subject }: Draft, content: Html): Html =>
  html`<section id="decision" class="card" aria-labelledby="decision-title">
<h2 id="decision-title">${decisionName(decision)}${
    decision.subject.only === undefined && subject !== ''
      ? html` <span class="of">${idLink(subject, 'short')}</span>`
      : undefined
  }</h2>
<p class="lead">${capital(decision.title)}.</p>
${content}
</section>`;

const form = (visit: Visit, { decision }: Draft, content: Html, attributes: Html = html``): Html =>
  html`<form method="post" action="${decisionPath(decision)}"${attributes} class="stack">${csrfField(visit)}${content}</form>`;

/** By htmx the preview appears in place. Without it, or without a session, the browser sends the form itself. */
const IN_PLACE = (path: string): Html =>
  html` hx-post="${path}" hx-target="#decision" hx-select="#decision" hx-swap="outerHTML" hx-disabled-elt="find button"`;

function editBox(visit: Visit, draft: Draft, refusal?: Refusal, changed?: Refusal): Html {
  return box(
    draft,
    html`${changed ? changedNotice(changed) : undefined}${refusal ? notice('bad', html`<p>${refusal.message}</p>`) : undefined}
${form(visit, draft, html`${fieldsBox(draft, refusal)}${hidden('step', 'preview')}<div class="buttons"><button type="submit" class="first">Preview</button>${back(draft)}</div>`, IN_PLACE(decisionPath(draft.decision)))}`,
  );
}

/** The record, with all decisions on it. */
const back = ({ decision, subject }: Draft): Html | undefined =>
  decision.subject.only === undefined && subject !== ''
    ? html`<a class="button plain" href="${recordPath(subject)}">Other decisions</a>`
    : undefined;

function confirmBox(visit: Visit, draft: Draft, preview: Preview, changed?: Refusal): Html {
  const { version, effects, restsOn, takesTwo, why } = preview;
  const two = takesTwo
    ? notice(
        'busy',
        html`<p><strong>It takes two operators.</strong> It is carried out when another one approves it. ${why}</p>`,
      )
    : undefined;
  return box(
    draft,
    html`${changed ? changedNotice(changed) : undefined}
<h3>What it will do</h3>${changesTable(effects)}
${two}
<h3>What it rests on</h3>${factsOf(Object.entries(restsOn))}
<h3>What you have given</h3>${givenFacts(draft)}
${form(
  visit,
  draft,
  html`${keptFields(draft)}${hidden('version', version)}${hidden('key', randomUUID())}
<div class="buttons"><button type="submit" name="step" value="confirm" class="first">${takesTwo ? 'Ask for it' : 'Confirm'}</button>
<button type="submit" name="step" value="edit" formnovalidate>Change</button></div>`,
  html` data-once`,
)}`,
  );
}

const changedNotice = ({ message, changed = [] }: Refusal): Html =>
  notice(
    'bad',
    html`<p><strong>It has changed since you looked, so nothing was done.</strong> Judge by what is there now.</p>${changed.length === 0 ? html`<p>${message}</p>` : changesTable(changed, 'What has changed', ['Then', 'Now'])}`,
  );

/** The answer was lost: the same form under the same key has one effect, however often it is sent. */
const sendAgain = (visit: Visit, draft: Draft, { message }: Refusal): Html =>
  box(
    draft,
    html`${notice('bad', html`<p>${message}</p><p>Send it again. It is done once.</p>`)}${form(
      visit,
      draft,
      html`${keptFields(draft)}${hidden('version', draft.form.get('version') ?? '')}${hidden('key', draft.form.get('key') ?? '')}
<div class="buttons"><button type="submit" name="step" value="confirm" class="first">Send again</button></div>`,
      html` data-once`,
    )}`,
  );

/** All that was typed, unchanged. */
const OWN = ['csrf', 'step', 'version', 'key', 'subject'];
const keptFields = ({ form: given, subject }: Draft): Html =>
  html`${hidden('subject', subject)}${[...given].filter(([name]) => !OWN.includes(name)).map(([name, value]) => hidden(name, value))}`;

function givenFacts({ form: given, subject, fields, decision }: Draft): Html {
  const about: [string, unknown][] =
    decision.subject.only === undefined ? [[decision.subject.noun, subject]] : [];
  const shown = ({ path, isSecret }: Field): string => {
    if (given.has(`none.${path}`)) return 'nothing';
    return given
      .getAll(path)
      .map((text) => (isSecret && text !== '' ? 'not shown' : text))
      .join(', ');
  };
  const typed = fields.map((field): [string, unknown] => [field.label, shown(field)]);
  return factsOf([...about, ...typed, ['reason', given.get('reason')]]);
}
