import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { renderMetrics } from '../../scripts/document-metrics';
import { METRICS, type MetricDefinition } from '../../src/kernel/metrics/definitions';

const docs = join(__dirname, '../../docs');
const definitions = Object.entries<MetricDefinition>(METRICS);

it('lists the current metrics in docs/metrics.md: npm run document writes it', () => {
  expect(readFileSync(join(docs, 'metrics.md'), 'utf8')).toBe(renderMetrics());
});

it.each(definitions)('%s has a name by the conventions of Prometheus', (name, { type, labels }) => {
  for (const word of [name, ...labels]) expect(word).toMatch(/^[a-z][a-z0-9_]*$/);
  expect(name.endsWith('_total')).toBe(type === 'counter');
  expect(name).not.toMatch(/_(count|sum|bucket|ms|milliseconds)$/);
  if (type === 'histogram') expect(name).toMatch(/_seconds$/);
});

describe('the rules of docs/alerts.yml', () => {
  const { groups } = parse(readFileSync(join(docs, 'alerts.yml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
  };
  const all = groups.flatMap((group) => group.rules);
  const rules = all.map(({ alert, expr }) => [alert, expr] as const);

  /** Labels of each series. */
  const series = new Map(
    definitions.flatMap(([name, { type, labels }]) =>
      type === 'histogram'
        ? ['_bucket', '_count', '_sum'].map((end) => [name + end, [...labels, 'le']] as const)
        : [[name, [...labels]] as const],
    ),
  );
  const WORDS = /^(sum|max|min|by|rate|increase|histogram_quantile)$/;

  it.each(rules)('%s queries existing metrics and labels', (_alert, expr) => {
    const bare = expr
      .replace(/\[\w+\]/g, '')
      .replace(/by \([^)]*\)/g, '')
      .replace(/\{[^}]*\}/g, '');
    const names = [...bare.matchAll(/[a-z][a-z0-9_]*/g)]
      .map(([word]) => word)
      .filter((word) => !WORDS.test(word));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect([...series.keys()]).toContain(name);
    const known = names.flatMap((name) => series.get(name) ?? []);
    const matchers = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
      [...inside.matchAll(/(\w+)\s*(?:=~|=)/g)].map(([, label]) => label),
    );
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, inside = '']) => inside.split(/,\s*/));
    for (const label of [...matchers, ...grouped]) expect(known).toContain(label);
  });

  it('gives each alert a summary and no other annotation', () => {
    for (const { annotations } of all) expect(annotations).toEqual({ summary: expect.any(String) as string });
  });

  it('gives each alert a name of its own', () => {
    expect(new Set(rules.map(([alert]) => alert)).size).toBe(rules.length);
  });
});
