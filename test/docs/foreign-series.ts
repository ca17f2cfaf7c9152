/** Series that the dashboard and the alerts query and that the product does not define itself, with their labels. */

const LATENCY = ['_bucket', '_count', '_sum'];
const histogram = (name: string, labels: readonly string[]) =>
  Object.fromEntries(LATENCY.map((end) => [name + end, [...labels, 'le']]));

/** Series of the Temporal SDK's core. `test/startup/seen.test.ts` finds each at a running worker. */
export const SDK_SERIES: Readonly<Record<string, readonly string[]>> = {
  temporal_worker_task_slots_available: ['task_queue', 'worker_type'],
  temporal_num_pollers: ['task_queue', 'poller_type'],
  temporal_request_total: ['operation'],
  temporal_request_failure_total: ['operation'],
  ...histogram('temporal_activity_schedule_to_start_latency_seconds', ['task_queue']),
  ...histogram('temporal_workflow_task_schedule_to_start_latency_seconds', ['task_queue']),
  ...histogram('temporal_activity_execution_latency_seconds', ['activity_type']),
};

/** Series of prometheuscommunity/postgres-exporter. */
export const EXPORTER_SERIES: Readonly<Record<string, readonly string[]>> = {
  pg_stat_database_xact_commit: ['datname'],
  pg_stat_database_xact_rollback: ['datname'],
  pg_database_size_bytes: ['datname'],
};
