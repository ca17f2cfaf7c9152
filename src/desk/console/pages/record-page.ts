import { Problem } from '../../../kernel/errors';
import { type Html, html } from '../../../kernel/wire/html';
import type { RecordOfDesk } from '../../../process/desk/record';
import { LISTS, type ListName, type Story } from '../../../process/desk/story';
import { type GivenFile, giveFile } from '../../download';
import { assertPermitted } from '../../permitted';
import { schemaOf } from '../../schema-of';
import { decisionsAbout, MAX_LINES, recordOfId, revealRecord, tell } from '../../tell';
import { reasonOf } from '../decision/carry-out';
import { INPUT } from '../decision/decision-form';
import { decisionMenu } from '../decision/decisions';
import { capital, factsOf, idLink, recordPath, wordsOf } from '../render/cells';
import { fieldsOf, inputOf } from '../render/fields';
import { csrfField, heading, notice } from '../render/layout';
import { listPath, shortName } from '../render/lists';
import { callerOf, may, type Page, type Visit } from '../visit';
import { documentsBox, downloadBox } from './downloads';
import { processOf, stateOf } from './record-summary';
import { linesTable, listTitle, timeLine } from './time-line';

const LINES = 100;

/** The whole story of an id, with the decisions on it. */
export const recordPage = (visit: Visit): Promise<Page> => storyPage(visit);

/** The outcome of a form of the page: unmasked data, which is shown once, or a refusal. */
interface Sent {
  data?: object;
  refused?: Problem;
  /** A refusal of a download. */
  notGiven?: Problem;
}

async function storyPage(visit: Visit, sent: Sent = {}): Promise<Page> {
  const { desk, now, query } = visit;
  const id = visit.params['id'] ?? '';
  const record = recordOfId(desk.catalogue, id);
  assertPermitted(callerOf(visit), record?.permission);
  const limit = query.has('all') ? MAX_LINES : LINES;
  const story = await tell(desk.catalogue, desk, { id, limit });
  const decisions = decisionsAbout(desk.catalogue, id);
  const what = capital(wordsOf(story.what));
  const own = desk.catalogue.desks.find(
    ({ records = [] }) => record !== undefined && records.includes(record),
  );
  return {
    title: `${what} ${id}`,
    ...(own ? { place: `desk:${own.name}` } : {}),
    status: (sent.refused ?? sent.notGiven)?.status ?? 200,
    body: html`${heading(html`${what} <span class="id copied" data-copy>${id}</span>`, html`<p class="state">${stateOf(story, now)}</p>`)}
<div class="columns record"><div>
${record === undefined ? undefined : listsAbout(visit, record, id)}
${tabs(visit, story)}
</div>
<div>
${decisions.length === 0 ? undefined : html`<section id="decision" class="card" aria-labelledby="decide"><h2 id="decide">Decide</h2>${decisionMenu(visit, decisions, id)}</section>`}
<section class="card" aria-labelledby="facts"><h2 id="facts">Record</h2>
<dl class="facts">${story.tenantId === null ? undefined : html`<div><dt>client</dt><dd>${idLink(story.tenantId)}</dd></div>`}${processOf(visit, story)}</dl>
${factsOf(Object.entries(story.record))}</section>
${record?.reveal && may(visit, record.reveal.permission) ? revealBox(visit, record, id, sent) : undefined}
${record ? downloadBox(visit, record, id, sent.notGiven) : undefined}
${documentsBox(visit, story)}
</div></div>`,
  };
}

