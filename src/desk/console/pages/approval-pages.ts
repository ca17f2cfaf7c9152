import { randomUUID } from 'node:crypto';
import { Problem } from '../../../kernel/errors';
import { type Html, html } from '../../../kernel/wire/html';
import { type Approval, listApprovals, requireApproval } from '../../../process/approvals/operations';
import { approvalView, whatOf } from '../../../process/approvals/view';
import { approve, proveApproval, reject } from '../../approve';
import { assertPermitted } from '../../permitted';
import { reasonOf } from '../decision/carry-out';
import { changesTable } from '../decision/effects';
import { isUnknown, type Refusal, refusalOf, underKey } from '../decision/under-key';
import {
  ageOf,
  capital,
  factsOf,
  idLink,
  moneyOf,
  none,
  pill,
  textOf,
  timeOf,
  wordsOf,
} from '../render/cells';
import { csrfField, heading, hidden, notice } from '../render/layout';
import { askerOfVisit, callerOf, type Page, type Visit } from '../visit';
import { subjectBox } from './record-summary';

const LISTED = 200;

/** Decisions of one operator that wait for another one. */
export async function approvalsPage(visit: Visit): Promise<Page> {
  assertPermitted(callerOf(visit));
  const all = visit.query.has('all');
  const approvals = await listApprovals(visit.desk.database, all, LISTED);
  const tab = (title: string, path: string, isCurrent: boolean) =>
    html`<li><a href="${path}"${isCurrent ? html` aria-current="page"` : undefined}>${title}</a></li>`;
  return {
    title: 'Approvals',
    place: 'approvals',
    body: html`${heading('Approvals')}
<p class="lead">What one operator has asked for, and another one decides.</p>
<nav class="tabs" aria-label="Approvals"><ul>${tab('Waiting', '/approvals', !all)}${tab('All', '/approvals?all=1', all)}</ul></nav>
${approvals.length === 0 ? html`<p class="card empty">Nothing waits for a second person.</p>` : html`<div class="card flush">${table(visit, approvals)}</div>`}`,
  };
}

const nameOf = (kind: string): string => capital(wordsOf(kind.replace('.', ' ')));

const table = ({ now, operator }: Visit, approvals: Approval[]): Html =>
  html`<table class="rows"><caption class="hidden">Approvals</caption><thead><tr><th scope="col">Decision</th><th scope="col">About</th><th scope="col">What</th><th scope="col">Asked by</th><th scope="col">Waits</th><th scope="col">Status</th></tr></thead>
<tbody>${approvals.map(
    (
      each,
    ) => html`<tr><td data-label="Decision"><div><a href="/approvals/${each.id}"><strong>${nameOf(each.kind)}</strong></a></div></td>
<td data-label="About"><div>${idLink(each.subject, 'short')}</div></td><td data-label="What"><div>${textOf(whatOf(each), 'short')}</div></td>
<td data-label="Asked by"><div>${each.requestedBy}${each.requestedBy === operator.actor ? html` <span class="tag">you</span>` : undefined}</div></td>
<td data-label="Waits"><div>${each.status === 'pending' ? ageOf(each.requestedAt.toISOString(), now) : timeOf(each.requestedAt.toISOString())}</div></td>
<td data-label="Status"><div>${pill(each.status)}</div></td></tr>`,
  )}</tbody></table>`;

/** One approval, with its changes and the two ways to decide it. */
export const approvalPage = (visit: Visit): Promise<Page> => shown(visit);

interface Told {
  refusal?: Refusal;
  done?: Html;
}

