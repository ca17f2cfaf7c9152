import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
