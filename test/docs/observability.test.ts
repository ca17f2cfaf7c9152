import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROWS } from '../../scripts/dashboard/panels';
import { renderDashboard } from '../../scripts/document-dashboard';
import { METRICS, type MetricDefinition } from '../../src/kernel/metrics/definitions';
import { createMetrics } from '../../src/kernel/metrics/metrics';
import { EXPORTER_SERIES, SDK_SERIES } from './foreign-series';

/** The files of `observability`: alerts, runbooks and the dashboard agree with the product's metrics. */

const ROOT = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

const { groups } = parse(read('observability/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const panels = ROWS.flatMap((row) => row.panels);

/** Labels of each series that a query may name. */
async function knownSeries(): Promise<Map<string, readonly string[]>> {
  const ours = Object.entries<MetricDefinition>(METRICS).flatMap(([name, { type, labels }]) =>
    type === 'histogram'
      ? ['_bucket', '_count', '_sum'].map((end) => [name + end, [...labels, 'le']] as const)
      : [[name, [...labels]] as const],
  );
  const { body } = await createMetrics().render();
  const ofNode = [...body.matchAll(/^# TYPE ((?:nodejs|process)_\w+)/gm)].map(
    ([, name = '']) => [name, []] as const,
  );
  return new Map<string, readonly string[]>([
    ...ours,
    ...ofNode,
    ['up', ['job']],
    ...Object.entries(SDK_SERIES),
    ...Object.entries(EXPORTER_SERIES),
  ]);
}

const FUNCTIONS = new Set(
  'sum max min count by rate increase max_over_time histogram_quantile topk time offset and or unless'.split(
    ' ',
  ),
);

/** Names of series and of labels in a query, without texts, ranges and functions. */
function namesIn(expr: string) {
  const labels = [
    ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
      [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    ),
    ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, inside = '']) => inside.split(/,\s*/)),
  ];
  const bare = expr
    .replace(/\[\w+\]/g, '')
    .replace(/offset \w+/g, '')
    .replace(/by \([^)]*\)/g, '')
    .replace(/\{[^}]*\}/g, '');
  const series = [...bare.matchAll(/[a-z_][a-z0-9_]*/g)].map(([word]) => word);
  return { labels, series: series.filter((word) => !FUNCTIONS.has(word)) };
}

/** Prometheus adds these two to each series. */
const TARGET_LABELS = ['instance', 'job'];

