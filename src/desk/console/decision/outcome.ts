import { type Html, html } from '../../../kernel/wire/html';
import type { Decision } from '../../../process/desk/decision';
import { factsOf, idLink, recordPath } from '../render/cells';
import { notice } from '../render/layout';
import { listPath, shortName } from '../render/lists';
import type { Visit } from '../visit';
import type { Answer, Given } from './carry-out';
import { decisionName } from './decisions';
import { changesTable } from './effects';

/** What a decision has done, or for whom it waits, and where the operator goes next. */
export function outcomeBox(visit: Visit, decision: Decision, given: Given, answer: Answer): Html {
  return html`<section id="decision" class="card" aria-labelledby="decision-title">
<h2 id="decision-title">${decisionName(decision)}</h2>
${told(decision, given, answer)}
${nextLinks(visit, decision, given)}
</section>`;
}

function told(decision: Decision, { subject }: Given, answer: Answer): Html {
  const about = decision.subject.only === undefined ? html` ${idLink(subject)}` : undefined;
  if ('hidden' in answer)
    return notice('good', html`<p>It was done before${about}. What it showed then is shown once.</p>`);
  if ('result' in answer) {
    const { result } = answer;
    return html`${notice('good', html`<p><strong>Done</strong>${about}.</p>`)}${onceNotice(decision)}${factsOf(Object.entries(result))}`;
  }
  const { approval, why, shown = {} } = answer;
  const once =
    Object.keys(shown).length > 0
      ? html`${onceNotice(decision)}${factsOf(Object.entries(shown))}`
      : undefined;
  return html`${notice('busy', html`<p><strong>It waits for another operator</strong>, as ${idLink(approval.id)}. ${why}</p>`)}${once}${changesTable(approval.changes)}`;
}

const onceNotice = ({ secret }: Decision): Html =>
  secret ? notice('busy', html`<p>Keep what is secret now: it is shown once.</p>`) : html``;

function nextLinks({ desk }: Visit, { name, subject: { only } }: Decision, { subject }: Given): Html {
  const lists = desk.catalogue.lists.filter(({ decisions = [] }) => decisions.includes(name));
  const record =
    only === undefined
      ? html`<a class="button first" href="${recordPath(subject)}">Open the record</a>`
      : undefined;
  return html`<div class="buttons">${record}${lists.map((list) => html`<a class="button" href="${listPath(list)}">${shortName(list)}</a>`)}<a class="button" href="/work">Work</a></div>`;
}
