export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  /** Each label has few values, and no value is an id. */
  labels: readonly string[];
  help: string;
  /** Condition on which an operator is alerted. */
  alert?: string;
}

/** All metrics of the product by name. docs/metrics.md is written from this table. */
export const METRICS = {
  build_info: {
    type: 'gauge',
    labels: ['build', 'node', 'role'],
    help: 'Always 1. The labels tell the version with a hash of its sources, as `/health` does, the Node that runs them, and the role of the process.',
    alert: 'Two builds for longer than an upgrade takes; a role that had a process and has none.',
  },
  http_request_duration_seconds: {
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    help: 'Time to answer a request, by route pattern. Probes and calls of sandbox parties are left out.',
    alert: 'Status 5xx above 1 %; the 99th percentile above a second.',
  },
  database_connections: {
    type: 'gauge',
    labels: ['state'],
    help: 'Busy and idle connections to Postgres, and requests that wait for a connection.',
    alert: '`waiting` above 0 for minutes.',
  },
  metrics_reading_up: {
    type: 'gauge',
    labels: ['reading'],
    help: '1 when a group of gauges could be read for this scrape. At 0 the group is left out.',
    alert: '0 for minutes: Postgres is away or too slow.',
  },
  outbox_workflow_commands: {
    type: 'gauge',
    labels: ['state'],
    help: 'Workflow commands that Temporal has not taken (due), or never took in twenty tries (parked). Counts up to 100,000.',
    alert: '`parked` above 0.',
  },
  outbox_webhook_events: {
    type: 'gauge',
    labels: ['state'],
    help: 'Webhook events that wait for delivery (due), or were given up (failed). Counts up to 100,000.',
  },
  outbox_oldest_seconds: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Age of the oldest due workflow command or webhook event; 0 when none waits.',
    alert: '`command` above a minute: Temporal is away or behind.',
  },
  audit_heads_untold: {
    type: 'gauge',
    labels: [],
    help: 'Hourly heads of the audit log that the witness has not been told yet.',
    alert: 'Above 2: the witness has been away for hours.',
  },
  waiting_for_person: {
    type: 'gauge',
    labels: ['queue'],
    help: 'Records that wait for a decision of an operator, by queue.',
  },
  waiting_for_person_oldest_seconds: {
    type: 'gauge',
    labels: ['queue'],
    help: 'Waiting time of the oldest record of a queue; 0 when none waits.',
    alert: 'Longer than the installation promises.',
  },
  money_moved_total: {
    type: 'counter',
    labels: ['kind', 'currency'],
    help: 'Committed amounts of account and card transactions, by type and subtype. Books hold exact decimals; this sum is a floating-point number, for rates and shares only.',
  },
  money_balance: {
    type: 'gauge',
    labels: ['place', 'currency'],
    help: 'Balance of each internal account, and of all clients and cards together (`clients`), read once a minute. A party or a chain below zero has money of ours. A floating-point number; the desk has the exact decimals.',
    alert: '`suspense` other than 0; `clients` below 0.',
  },
  transfer_statuses_total: {
    type: 'counter',
    labels: ['kind', 'status'],
    help: 'Transfers that got a status, by kind. The first status counts too.',
    alert: 'An unusual share of `failed`.',
  },
  breaks_open: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Open breaks, by kind. Counts up to 10,000, the oldest first.',
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
    help: 'Money in suspense by the open breaks of transfers: without an owner (held), or ours to claim from a party (missing).',
    alert: '`missing` above 0.',
  },
  suspense_items: {
    type: 'gauge',
    labels: ['currency', 'side'],
    help: 'Transfers that have money in suspense.',
  },
  transfers_open: {
    type: 'gauge',
    labels: ['kind', 'status', 'age'],
    help: 'Transfers that wait for their party, an operator or a deadline, by age.',
    alert: 'Age `older` in `processing`, `sent`, `executing` or `awaiting_settlement`.',
  },
  screenings_pending: {
    type: 'gauge',
    labels: ['direction'],
    help: 'Deposits on chains (inbound) and payouts to chains (outbound) that wait for the screening party. Counts up to 10,000, the oldest first.',
  },
  screenings_pending_oldest_seconds: {
    type: 'gauge',
    labels: ['direction'],
    help: 'Age of the oldest screening without a result, by direction.',
    alert: 'More than half an hour: the party is away, or a person must ask it.',
  },
  settlement_difference: {
    type: 'gauge',
    labels: ['currency'],
    help: 'Balance that the exchange reports, less the balance of the books, at the last reading.',
    alert: 'A break `settlement_difference`: the difference has lasted for `SETTLEMENT_DIFFERENCE_SECONDS`.',
  },
  processor_balance_difference: {
    type: 'gauge',
    labels: ['currency'],
    help: 'Balance that the card processor reports, less the balance of the books, at the last reading. Absent where it reports none.',
    alert:
      'A break `processor_balance_differs`: the difference has lasted for `SETTLEMENT_DIFFERENCE_SECONDS`.',
  },
  bank_balance_difference: {
    type: 'gauge',
    labels: ['currency'],
    help: 'Balance that a bank by files reports, less the balance of the books, at the last reading. Absent before the first statement of an account in `BANK_ACCOUNTS`.',
    alert: 'A break `bank_balance_differs`: the difference has lasted for `SETTLEMENT_DIFFERENCE_SECONDS`.',
  },
  bank_file_unanswered_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest file of orders that the bank has answered by no report and no entry, on bank days (TARGET); 0 when none waits.',
    alert: 'More than two bank days: a break `bank_file_unanswered` names the file.',
  },
  bank_statement_age_seconds: {
    type: 'gauge',
    labels: ['currency'],
    help: 'Age of the last statement of each account at a bank by files, on bank days (TARGET). Absent before the first, and for an account that is gone from `BANK_ACCOUNTS`.',
    alert: 'More than two bank days.',
  },
  bank_files_refused: {
    type: 'gauge',
    labels: [],
    help: 'Files of the bank that were refused within a day.',
    alert: 'Above 0.',
  },
  exchange_reading_age_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the newest balances that the exchange reported. Absent before the first.',
    alert: 'More than half an hour: the exchange is read every five minutes.',
  },
  rates_age_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the rates by which limits are counted. Absent before the first.',
  },
  rates_fresh_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Time until the rates expire; below zero they have expired. Absent for rates that never expire.',
    alert: 'Below 0: exchanges, and limits in other currencies, are refused.',
  },
  chain_reading_age_seconds: {
    type: 'gauge',
    labels: ['chain'],
    help: 'Time since the balances of a chain were last compared with the books.',
    alert: 'More than half an hour: each chain is compared every five minutes.',
  },
  signing_sum_share: {
    type: 'gauge',
    labels: ['chain', 'asset'],
    help: 'Share of a daily sum of the allow-list that is signed today (UTC): `gas`, `native`, or the contract of a token. Above 1 after a raise by two operators.',
    alert: 'Above 0.8: soon nothing more of the asset is signed today.',
  },
  chain_difference: {
    type: 'gauge',
    labels: ['chain', 'place', 'asset'],
    help: 'Balance of the installation’s addresses on a chain, less the balance of the books, at the last reading.',
    alert: 'A break `chain_difference`: two readings showed a difference.',
  },
  chain_head_timestamp_seconds: {
    type: 'gauge',
    labels: ['chain'],
    help: 'Time of the newest block that the nodes of a chain report, as a Unix time. Set by the process that reads the blocks.',
    alert: 'A break `chain_stands_still`: the block is older than ten minutes.',
  },
  records_overdue: {
    type: 'gauge',
    labels: ['process'],
    help: 'Records whose workflow is five minutes late, by process. Counts up to 1,000 of each.',
    alert: 'Above 0 for ten minutes, although the reconciler restarts them each minute.',
  },
  webhook_endpoints: {
    type: 'gauge',
    labels: ['status'],
    help: 'Webhook endpoints by status: active, failing, disabled.',
    alert: 'Growth of `failing`: suspect the outgoing network.',
  },
  webhook_attempt_duration_seconds: {
    type: 'histogram',
    labels: ['outcome'],
    help: 'Time of an attempt to deliver a webhook, until the whole answer. Its count is the number of attempts. Outcomes: delivered, http_4xx, http_5xx, http_other, timeout, unreachable.',
    alert: '`delivered` falls below half of the attempts.',
  },
  key_age_seconds: {
    type: 'gauge',
    labels: ['purpose'],
    help: 'Age of the newest key of each purpose, read every ten minutes.',
    alert: 'More than a year, or what the installation promises; see `installation keys renew`.',
  },
  wal_archive_failing: {
    type: 'gauge',
    labels: [],
    help: '1 while the newest attempt of Postgres to archive WAL has failed. Absent where Postgres archives none.',
    alert: '1 for ten minutes: backups end at the last archived file, and the disk of Postgres fills.',
  },
  wal_archive_age_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Time since Postgres archived a file of WAL. Absent where it archives none. An idle Postgres archives only by `archive_timeout`.',
  },
  postgres_connections: {
    type: 'gauge',
    labels: [],
    help: 'Sessions of all databases on the server of Postgres, of any program.',
    alert: 'Above four fifths of `postgres_connections_limit`.',
  },
  postgres_connections_limit: {
    type: 'gauge',
    labels: [],
    help: 'Sessions that this server allows without the right of a superuser.',
  },
  postgres_transaction_ids_age: {
    type: 'gauge',
    labels: [],
    help: 'Transactions since the oldest one that Postgres has not frozen, in the worst database. Postgres refuses to write at some 2,100,000,000.',
    alert: 'Above 1,000,000,000: vacuum does not keep up.',
  },
  disk_free_bytes: {
    type: 'gauge',
    labels: ['place'],
    help: 'Free bytes of the disk that the process writes: `data` (`DATA_DIR`) and `documents`. Absent where the disk does not answer.',
    alert: 'Below a tenth of `disk_size_bytes`.',
  },
  disk_size_bytes: {
    type: 'gauge',
    labels: ['place'],
    help: 'Size of the same disk.',
  },
  certificate_expires_timestamp_seconds: {
    type: 'gauge',
    labels: ['peer'],
    help: 'End of the client certificate that the process presents to a peer (`temporal`), as a Unix time. The process read the certificate at its start.',
    alert: 'Less than 14 days ahead: renew the file and restart the process.',
  },
  card_authorizations_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Recorded authorizations: approved, declined, or forced (recorded at any balance).',
    alert: 'None for minutes at a busy time of day; an unusual share of declines.',
  },
  card_declines_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Declined authorizations, by reason.',
  },
  party_calls_total: {
    type: 'counter',
    labels: ['party', 'operation', 'outcome'],
    help: 'Calls to outside parties by operation of their port. Outcomes: ok, refused, away (the party did nothing), unknown (no readable answer: the party may have acted), failed (our fault).',
    alert: '`away` and `unknown` above 10 %; any `failed`.',
  },
  party_call_duration_seconds: {
    type: 'histogram',
    labels: ['party', 'operation'],
    help: 'Duration of calls to outside parties.',
  },
  party_breaker_open: {
    type: 'gauge',
    labels: ['party', 'gate'],
    help: '1 while the circuit breaker of a party is open, so that first tries are not made. Gates: the first step after a request, the step after a report, or workflow tasks.',
    alert: '1 for minutes.',
  },
  party_lists_unreadable_total: {
    type: 'counter',
    labels: ['party'],
    help: 'Failed readings of a party’s list of changes.',
    alert: 'Growth for a minute: the party is then asked for each transfer.',
  },
  party_list_age_seconds: {
    type: 'gauge',
    labels: ['party'],
    help: 'Time since a reading of a party’s list of changes was noted, at least every three minutes while the list is read, or since the process started.',
    alert: 'More than five minutes: the list is not read, or its rows cannot be applied.',
  },
  party_input_unusable_total: {
    type: 'counter',
    labels: ['party', 'what'],
    help: 'Unusable input of parties, by sort. Such input has no effect.',
    alert: 'Any growth: a break names the record.',
  },
  callbacks_forged_total: {
    type: 'counter',
    labels: ['party'],
    help: 'Callbacks without a valid signature.',
    alert: 'Growth: a stranger calls, or the party’s secret differs from ours.',
  },
  sign_ins_failed_total: {
    type: 'counter',
    labels: [],
    help: 'Requests with a client id and a secret that are not valid together, or not from their address.',
    alert:
      'More than one a second: somebody guesses, or a client uses an old secret. The audit log names address and claimed id.',
  },
  sensitive_requests_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Requests for card numbers and identity documents: answered, or refused beyond the limit of a tenant.',
    alert: '`refused` grows: a tenant reads out its card numbers. The request log names the tenant.',
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

type Named<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

export type GaugeName = Named<'gauge'>;

/** Values of a metric's labels. */
export type LabelsOf<Name extends MetricName> = Record<(typeof METRICS)[Name]['labels'][number], string>;

/** One value of a gauge. */
export type Sample = {
  [Name in GaugeName]: { gauge: Name; labels: LabelsOf<Name>; value: number };
}[GaugeName];

export const sample = <Name extends GaugeName>(gauge: Name, labels: LabelsOf<Name>, value: number): Sample =>
  ({ gauge, labels, value }) as Sample;