async function shown(visit: Visit, { refusal, done }: Told = {}): Promise<Page> {
  const { desk, operator, params } = visit;
  assertPermitted(callerOf(visit));
  const approval = await requireApproval(desk.database, params['id'] ?? '');
  const isOwn = approval.requestedBy === operator.actor;
  return {
    title: `Approval: ${nameOf(approval.kind)}`,
    place: 'approvals',
    status: refusal?.status ?? 200,
    body: html`${heading(nameOf(approval.kind), html`<p class="state">${pill(approval.status)}</p>`)}
<div class="columns decide"><div>
<section id="decision" class="card" aria-labelledby="decision-title"><h2 id="decision-title">${isOwn ? 'You asked for this' : 'Another operator asks for this'}</h2>
${done}${refusal ? refusedNotice(refusal) : undefined}
<h3>What it will do</h3>${changesTable(approval.changes)}
${factsOf([
  ['asked by', approval.requestedBy],
  ['reason', approval.reason],
  ['about', approval.subject],
  ['client', approval.tenantId],
  ['asked at', approval.requestedAt],
  ['approved first by', approval.firstBy],
  ['decided by', approval.decidedBy],
  ['decided at', approval.decidedAt],
  ['note', approval.note],
])}
<dl class="facts"><div><dt>amount</dt><dd>${amountOf(approval)}</dd></div><div><dt>approval</dt><dd>${idLink(approval.id)}</dd></div></dl>
${approval.status === 'pending' ? decideForm(visit, approval, isOwn, refusal) : html`<div class="buttons"><a class="button" href="/approvals">Approvals</a></div>`}
</section></div>
${await subjectBox(visit, approval.subject)}</div>`,
  };
}

const amountOf = (approval: Approval): Html => {
  const { amount, currency } = approvalView(approval);
  return amount === null || currency === null ? none : moneyOf(amount, currency);
};

const refusedNotice = ({ message, changed = [] }: Refusal): Html =>
  notice(
    'bad',
    changed.length === 0
      ? html`<p>${message}</p>`
      : html`<p><strong>It has changed since it was asked for, so nothing was done.</strong> Reject it, and ask again.</p>${changesTable(changed, 'What has changed', ['Then', 'Now'])}`,
  );

/** Under the same key as before, where the answer of the last attempt is not known. */
function decideForm(visit: Visit, { id }: Approval, isOwn: boolean, refusal?: Refusal): Html {
  const before = refusal && isUnknown(refusal) ? visit.form.get('key') : null;
  const reject = html`<button type="submit" name="step" value="reject">${isOwn ? 'Take it back' : 'Reject'}</button>`;
  return html`<form method="post" action="/approvals/${id}" class="stack" data-once>${csrfField(visit)}${hidden('key', before ?? randomUUID())}
<div class="field"><label for="note">${isOwn ? 'Reason' : 'Note'}</label><textarea id="note" name="note" rows="2" maxlength="500" aria-describedby="note-hint">${visit.form.get('note') ?? ''}</textarea>
<p class="hint" id="note-hint">${isOwn ? 'Another operator approves it. You may take it back.' : 'Required to reject. For the audit log.'}</p></div>
<div class="buttons">${isOwn ? undefined : html`<button type="submit" name="step" value="approve" class="first">Approve</button>`}${reject}</div></form>`;
}

interface Decided {
  status: string;
  result?: object | undefined;
}

/** Approves or rejects, once for the form's key. A form that waited for its operator to sign in is shown again. */
export async function approvalForm(visit: Visit): Promise<Page> {
  const { desk, form, params } = visit;
  const step = form.get('step');
  const id = params['id'] ?? '';
  if (step !== 'approve' && step !== 'reject') return shown(visit);
  try {
    const note = form.get('note')?.trim() ?? '';
    const reason = step === 'reject' || note !== '' ? reasonOf(note) : null;
    const outcome = await underKey<Decided>(visit, {
      scope: `console approval ${step} ${id}`,
      key: form.get('key') ?? '',
      body: { reason },
      prove: async () => (step === 'approve' ? proveApproval(desk, desk.database, id) : undefined),
      async run(tx, proof) {
        const given = { id, note: reason, proof };
        const asker = askerOfVisit(visit);
        const { approval, result } =
          step === 'approve'
            ? await approve(desk, tx, asker, given)
            : await reject(desk, tx, asker, { id, note: reason ?? '' });
        return { answer: { status: approval.status, result } };
      },
    });
    if ('refusal' in outcome) return await shown(visit, { refusal: outcome.refusal });
    return await shown(visit, { done: doneNotice(outcome.answer) });
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return shown(visit, { refusal: refusalOf(error) });
    throw error;
  }
}

function doneNotice({ status, result }: Decided): Html {
  if (status === 'pending')
    return notice('busy', html`<p>It needs one more operator, because no operator asked for it.</p>`);
  const facts = result ? factsOf(Object.entries(result)) : undefined;
  return html`${notice('good', html`<p>It is <strong>${status}</strong>${result ? html`, and done` : undefined}.</p>`)}${facts}`;
}
