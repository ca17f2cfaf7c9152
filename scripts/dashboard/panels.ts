/** The panels of Grafana's dashboard, money first. `scripts/document-dashboard.ts` writes the dashboard. */

export interface Panel {
  title: string;
  /** The question that the panel answers. */
  description: string;
  /** A unit of Grafana: `short`, `s`, `reqps`, `percentunit` … */
  unit: string;
  /** PromQL by legend. */
  queries: Record<string, string>;
  type?: 'timeseries' | 'stat';
}

/** A quantile of a histogram of ours. */
const quantile = (q: number, metric: string, by: string, matchers = ''): string =>
  `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket${matchers}[5m])))`;

const perSecond = (metric: string, by: string, matchers = ''): string =>
  `sum by (${by}) (rate(${metric}${matchers}[5m]))`;

/** Gauges that are read from Postgres are the same in every process. */
const largest = (metric: string, by: string, matchers = ''): string =>
  `max by (${by}) (${metric}${matchers})`;

export const ROWS: readonly { title: string; panels: readonly Panel[] }[] = [
  {
    title: 'Money',
    panels: [
      {
        title: 'Authorizations by outcome',
        description: 'Are cards accepted?',
        unit: 'reqps',
        queries: { '{{outcome}}': perSecond('card_authorizations_total', 'outcome') },
      },
      {
        title: 'Declines by reason',
        description: 'Why are cards declined?',
        unit: 'reqps',
        queries: { '{{reason}}': perSecond('card_declines_total', 'reason') },
      },
      {
        title: 'Transfers by kind and status',
        description: 'Which transfers end, and how?',
        unit: 'reqps',
        queries: { '{{kind}} {{status}}': perSecond('transfer_statuses_total', 'kind, status') },
      },
      {
        title: 'Amounts moved, by hour',
        description: 'How much money moves? A floating-point sum, for its course alone.',
        unit: 'short',
        queries: { '{{kind}} {{currency}}': 'sum by (kind, currency) (increase(money_moved_total[1h]))' },
      },
      {
        title: 'Balances at rest',
        description: 'What do clients and our own accounts hold?',
        unit: 'short',
        queries: {
          '{{place}} {{currency}}': largest(
            'money_balance',
            'place, currency',
            '{place=~"clients|fees|funding|fx_position|treasury|losses"}',
          ),
        },
      },
      {
        title: 'Balances at parties and chains',
        description: 'Below zero: money of ours. Above: what we owe.',
        unit: 'short',
        queries: {
          '{{place}} {{currency}}': largest(
            'money_balance',
            'place, currency',
            '{place!~"clients|fees|funding|fx_position|treasury|losses|suspense"}',
          ),
        },
      },
      {
        title: 'Suspense',
        description: 'Which money has no owner, and which is missing?',
        unit: 'short',
        queries: { '{{side}} {{currency}}': largest('suspense_amount', 'side, currency') },
      },
      {
        title: 'Open breaks',
        description: 'What do the books and the parties see differently?',
        unit: 'short',
        queries: { '{{kind}}': largest('breaks_open', 'kind') },
      },
      {
        title: 'Open transfers by age',
        description: 'What waits, and for how long?',
        unit: 'short',
        queries: { '{{kind}} {{age}}': 'sum by (kind, age) (max by (kind, status, age) (transfers_open))' },
      },
      {
        title: 'Screenings without a result',
        description: 'How many deposits and payouts wait for the screening party?',
        unit: 'short',
        queries: { '{{direction}}': largest('screenings_pending', 'direction') },
      },
      {
        title: 'Waits for an operator',
        description: 'How long has the oldest record of each queue waited?',
        unit: 's',
        queries: { '{{queue}}': largest('waiting_for_person_oldest_seconds', 'queue') },
      },
      {
        title: 'Difference to parties',
        description: 'Do the exchange, the card processor and the bank report what the books say?',
        unit: 'short',
        queries: {
          'exchange {{currency}}': largest('settlement_difference', 'currency'),
          'card processor {{currency}}': largest('processor_balance_difference', 'currency'),
          'bank {{currency}}': largest('bank_balance_difference', 'currency'),
        },
      },
      {
        title: 'Files of the bank',
        description: 'How long has the bank been silent, on bank days?',
        unit: 's',
        queries: {
          'unanswered file': 'max(bank_file_unanswered_seconds)',
          'statement {{currency}}': largest('bank_statement_age_seconds', 'currency'),
        },
      },
      {
        title: 'Difference to chains',
        description: 'Do the chains hold what the books say?',
        unit: 'short',
        queries: { '{{chain}} {{place}} {{asset}}': largest('chain_difference', 'chain, place, asset') },
      },
    ],
  },
  {
    title: 'Latency',
    panels: [
      {
        title: 'Messages of the card network',
        description: 'How long does an authorization take?',
        unit: 's',
        queries: {
          '50 %': quantile(0.5, 'http_request_duration_seconds', '', '{route="/processor/v1/messages"}'),
          '99 %': quantile(0.99, 'http_request_duration_seconds', '', '{route="/processor/v1/messages"}'),
        },
      },
      {
        title: 'Requests, slowest 1 % by route',
        description: 'Which endpoint is slow?',
        unit: 's',
        queries: {
          '{{method}} {{route}}': `topk(10, ${quantile(0.99, 'http_request_duration_seconds', 'method, route')})`,
        },
      },
      {
        title: 'Requests by status',
        description: 'What do callers get?',
        unit: 'reqps',
        queries: { '{{status}}': perSecond('http_request_duration_seconds_count', 'status') },
      },
      {
        title: 'Event loop, slowest 1 %',
        description: 'Is a process too busy?',
        unit: 's',
        queries: { '{{instance}}': 'max by (instance) (nodejs_eventloop_lag_p99_seconds)' },
      },
      {
        title: 'Processor',
        description: 'How much of a core does each process use?',
        unit: 'percentunit',
        queries: { '{{instance}}': 'sum by (instance) (rate(process_cpu_seconds_total[5m]))' },
      },
      {
        title: 'Memory',
        description: 'Does a process grow?',
        unit: 'bytes',
        queries: { '{{instance}}': 'max by (instance) (process_resident_memory_bytes)' },
      },
    ],
  },
  {
    title: 'Webhooks',
    panels: [
      {
        title: 'Attempts by outcome',
        description: 'Do clients accept their webhooks?',
        unit: 'reqps',
        queries: { '{{outcome}}': perSecond('webhook_attempt_duration_seconds_count', 'outcome') },
      },
      {
        title: 'Time of an attempt',
        description: 'How fast do clients answer?',
        unit: 's',
        queries: {
          '50 %': quantile(0.5, 'webhook_attempt_duration_seconds', ''),
          '95 %': quantile(0.95, 'webhook_attempt_duration_seconds', ''),
        },
      },
      {
        title: 'Waiting events',
        description: 'How large is the backlog?',
        unit: 'short',
        queries: { '{{state}}': largest('outbox_webhook_events', 'state') },
      },
      {
        title: 'Oldest waiting event, oldest waiting command',
        description: 'How far behind are webhooks and workflows?',
        unit: 's',
        queries: { '{{kind}}': largest('outbox_oldest_seconds', 'kind') },
      },
      {
        title: 'Endpoints by status',
        description: 'Which share of endpoints fails?',
        unit: 'short',
        queries: { '{{status}}': largest('webhook_endpoints', 'status') },
      },
      {
        title: 'Refused callers',
        description: 'Which sign-ins and callbacks are refused?',
        unit: 'reqps',
        queries: {
          'sign-ins': 'sum(rate(sign_ins_failed_total[5m]))',
          'callbacks of {{party}}': perSecond('callbacks_forged_total', 'party'),
        },
      },
    ],
  },
  {
    title: 'Parties',
    panels: [
      {
        title: 'Calls by outcome',
        description: 'Do parties answer?',
        unit: 'reqps',
        queries: { '{{party}} {{outcome}}': perSecond('party_calls_total', 'party, outcome') },
      },
      {
        title: 'Calls, slowest 5 %',
        description: 'Which party is slow?',
        unit: 's',
        queries: { '{{party}}': quantile(0.95, 'party_call_duration_seconds', 'party') },
      },
      {
        title: 'Age of readings',
        description: 'When did each party last report?',
        unit: 's',
        queries: {
          'list of {{party}}': largest('party_list_age_seconds', 'party'),
          'balances at the exchange': 'max(exchange_reading_age_seconds)',
          rates: 'max(rates_age_seconds)',
        },
      },
      {
        title: 'Circuit breakers',
        description: 'Which party gets no first tries?',
        unit: 'short',
        queries: { '{{party}} {{gate}}': largest('party_breaker_open', 'party, gate') },
      },
      {
        title: 'Unusable input',
        description: 'What do parties send that has no effect?',
        unit: 'reqps',
        queries: { '{{party}} {{what}}': perSecond('party_input_unusable_total', 'party, what') },
      },
      {
        title: 'Rates expire in',
        description: 'How long may the present rates still be used?',
        unit: 's',
        queries: { rates: 'min(rates_fresh_seconds)' },
      },
    ],
  },
  {
    title: 'Chains',
    panels: [
      {
        title: 'Age of the newest block',
        description: 'Do the nodes of a chain stand still?',
        unit: 's',
        queries: { '{{chain}}': 'time() - max by (chain) (chain_head_timestamp_seconds)' },
      },
      {
        title: 'Age of the comparison with the books',
        description: 'When was each chain last compared?',
        unit: 's',
        queries: { '{{chain}}': largest('chain_reading_age_seconds', 'chain') },
      },
    ],
  },
  {
    title: 'Temporal',
    panels: [
      {
        title: 'Free slots of workers',
        description: 'Can workers take more tasks?',
        unit: 'short',
        queries: {
          '{{task_queue}} {{worker_type}}':
            'sum by (task_queue, worker_type) (temporal_worker_task_slots_available)',
        },
      },
      {
        title: 'Wait for a worker, slowest 5 %',
        description: 'How long do tasks wait in their queues?',
        unit: 's',
        queries: {
          'activities {{task_queue}}': quantile(
            0.95,
            'temporal_activity_schedule_to_start_latency_seconds',
            'task_queue',
          ),
          'workflows {{task_queue}}': quantile(
            0.95,
            'temporal_workflow_task_schedule_to_start_latency_seconds',
            'task_queue',
          ),
        },
      },
      {
        title: 'Activities, slowest 5 %',
        description: 'Which step is slow?',
        unit: 's',
        queries: {
          '{{activity_type}}': `topk(10, ${quantile(0.95, 'temporal_activity_execution_latency_seconds', 'activity_type')})`,
        },
      },
      {
        title: 'Requests of workers',
        description: 'Does Temporal answer workers?',
        unit: 'reqps',
        queries: {
          asked: 'sum(rate(temporal_request_total[5m]))',
          'failed {{operation}}': perSecond('temporal_request_failure_total', 'operation'),
        },
      },
      {
        title: 'Pollers',
        description: 'Do workers poll all queues?',
        unit: 'short',
        queries: {
          '{{task_queue}} {{poller_type}}': 'sum by (task_queue, poller_type) (temporal_num_pollers)',
        },
      },
      {
        title: 'Overdue records',
        description: 'Which processes are five minutes late?',
        unit: 'short',
        queries: { '{{process}}': largest('records_overdue', 'process') },
      },
    ],
  },
  {
    title: 'Postgres',
    panels: [
      {
        title: 'Connections of the pools',
        description: 'Do requests wait for a connection?',
        unit: 'short',
        queries: { '{{state}} {{instance}}': 'max by (instance, state) (database_connections)' },
      },
      {
        title: 'Transactions',
        description: 'How much does Postgres work?',
        unit: 'reqps',
        queries: {
          committed: 'sum(rate(pg_stat_database_xact_commit{datname="cardwright"}[5m]))',
          'rolled back': 'sum(rate(pg_stat_database_xact_rollback{datname="cardwright"}[5m]))',
        },
      },
      {
        title: 'Size of the database',
        description: 'How fast does it grow?',
        unit: 'bytes',
        queries: { size: 'max(pg_database_size_bytes{datname="cardwright"})' },
      },
      {
        title: 'Archive of WAL',
        description: 'How old is the newest archived file?',
        unit: 's',
        queries: { age: 'max(wal_archive_age_seconds)', failing: 'max(wal_archive_failing)' },
      },
      {
        title: 'Free disk',
        description: 'Which part of a disk is free?',
        unit: 'percentunit',
        queries: { '{{instance}} {{place}}': 'min by (instance, place) (disk_free_bytes / disk_size_bytes)' },
      },
      {
        title: 'Rest of certificates',
        description: 'How long are client certificates valid?',
        unit: 's',
        queries: { '{{peer}}': 'min by (peer) (certificate_expires_timestamp_seconds) - time()' },
      },
      {
        title: 'Readings of metrics',
        description: 'Which gauges could not be read?',
        unit: 'short',
        queries: { '{{reading}}': 'min by (reading) (metrics_reading_up)' },
      },
      {
        title: 'Releases that run',
        description: 'Which versions run, on which Node?',
        unit: 'short',
        type: 'stat',
        queries: { '{{build}} Node {{node}}': 'count by (build, node) (build_info)' },
      },
    ],
  },
];
