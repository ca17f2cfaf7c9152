import { type Html, html } from '../../../kernel/wire/html';
import type { Decision } from '../../../process/desk/decision';
import { capital, wordsOf } from '../render/cells';
import { may, type Visit } from '../visit';

export const decisionPath = ({ name }: Pick<Decision, 'name'>, subject?: string): string =>
  `/decisions/${encodeURIComponent(name)}${subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`}`;

/** `Payout approve`: noun and verb. */
export const decisionName = ({ name }: Pick<Decision, 'name'>): string =>
  capital(wordsOf(name.replaceAll('.', ' ')));

/** `Approve`: the verb, where the record is beside it. */
const verbOf = ({ name }: Pick<Decision, 'name'>): string =>
  capital(wordsOf(name.slice(name.indexOf('.') + 1).replaceAll('.', ' ')));

export const decisionLink = (decision: Decision): Html =>
  html`<a href="${decisionPath(decision)}" data-decision="${decision.name}">${decisionName(decision)}</a> <span class="soft">${decision.title}</span>`;

/** The decisions on a record, as buttons that open their forms beside it. */
export function decisionMenu(visit: Visit, decisions: readonly Decision[], id: string): Html {
  const groups = new Map<string, Decision[]>();
  for (const each of decisions) {
    const noun = each.name.slice(0, each.name.indexOf('.'));
    groups.set(noun, [...(groups.get(noun) ?? []), each]);
  }
  return html`${[...groups].map(
    ([noun, each]) =>
      html`<h3 class="group">${capital(wordsOf(noun))}</h3><ul class="menu">${each.map((decision) => menuEntry(visit, decision, id))}</ul>`,
  )}`;
}

function menuEntry(visit: Visit, decision: Decision, id: string): Html {
  const words = html`<span class="verb">${verbOf(decision)}</span> <span class="soft">${decision.title}</span>`;
  if (!may(visit, decision.permission))
    return html`<li class="not-permitted" data-decision="${decision.name}">${words} <span class="soft">It takes the permission ${decision.permission}.</span></li>`;
  const path = decisionPath(decision, id);
  return html`<li><a href="${path}" data-decision="${decision.name}" hx-get="${path}" hx-target="#decision" hx-select="#decision" hx-swap="outerHTML show:top">${words}</a></li>`;
}
