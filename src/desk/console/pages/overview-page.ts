import { type Html, html } from '../../../kernel/wire/html';
import { countApprovals } from '../../../process/approvals/operations';
import { ageText } from '../../shown-text';
import { counted, timeOf } from '../render/cells';
import { figuresOf, HOURS } from '../render/charts';
import { heading } from '../render/layout';
import { listPath, shortName, titleOf, type Waits, waitsOf } from '../render/lists';
import { AUTOMATIC } from '../session';
import type { Page, Visit } from '../visit';

/** Seconds after which the overview asks for itself again. */
const REFRESH_SECONDS = 30;

/** What waits, what fails, and all figures of the catalogue. */
export async function overviewPage(visit: Visit): Promise<Page> {
  const { catalogue, database } = visit.desk;
  const waits = await waitsOf(visit, catalogue.lists);
  const approvals = await countApprovals(database);
  const [failing, waiting] = [waits.filter(({ of }) => of.fails), waits.filter(({ of }) => !of.fails)];
  return {
    title: 'Overview',
    place: 'overview',
    body: html`<div id="overview" hx-get="/?${AUTOMATIC}=1" hx-select="#overview" hx-trigger="every ${REFRESH_SECONDS}s" hx-swap="outerHTML">
${heading('Overview', html`<p class="soft">as of ${timeOf(visit.now.toISOString(), 'UTC')}</p>`)}
<div class="tiles">
${tile('/work', 'Waits for a person', sumOf(waiting), oldestOf(waiting), 'busy')}
${tile('/approvals', 'Waits for a second person', approvals.count, approvals.oldestSeconds, 'busy')}
${tile('#fails', 'Fails', sumOf(failing), oldestOf(failing), 'bad')}
</div>
<div class="columns">
<section aria-labelledby="waits"><h2 id="waits">What waits</h2>${waitsTable(waiting, 'Nothing waits for a person.')}</section>
<section aria-labelledby="fails"><h2 id="fails">What fails</h2>${waitsTable(failing, 'Nothing fails.')}</section>
</div>
<section aria-labelledby="figures"><h2 id="figures">Figures <span class="soft">now, and of the last ${HOURS} hours</span></h2>
${await figuresOf(visit, catalogue.figures)}</section>
</div>`,
  };
}

const sumOf = (waits: Waits[]): number => waits.reduce((sum, { count }) => sum + count, 0);
const oldestOf = (waits: Waits[]): number => Math.max(0, ...waits.map(({ oldestSeconds }) => oldestSeconds));

function tile(path: string, title: string, count: number, oldestSeconds: number, tone: 'busy' | 'bad'): Html {
  const oldest = count === 0 ? 'nothing' : `the oldest for ${ageText(oldestSeconds)}`;
  return html`<a class="card tile ${count === 0 ? 'calm' : tone}" href="${path}"><span class="tile-title">${title}</span>
<span class="big">${count}</span> <span class="soft">${oldest}</span></a>`;
}

const OLD_SECONDS = 86_400;

function waitsTable(waits: Waits[], empty: string): Html {
  const filled = waits
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.oldestSeconds - one.oldestSeconds);
  const others = waits.filter(({ count }) => count === 0);
  const rows = filled.map(
    ({
      of,
      count,
      oldestSeconds,
    }) => html`<tr><th scope="row"><a href="${listPath(of)}">${shortName(of)}</a><span class="soft what">${titleOf(of)}</span></th>
<td class="right number">${count}</td><td class="right"><span class="age${oldestSeconds >= OLD_SECONDS ? ' old' : ''}">${ageText(oldestSeconds)}</span></td></tr>`,
  );
  const table = html`<table class="waits"><thead><tr><th scope="col">List</th><th scope="col" class="right">Rows</th><th scope="col" class="right">Oldest</th></tr></thead><tbody>${rows}</tbody></table>`;
  return html`<div class="card flush">${filled.length === 0 ? html`<p class="empty">${empty}</p>` : table}${emptyLists(others)}</div>`;
}

/** Lists without a row, in one line. */
export const emptyLists = (lists: Waits[]): Html =>
  lists.length === 0
    ? html``
    : html`<p class="quiet">${counted(lists.length, 'list')} without a row: ${lists.map(
        ({ of }, index) => html`${index === 0 ? '' : ', '}<a href="${listPath(of)}">${shortName(of)}</a>`,
      )}</p>`;
