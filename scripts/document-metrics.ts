import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS, type MetricDefinition } from '../src/kernel/metrics/definitions';

/** Writes docs/metrics.md: `npm run document`. */

const FILE = join(__dirname, '../docs/metrics.md');

export function renderMetrics(): string {
  return [
    '# Metrics',
    '',
    'Each process but the signer serves its metrics to Prometheus at `/metrics` on `METRICS_HOST` and `METRICS_PORT`, together with the metrics of',
    'Node (`process_…`, `nodejs_…`). Workers and dispatchers add those of the Temporal SDK (`temporal_…`): slots, polls, requests, latencies.',
    'The [rules of alerts](../observability/prometheus/alerts.yml) each have a [runbook](runbooks.md).',
    '',
    'Counters and histograms count the work of one process. So do the gauges `database_connections`, `party_breaker_open`,',
    '`chain_head_timestamp_seconds`, `build_info`, `metrics_reading_up`, and those of disks and certificates. All other gauges are read from Postgres and are the same in every process: take their `max`, not',
    'their sum. Such a reading is kept for five seconds, and where the table says so for longer. A reading that takes longer than two seconds is left out of the scrape, and',
    '`metrics_reading_up` is 0. No label holds an id.',
    '',
    '`npm run document` writes this page from `src/kernel/metrics/definitions.ts`.',
    '',
    '| metric | type | labels | meaning | alert on |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries<MetricDefinition>(METRICS).map(
      ([name, { type, labels, help, alert = '' }]) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} | ${alert} |`,
    ),
    '',
  ].join('\n');
}

if (require.main === module) writeFileSync(FILE, renderMetrics());
