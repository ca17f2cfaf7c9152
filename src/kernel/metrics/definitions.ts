export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  /** Each takes few values, and none is an id. */
  labels: readonly string[];
  help: string;
  /** What an operator is to be woken by, or told. */
  alert?: string;
}

/** Every metric of ours, by its name; docs/metrics.md is printed from this. */
export const METRICS = {
  http_request_duration_seconds: {
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    help: 'Time to answer a request, by route pattern; without probes and what the product asks of the sandbox’s parties.',
    alert: 'A share of status 5xx above 1 %; the 99th percentile above a second.',
  },
  database_connections: {
    type: 'gauge',
    labels: ['state'],
    help: 'Connections to Postgres that are busy or idle, and requests that wait for one.',
    alert: '`waiting` above 0 for minutes.',
  },
  metrics_reading_up: {
    type: 'gauge',
    labels: ['reading'],
    help: 'Whether what a group of gauges shows could be read for this scrape; where it could not they are left out.',
    alert: '0 for minutes: Postgres is away, or too slow for what is counted.',
  },
  outbox_workflow_commands: {
    type: 'gauge',
    labels: ['state'],
    help: 'Commands that Temporal has not taken (due), and those given up after twenty tries (parked); at most 100,000 are counted.',
    alert: '`parked` above 0.',
  },
  outbox_webhook_events: {
    type: 'gauge',
    labels: ['state'],
    help: 'Webhook deliveries that wait (due), and those that were given up (failed); at most 100,000 are counted.',
  },
  outbox_oldest_seconds: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Age of the oldest that is due: a workflow command, a webhook event; 0 where none waits.',
    alert: '`command` above a minute: Temporal is away or behind.',
  },
  waiting_for_person: {
    type: 'gauge',
    labels: ['queue'],
    help: 'What waits for a decision of a person, by queue.',
  },
  waiting_for_person_oldest_seconds: {
    type: 'gauge',
    labels: ['queue'],
    help: 'How long the oldest of a queue has waited; 0 where none waits.',
    alert: 'Longer than the installation promises.',
  },
  breaks_open: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Breaks that nobody has resolved, by kind; the oldest 10,000 are counted.',
    alert: '`transfer_below_zero`, `transfer_contradicted` above 0; any growth.',
  },
  breaks_oldest_seconds: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Age of the oldest open break, by kind.',
    alert: 'More than a day.',
  },
  suspense_amount: {
    type: 'gauge',
    labels: ['currency', 'side'],
    help: 'Money of transfers in suspense: nobody’s yet (held), and what is ours to claim (missing), as its open breaks tell.',
    alert: '`missing` above 0.',
  },
  suspense_items: {
    type: 'gauge',
    labels: ['currency', 'side'],
    help: 'How many transfers have it there.',
  },
  transfers_open: {
    type: 'gauge',
    labels: ['kind', 'status', 'age'],
    help: 'Transfers that wait for their party, a person or the time, by how long ago they were made.',
    alert: '`processing`, `sent`, `executing` or `awaiting_settlement` that are `older`.',
  },
  settlement_difference: {
    type: 'gauge',
    labels: ['currency'],
    help: 'What the exchange says that it holds of ours, less what our books say, as of the last reading.',
    alert: 'A break `settlement_difference`: it has lasted longer than `SETTLEMENT_DIFFERENCE_SECONDS`.',
  },
  chain_difference: {
    type: 'gauge',
    labels: ['chain', 'place', 'asset'],
    help: 'What our addresses on a chain have, less what our books say that they have, as of the last reading.',
    alert: 'A break `chain_difference`: it was there at two readings at least.',
  },
  chain_head_timestamp_seconds: {
    type: 'gauge',
    labels: ['chain'],
    help: 'When the newest block was made that the nodes of a chain know of, in seconds since 1970; of the process that reads its blocks.',
    alert: 'A break `chain_stands_still`: it is older than ten minutes.',
  },
  records_overdue: {
    type: 'gauge',
    labels: ['process'],
    help: 'Records that a workflow should have moved five minutes ago; at most 1,000 of each are counted.',
    alert: 'Above 0 for ten minutes: the reconciler starts them again each minute.',
  },
  webhook_endpoints: {
    type: 'gauge',
    labels: ['status'],
    help: 'Webhook endpoints that are active, failing or disabled.',
    alert: '`failing` that grows: our way out, not theirs in.',
  },
  card_authorizations_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Authorizations that were recorded: approved, declined, or forced (recorded whatever the balance was).',
    alert: 'None for minutes at a time of day that has some; a share of declines far from its usual.',
  },
  card_declines_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Declines, by reason.',
  },
  party_calls_total: {
    type: 'counter',
    labels: ['party', 'operation', 'outcome'],
    help: 'Calls of outside parties, by the operation of their port: ok, refused, away (nothing was done), unknown (it may have been done, or cannot be read), failed (a fault of ours).',
    alert: 'A share of away and unknown above 10 %; any `failed`.',
  },
  party_call_duration_seconds: {
    type: 'histogram',
    labels: ['party', 'operation'],
    help: 'How long those calls took.',
  },
  party_breaker_open: {
    type: 'gauge',
    labels: ['party', 'gate'],
    help: 'Whether a party has failed so often in a row that it is not tried in passing, by whom: the first step, or workflows.',
    alert: '1 for minutes.',
  },
  party_lists_unreadable_total: {
    type: 'counter',
    labels: ['party'],
    help: 'Readings of a party’s list of changes that failed.',
    alert: 'Growth for a minute: transfers are asked for one by one then.',
  },
  party_list_age_seconds: {
    type: 'gauge',
    labels: ['party'],
    help: 'How long ago a party’s list of changes was last read without a failure, or since the process began.',
    alert: 'More than five minutes: nobody reads the list, or its rows cannot be applied.',
  },
  party_input_unusable_total: {
    type: 'counter',
    labels: ['party', 'what'],
    help: 'What parties said that could not be used, by what it was: nothing was done on it.',
    alert: 'Any growth: a break tells what to look at.',
  },
  callbacks_forged_total: {
    type: 'counter',
    labels: ['party'],
    help: 'Callbacks that no signature vouched for.',
    alert: 'Growth without a stranger: the party’s secret and ours differ.',
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

type Named<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

export type GaugeName = Named<'gauge'>;

/** The labels of a metric, each with its value. */
export type LabelsOf<Name extends MetricName> = Record<(typeof METRICS)[Name]['labels'][number], string>;

/** What a gauge is set to. */
export type Sample = {
  [Name in GaugeName]: { gauge: Name; labels: LabelsOf<Name>; value: number };
}[GaugeName];

export const sample = <Name extends GaugeName>(gauge: Name, labels: LabelsOf<Name>, value: number): Sample =>
  ({ gauge, labels, value }) as Sample;