/** The time line, or one of the story's lists. */
function tabs({ query, now }: Visit, story: Story): Html {
  const path = recordPath(story.id);
  const names = LISTS.filter((name) => story.lists[name] !== undefined);
  const chosen = names.find((name) => name === query.get('list'));
  const tab = (title: string, name?: ListName) => {
    const isCurrent = name === chosen;
    const to = name === undefined ? path : `${path}?list=${name}`;
    return html`<li><a href="${to}"${isCurrent ? html` aria-current="page"` : undefined}>${title}</a></li>`;
  };
  const lines = chosen && story.lists[chosen];
  const cut = chosen ? story.cut.includes(chosen) : story.cut.length > 0;
  const more = html`<p class="quiet">The newest lines. <a href="${path}?all=1${chosen ? `&list=${chosen}` : ''}">Show up to ${MAX_LINES}</a></p>`;
  return html`<nav class="tabs" aria-label="Story"><ul>${tab('Time line')}${names.map((name) =>
    tab(`${listTitle(name)} ${story.lists[name]?.length ?? 0}`, name),
  )}</ul></nav>
<section class="card flush">${chosen && lines ? linesTable(chosen, lines, now) : timeLine(story, now)}${cut ? more : undefined}</section>`;
}

/** The lists that show the rows of this record: the movements of an account. */
function listsAbout({ desk: { catalogue } }: Visit, { kind }: RecordOfDesk, id: string): Html {
  const links = catalogue.lists.flatMap((list) =>
    Object.entries(list.about ?? {}).flatMap(([filter, kinds = []]) =>
      kinds.includes(kind)
        ? [html`<li><a href="${listPath(list)}?${filter}=${id}">${shortName(list)}</a></li>`]
        : [],
    ),
  );
  return links.length === 0 ? html`` : html`<nav class="about" aria-label="Lists"><ul>${links}</ul></nav>`;
}

function revealBox(visit: Visit, { title }: RecordOfDesk, id: string, { data, refused }: Sent): Html {
  const shown = data
    ? html`${notice('busy', html`<p>You see personal data. The audit log has your name and your reason.</p>`)}${factsOf(Object.entries(data))}`
    : undefined;
  return html`<section class="card" id="reveal" aria-labelledby="reveal-title"><h2 id="reveal-title">Masked data</h2>
${refused ? notice('bad', html`<p>${refused.message}</p>`) : undefined}${
  shown ??
  html`<form method="post" action="${recordPath(id)}#reveal" class="stack">${csrfField(visit)}
<div class="field"><label for="reveal-reason">Why you need to see it</label>
<input id="reveal-reason" name="reason" type="text" required maxlength="500" autocomplete="off" value="${visit.form.get('reason') ?? ''}" aria-describedby="reveal-hint">
<p class="hint" id="reveal-hint">Of: ${title}. The audit log keeps your name and the reason.</p></div>
<div class="buttons"><button type="submit">Reveal</button></div></form>`
}</section>`;
}

/** Unmasks what a decision on the record needs. Each time is in the audit log. */
export async function revealPage(visit: Visit): Promise<Page> {
  const { desk, form, params, requestId } = visit;
  const id = params['id'] ?? '';
  const caller = callerOf(visit);
  if (form.get('step') === 'again') return storyPage(visit);
  try {
    assertPermitted(caller, recordOfId(desk.catalogue, id)?.permission);
    const reason = reasonOf(form.get('reason') ?? '');
    const data = await desk.database.transaction((tx) =>
      revealRecord(desk.catalogue, tx, { caller, requestId, id, reason }),
    );
    return await storyPage(visit, { data });
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return storyPage(visit, { refused: error });
    throw error;
  }
}

/** Gives out the file of the record. Each time is in the audit log. */
export async function downloadPage(visit: Visit): Promise<GivenFile | Page> {
  const { desk, form, params, requestId } = visit;
  const id = params['id'] ?? '';
  const input = recordOfId(desk.catalogue, id)?.download?.input;
  if (form.get('step') === 'again') return storyPage(visit);
  try {
    return await giveFile(desk, {
      caller: callerOf(visit),
      requestId,
      id,
      reason: reasonOf(form.get('reason') ?? ''),
      input: inputOf(form, input ? fieldsOf(schemaOf(input), INPUT) : [], INPUT),
    });
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return storyPage(visit, { notGiven: error });
    throw error;
  }
}
