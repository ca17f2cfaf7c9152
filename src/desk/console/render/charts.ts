import { Decimal } from '../../../kernel/money/money';
import { type Html, html } from '../../../kernel/wire/html';
import type { Figure, Gauge, Point, Series, Value } from '../../../process/desk/figure';
import { may, type Visit } from '../visit';
import { capital, wordsOf } from './cells';

export const HOURS = 24;
const HOUR_MS = 3_600_000;
/** Values of a gauge that are shown at once. The others unfold. */
const SHOWN_VALUES = 6;
/** Colours of the style sheet. Further labels share the last one. */
const COLOURS = 7;

/** The figures that the operator may see: values now, and counts of the last 24 h. */
export async function figuresOf(visit: Visit, figures: readonly Figure[]): Promise<Html> {
  const seen = figures
    .filter(({ permission }) => may(visit, permission))
    .sort((one, other) => Number(other.isFirst ?? false) - Number(one.isFirst ?? false));
  if (seen.length === 0) return html``;
  const shown = await Promise.all(seen.map((figure) => shownFigure(figure, visit.now)));
  const of = (type: Figure['type']) => shown.filter((_, index) => seen[index]?.type === type);
  return html`${grid('gauges', of('gauge'))}${grid('charts', of('series'))}`;
}

const grid = (name: string, cards: Html[]): Html =>
  cards.length === 0 ? html`` : html`<div class="${name}">${cards}</div>`;

async function shownFigure(figure: Figure, now: Date): Promise<Html> {
  try {
    if (figure.type === 'gauge') return gaugeCard(figure, await figure.values());
    const from = new Date(now.getTime() - HOURS * HOUR_MS);
    return chartCard(figure, await figure.points(from, now), now);
  } catch {
    // One figure that cannot be read must not hide the others.
    return card(figure, html`<p class="soft">This figure cannot be read at the moment.</p>`);
  }
}

const card = ({ name, title, unit }: Figure, body: Html): Html =>
  html`<section class="card figure" aria-labelledby="figure-${name}" data-figure="${name}">
<h3 id="figure-${name}">${capital(title)} <span class="unit">${unit}</span></h3>
${body}
</section>`;

const labelOf = ({ labels }: Value): string => Object.values(labels).map(wordsOf).join(' · ') || 'all';

function gaugeCard(figure: Gauge, values: Value[]): Html {
  if (values.length === 0) return card(figure, html`<p class="big none-yet">none</p>`);
  const [only] = values;
  if (only && values.length === 1 && Object.keys(only.labels).length === 0)
    return card(figure, html`<p class="big">${String(only.value)}</p>`);
  const rows = values.map(
    (each) => html`<div><dt>${labelOf(each)}</dt><dd class="number">${String(each.value)}</dd></div>`,
  );
  const rest = rows.slice(SHOWN_VALUES);
  return card(
    figure,
    html`<dl class="values">${rows.slice(0, SHOWN_VALUES)}</dl>${
      rest.length === 0
        ? undefined
        : html`<details class="more"><summary>${rest.length} more</summary><dl class="values">${rest}</dl></details>`
    }`,
  );
}

interface Bars {
  label: string;
  colour: number;
  total: Decimal;
  /** By hour, the oldest first. */
  hours: number[];
}

function barsOf(points: Point[], now: Date): Bars[] {
  const first = Math.floor(now.getTime() / HOUR_MS) - HOURS + 1;
  const found = new Map<string, Bars>();
  for (const point of points) {
    const hour = Math.floor(point.at.getTime() / HOUR_MS) - first;
    if (hour < 0 || hour >= HOURS) continue;
    const label = labelOf(point);
    const bars = found.get(label) ?? {
      label,
      colour: 0,
      total: new Decimal(0),
      hours: Array<number>(HOURS).fill(0),
    };
    bars.hours[hour] = (bars.hours[hour] ?? 0) + Number(point.value);
    bars.total = bars.total.plus(point.value);
    found.set(label, bars);
  }
  return [...found.values()]
    .sort((one, other) => other.total.comparedTo(one.total))
    .map((bars, index) => ({ ...bars, colour: Math.min(index, COLOURS - 1) }));
}

const [WIDTH, HEIGHT] = [480, 96];
const STEP = WIDTH / HOURS;

/** Stacked bars, an hour each, drawn by the server. */
function chartCard(figure: Series, points: Point[], now: Date): Html {
  const all = barsOf(points, now);
  if (all.length === 0)
    return card(figure, html`<p class="soft empty-chart">None in the last ${HOURS} hours.</p>`);
  const sums = Array.from({ length: HOURS }, (_, hour) =>
    all.reduce((sum, { hours }) => sum + (hours[hour] ?? 0), 0),
  );
  const top = Math.max(...sums, 1);
  const at = (hour: number) => new Date((Math.floor(now.getTime() / HOUR_MS) - HOURS + 1 + hour) * HOUR_MS);
  const hourText = (hour: number) => at(hour).toISOString().slice(11, 16);
  const columns = sums.map((sum, hour) => {
    let below = 0;
    const parts = all.map(({ hours, colour }) => {
      const height = ((hours[hour] ?? 0) / top) * HEIGHT;
      below += height;
      return height === 0
        ? html``
        : html`<rect class="c${colour}" x="${hour * STEP + 2}" y="${(HEIGHT - below).toFixed(2)}" width="${STEP - 4}" height="${height.toFixed(2)}"/>`;
    });
    const told = all.flatMap(({ label, hours }) => (hours[hour] ? [`${label} ${hours[hour]}`] : []));
    return html`<g><title>${hourText(hour)}: ${told.join(', ') || 'none'}</title><rect class="touch" x="${hour * STEP}" y="0" width="${STEP}" height="${HEIGHT}"/>${parts}</g>${sum === 0 ? html`<rect class="zero" x="${hour * STEP + 2}" y="${HEIGHT - 1}" width="${STEP - 4}" height="1"/>` : undefined}`;
  });
  const name = all.map(({ label, total }) => `${label} ${total.toFixed()}`).join(', ');
  return card(
    figure,
    html`<div class="chart"><span class="top">${top}</span>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${figure.title}, last ${HOURS} hours: ${name}">${columns}</svg>
<div class="hours" aria-hidden="true"><span>${hourText(0)}</span><span>${hourText(HOURS / 2)}</span><span>${hourText(HOURS - 1)} UTC</span></div></div>
<ul class="legend">${all.map(
      ({ label, colour, total }) =>
        html`<li><span class="dot c${colour}"></span>${label} <span class="number">${total.toFixed()}</span></li>`,
    )}</ul>
<details class="more"><summary>By the hour</summary><div class="scroll" tabindex="0" role="region" aria-label="${figure.title} by the hour"><table><thead><tr><th scope="col">Hour</th>${all.map(({ label }) => html`<th scope="col" class="right">${label}</th>`)}</tr></thead>
<tbody>${sums.flatMap((sum, hour) => (sum === 0 ? [] : [html`<tr><th scope="row">${hourText(hour)}</th>${all.map(({ hours }) => html`<td class="right number">${String(hours[hour] ?? 0)}</td>`)}</tr>`]))}</tbody></table></div></details>`,
  );
}
