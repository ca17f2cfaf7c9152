import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS, type MetricDefinition } from '../src/kernel/metrics/definitions';

/** Prints the table of metrics into docs/metrics.md: `npx tsx scripts/document-metrics.ts`. */

const FILE = join(__dirname, '../docs/metrics.md');

export function renderMetrics(): string {
  return [
    '# Metrics',
    '',
    'Printed from `src/kernel/metrics/definitions.ts` by `npx tsx scripts/document-metrics.ts`; a test fails where this page differs.',
    'Each process serves them for Prometheus at `/metrics` on `METRICS_HOST` and `METRICS_PORT`, with what Node tells of a process',
    '(`process_…`, `nodejs_…`). [alerts.yml](alerts.yml) is an example of rules on them.',
    '',
    'Counters and histograms are what this process has done. Gauges but `database_connections`, `party_breaker_open` and',
    '`chain_head_timestamp_seconds` are read from Postgres, the same whichever process is asked: take their `max`, not their sum. They are kept for five seconds; what cannot be',
    'read in two is left out of the scrape, and `metrics_reading_up` says so. No label has an id.',
    '',
    '| metric | type | labels | what it shows | what to alert on |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries<MetricDefinition>(METRICS).map(
      ([name, { type, labels, help, alert = '' }]) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} | ${alert} |`,
    ),
    '',
  ].join('\n');
}

if (require.main === module) writeFileSync(FILE, renderMetrics());
