import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Panel, ROWS } from './dashboard/panels';

/** Writes Grafana's dashboard from the table of panels: `npm run document`. */

export const DASHBOARD = join(__dirname, '../observability/grafana/dashboards/cardwright.json');

const DATASOURCE = { type: 'prometheus', uid: 'prometheus' };
/** Columns of Grafana's grid. */
const GRID = 24;
const HEIGHT = 8;

export function renderDashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: own } of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: at(0, y, GRID, 1),
      panels: [],
    });
    y += 1;
    const width = own.length % 3 === 0 ? GRID / 3 : GRID / 2;
    own.forEach((panel, place) => {
      const perRow = GRID / width;
      const gridPos = at((place % perRow) * width, y + Math.floor(place / perRow) * HEIGHT, width, HEIGHT);
      panels.push(rendered(panel, panels.length + 1, gridPos));
    });
    y += Math.ceil(own.length / (GRID / width)) * HEIGHT;
  }
  const dashboard = {
    uid: 'cardwright',
    title: 'Cardwright',
    tags: ['cardwright'],
    schemaVersion: 39,
    version: 1,
    editable: false,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'utc',
    templating: { list: [] },
    annotations: { list: [] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

const at = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });

function rendered(
  { title, description, unit, queries, type = 'timeseries' }: Panel,
  id: number,
  gridPos: object,
) {
  return {
    id,
    type,
    title,
    description,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit }, overrides: [] },
    options:
      type === 'timeseries'
        ? { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } }
        : {},
    targets: Object.entries(queries).map(([legendFormat, expr], place) => ({
      refId: String.fromCodePoint(65 + place),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
  };
}

if (require.main === module) {
  mkdirSync(dirname(DASHBOARD), { recursive: true });
  writeFileSync(DASHBOARD, renderDashboard());
}