/** Faults of a query, in words. */
function faultsOf(expr: string, known: ReadonlyMap<string, readonly string[]>): string[] {
  const { series, labels } = namesIn(expr);
  const unknown = series.filter((name) => !known.has(name));
  const allowed = new Set([...TARGET_LABELS, ...series.flatMap((name) => known.get(name) ?? [])]);
  return [
    ...(series.length === 0 ? ['queries nothing'] : []),
    ...unknown.map((name) => `no metric ${name}`),
    ...labels.filter((label) => !allowed.has(label)).map((label) => `no label ${label}`),
    ...(isBalanced(expr) ? [] : ['brackets do not match']),
    ...(/"[^"]*$/.test(expr.replace(/"[^"]*"/g, '')) ? ['a text does not end'] : []),
  ];
}

function isBalanced(expr: string): boolean {
  const open: string[] = [];
  const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
  for (const sign of expr.replace(/"[^"]*"/g, '')) {
    if ('([{'.includes(sign)) open.push(sign);
    else if (sign in pairs && open.pop() !== pairs[sign]) return false;
  }
  return open.length === 0;
}

it('finds a query with a wrong metric, label or bracket', async () => {
  const known = await knownSeries();
  expect(faultsOf('max(breaks_opened)', known)).toEqual(['no metric breaks_opened']);
  expect(faultsOf('max by (sort) (breaks_open{kind="a"})', known)).toEqual(['no label sort']);
  expect(faultsOf('max(breaks_open{status="a"})', known)).toEqual(['no label status']);
  expect(faultsOf('max((breaks_open)', known)).toEqual(['brackets do not match']);
  expect(faultsOf('5 > 3', known)).toEqual(['queries nothing']);
});

describe('alerts', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s is a rule of Prometheus', async (_, rule) => {
    expect(faultsOf(rule.expr, await knownSeries())).toEqual([]);
    expect(rule).toEqual({
      alert: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
      expr: expect.stringMatching(/ (>|<|==) /),
      ...('for' in rule ? { for: expect.stringMatching(/^\d+[mh]$/) } : {}),
      labels: { severity: expect.stringMatching(/^(page|ticket)$/) },
      annotations: {
        summary: expect.stringMatching(/\.$/),
        runbook_url: `docs/runbooks.md#${rule.alert.toLowerCase()}`,
      },
    });
  });

  it('have names of their own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it('each have a runbook with its four parts, and no runbook has no alert', () => {
    const sections = read('docs/runbooks.md').split(/^### /m).slice(1);
    expect(sections.map((section) => section.slice(0, section.indexOf('\n')))).toEqual(
      rules.map(({ alert }) => alert),
    );
    for (const section of sections)
      expect([...section.matchAll(/^- \*\*([\w ]+):\*\* \S/gm)].map(([, part]) => part)).toEqual([
        'Means',
        'Look first',
        'Do',
        'Do not',
      ]);
  });

  it('are named by the kinds of breaks that the product opens', () => {
    const code = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => read(join('src', path)))
      .join('\n');
    const kinds = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/breaks_open\{kind=~?"([^"]*)"/g)].flatMap(([, list = '']) => list.split('|')),
    );
    expect(kinds.length).toBeGreaterThan(10);
    expect(kinds.filter((kind) => !code.includes(`'${kind}'`))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('is current: npm run document writes it', () => {
    expect(read('observability/grafana/dashboards/cardwright.json')).toBe(renderDashboard());
  });

  it.each(panels.map((panel) => [panel.title, panel] as const))(
    '%s queries existing metrics',
    async (_, panel) => {
      const known = await knownSeries();
      for (const [legend, expr] of Object.entries(panel.queries)) {
        expect(faultsOf(expr, known)).toEqual([]);
        const { labels } = namesIn(expr);
        for (const [, label] of legend.matchAll(/\{\{(\w+)\}\}/g)) expect(labels).toContain(label);
      }
    },
  );

  it('has each of the product’s own metrics, or an alert has it', () => {
    const shown = [
      ...panels.flatMap(({ queries }) => Object.values(queries)),
      ...rules.map(({ expr }) => expr),
    ].join();
    // Counts beside the waiting time and the amounts that are shown.
    const without = ['waiting_for_person', 'suspense_items'];
    const missing = Object.keys(METRICS).filter(
      (name) => !new RegExp(`\\b${name}(_bucket|_count)?\\b`).test(shown),
    );
    expect(missing).toEqual(without);
  });
});

it('Compose mounts the files where Prometheus and Grafana look for them', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { volumes?: string[]; profiles?: string[] }>;
  };
  const profile = Object.keys(services).filter((name) => services[name]?.profiles?.includes('observability'));
  expect(profile).toEqual(['prometheus', 'grafana', 'postgres-exporter', 'jaeger']);
  const config = parse(read('observability/prometheus/prometheus.yml')) as {
    rule_files: string[];
    scrape_configs: { dns_sd_configs?: { names: string[]; port: number }[] }[];
  };
  expect(services['prometheus']?.volumes).toContain('./observability/prometheus:/etc/prometheus:ro');
  expect(config.rule_files).toEqual(['/etc/prometheus/alerts.yml']);
  const targets = config.scrape_configs.flatMap(({ dns_sd_configs: found = [] }) => found);
  expect(targets).toEqual([{ names: ['api', 'worker', 'dispatcher', 'desk'], type: 'A', port: 9464 }]);
  for (const { names } of targets) for (const name of names) expect(services).toHaveProperty(name);
  expect(services['grafana']?.volumes).toEqual([
    './observability/grafana/provisioning:/etc/grafana/provisioning:ro',
    './observability/grafana/dashboards:/var/lib/grafana/dashboards:ro',
  ]);
  const sources = parse(read('observability/grafana/provisioning/datasources/prometheus.yml')) as {
    datasources: { uid: string }[];
  };
  expect(sources.datasources.map(({ uid }) => uid)).toContain('prometheus');
});
