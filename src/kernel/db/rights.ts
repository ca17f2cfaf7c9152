/**
 * Rights of the database roles, one line a table (decisions part 1, Roles). `roles.ts` makes the grants from this file. The owner has
 * every right and is used for migrations only.
 *
 * A new table gets a line here, else the product cannot reach it (`test/kernel/db/rights.test.ts` names it).
 */

/** Rights to a table. */
export interface TableRights {
  /** Privileges of the runtime role, as GRANT takes them. Empty: none. */
  runtime: string;
  /** Columns that stay as they were inserted, where `runtime` has `update` without columns. */
  fixed?: readonly string[];
  /** Columns that the reader does not see: secrets, sealed values, personal data. `all`: the whole table. */
  hidden?: readonly string[] | 'all';
}

const READ = 'select';
/** Rows are added and never changed. */
const ADD = 'select, insert';
const CHANGE = 'select, insert, update';
const ANY = 'select, insert, update, delete';

/** The audit log gives an entry its id and time, so the product gives neither. */
const AUDIT_COLUMNS = 'actor, action, subject, tenant_id, request_id, before, after';
/** Functions store the decision, and who decides presents his session to them. */
const ASKED_COLUMNS =
  'id, kind, subject, tenant_id, amount, currency, terms, changes, rests_on, reason, requested_by, requested_at, needs, permission, seal';
const OPERATOR_COLUMNS = 'id, name, secret_hash, created_by, proposed_by, permissions, totp_secret';

export const TABLES: Readonly<Record<string, TableRights>> = {
  // Migrations
  knex_migrations: { runtime: READ },
  knex_migrations_lock: { runtime: '' },

  // Ledger. Its functions write legs, balances, status changes and snapshots. `created_at` is granted for locks of rows only: a
  // trigger refuses to update it.
  ledger_accounts: {
    runtime: 'select, insert (id, kind, tenant_id, currency), update (created_at)',
  },
  ledger_legs: { runtime: READ },
  ledger_places: { runtime: READ },
  ledger_snapshots: { runtime: READ },
  ledger_checkpoints: { runtime: READ },
  ledger_openings: { runtime: READ },
  status_changes: { runtime: READ },

  // Kernel
  coins: { runtime: ADD },
  installation_keys: { runtime: 'select, insert, update (sealed, sealed_by, sealed_at)', hidden: ['sealed'] },
  audit_log: { runtime: `select, insert (${AUDIT_COLUMNS})` },
  audit_chain: { runtime: READ },
  audit_heads: { runtime: 'select, insert (hour, number, hash), update (told_at)' },
  idempotency_keys: { runtime: 'select, insert, delete', hidden: ['fingerprint', 'body'] },
  personal_answers: { runtime: ANY, hidden: ['sealed'] },
  events: { runtime: ANY, hidden: ['data', 'attempts_made'] },
  workflow_commands: { runtime: ANY },
  api_processes: { runtime: ANY },
  commit_marks: { runtime: ANY },

  // Tenants
  tenants: { runtime: CHANGE, fixed: ['id', 'role', 'operator_id', 'created_at'] },
  credentials: {
    runtime: CHANGE,
    fixed: ['id', 'tenant_id', 'name', 'scopes', 'addresses', 'secret_hash', 'shown_to'],
    hidden: ['secret_hash', 'secret_sealed'],
  },
  webhook_urls: { runtime: ANY, hidden: ['url'] },
  webhook_endpoints: { runtime: ANY, hidden: ['url'] },
  webhook_moves: { runtime: ANY },
  webhook_resends: { runtime: CHANGE },
  webhook_shards: { runtime: 'select, update', fixed: ['shard'] },
  demo_tenants: { runtime: ADD },

  // Process
  breaks: { runtime: CHANGE },
  stops: { runtime: ANY },
  switches: { runtime: CHANGE },
  approvals: {
    runtime: `select, insert (${ASKED_COLUMNS})`,
    hidden: ['terms', 'changes', 'rests_on', 'seal'],
  },
  decided_alone: { runtime: ADD },
  counting_rates: { runtime: CHANGE },
  installation_settings: { runtime: CHANGE },
  provider_callbacks: { runtime: ANY, hidden: ['body', 'headers'] },
  forged_callbacks: { runtime: ANY },
  party_places: { runtime: ANY },
  list_anchors: { runtime: ANY },
  unreadable_lists: { runtime: ANY },
  list_readings: { runtime: CHANGE },
  lost_commits: { runtime: ADD },
  party_orders: { runtime: CHANGE },
  reported_names: { runtime: ANY },
  quotes: { runtime: ANY, hidden: ['terms'] },

  // Files of a bank
  bank_files: {
    runtime: CHANGE,
    fixed: ['id', 'direction', 'kind', 'message_id', 'sha256'],
    hidden: ['content'],
  },
  bank_orders: {
    runtime: CHANGE,
    fixed: ['key', 'purpose', 'credit_id', 'end_to_end_id', 'service', 'amount', 'currency'],
    hidden: ['payee', 'fingerprint'],
  },
  bank_order_returns: { runtime: CHANGE, fixed: ['id', 'order_key', 'amount'] },
  bank_credits: {
    runtime: CHANGE,
    fixed: ['id', 'iban', 'account', 'amount', 'currency'],
    hidden: ['payer'],
  },
  bank_credit_recalls: { runtime: ADD },
  bank_entries: { runtime: CHANGE, fixed: ['name', 'account', 'side', 'amount', 'currency', 'file_id'] },
  bank_statements: { runtime: ADD },
  bank_changes: { runtime: ADD },

  // Parties of the sandbox
  sandbox_party_changes: { runtime: ANY, hidden: 'all' },
  sandbox_orders: { runtime: CHANGE, hidden: 'all' },
  sandbox_mails: { runtime: 'select, insert, delete', hidden: 'all' },
  sandbox_exchange_movements: { runtime: ADD },

  // People
  users: { runtime: CHANGE, fixed: ['id', 'tenant_id', 'created_at'], hidden: ['data_key', 'meta_sealed'] },
  kyc_reviews: { runtime: CHANGE, hidden: ['reason'] },
  kyc_approvals: { runtime: ADD, hidden: ['meta_sealed'] },
  kyc_decisions: { runtime: ADD, hidden: ['reason'] },
  kyc_documents: { runtime: ANY, hidden: ['note'] },
  kyc_notes: { runtime: ANY, hidden: 'all' },
  document_removals: { runtime: ANY },
  stored_files: { runtime: CHANGE },

  // Accounts
  accounts: {
    runtime: CHANGE,
    fixed: ['id', 'tenant_id', 'owner_type', 'user_id', 'currency', 'created_at'],
  },
  offramp_references: { runtime: ADD },
  account_transfers: { runtime: ADD },
  account_exchanges: { runtime: ADD },
  virtual_ibans: { runtime: CHANGE, fixed: ['id', 'tenant_id', 'number', 'iban', 'created_at'] },
  virtual_iban_periods: { runtime: CHANGE },
  virtual_iban_fees: { runtime: CHANGE },

  // Cards
  bins: { runtime: CHANGE },
  tenant_bins: { runtime: ADD },
  user_bins: { runtime: CHANGE },
  cardholders: {
    runtime: CHANGE,
    fixed: ['id', 'tenant_id', 'user_id', 'bin', 'created_at'],
    hidden: ['email_hash', 'email_sealed', 'masked_email', 'masked_name', 'description'],
  },
  cardholder_files: { runtime: 'select, insert, delete' },
  cardholder_decisions: { runtime: ADD, hidden: ['reason'] },
  cards: {
    runtime: CHANGE,
    fixed: ['id', 'tenant_id', 'user_id', 'account_id', 'bin', 'currency', 'created_at'],
    hidden: ['processor_reference'],
  },
  card_suspense: { runtime: ANY },
  card_operations: { runtime: CHANGE },
  card_tokenizations: { runtime: CHANGE },
  authorizations: { runtime: CHANGE },
  archived_authorizations: { runtime: READ },
  archived_references: { runtime: READ },
  card_transactions: { runtime: ADD },
  network_references: { runtime: CHANGE },
  processor_messages: { runtime: CHANGE, hidden: ['fingerprint', 'message', 'body'] },
  card_challenges: { runtime: ANY },
  spending_limits: { runtime: CHANGE },
  spending: { runtime: ANY },

  // Transfers. Triggers write suspense items.
  transfers: {
    runtime: CHANGE,
    fixed: ['id', 'kind', 'tenant_id', 'account_id', 'terms', 'reference_id', 'caller_id', 'created_at'],
  },
  transfer_words: { runtime: CHANGE },
  screenings: {
    runtime: CHANGE,
    fixed: ['key', 'subject', 'tenant_id', 'direction', 'chain', 'asset', 'amount', 'asked_at'],
  },
  screening_results: { runtime: ADD },
  transfer_decisions: { runtime: ADD },
  transfer_entries: { runtime: ADD },
  suspense_items: { runtime: READ },
  daily_outflows: { runtime: ADD },
  daily_outflow_sums: { runtime: CHANGE },
  daily_outflow_changes: { runtime: 'select, insert, delete' },
  deposits: { runtime: CHANGE, hidden: ['return_url', 'token_hash', 'redirect_sealed'] },
  payouts: { runtime: ADD, hidden: ['destination'] },
  payout_destinations: { runtime: CHANGE, hidden: ['fingerprint'] },
  iban_payouts: { runtime: ADD, hidden: ['destination'] },
  iban_credit_remitters: { runtime: ADD, hidden: ['remitter'] },
  external_card_transactions: {
    runtime: CHANGE,
    hidden: ['token', 'return_url', 'redirect_hash', 'action_url'],
  },
  withdrawal_destinations: { runtime: CHANGE, hidden: ['destination', 'destination_masked', 'account_hash'] },
  settlement_checks: { runtime: CHANGE },
  settlement_readings: { runtime: ANY },

  // Parties
  party_names: { runtime: CHANGE },
  balance_readings: { runtime: ANY },

  // Chains
  networks: { runtime: CHANGE, hidden: ['rpc_urls'] },
  wallet_seeds: { runtime: CHANGE, hidden: 'all' },
  seed_ceremonies: { runtime: ADD },
  wallets: {
    runtime: CHANGE,
    fixed: [
      'id',
      'chain',
      'kind',
      'address',
      'derivation_index',
      'purpose',
      'attestation',
      'scope',
      'adopted',
      'held_by',
      'created_at',
    ],
    hidden: ['attestation'],
  },
  signing_requests: { runtime: ANY, hidden: 'all' },
  allow_lists: { runtime: 'select, insert, update (verdict, judged_at)' },
  allow_list_signatures: { runtime: 'select, insert, update (signature)' },
  held_keys: { runtime: CHANGE },
  held_signatures: { runtime: 'select, insert, delete', hidden: 'all' },
  signing_sums: { runtime: READ },
  signing_counts: { runtime: READ },
  named_addresses: { runtime: ANY },
  wallet_index_floors: { runtime: CHANGE },
  wallet_allocations: { runtime: CHANGE },
  allocation_counts: { runtime: CHANGE },
  chain_places: { runtime: ANY },
  chain_blocks: { runtime: ANY },
  holding_changes: { runtime: CHANGE },
  unlisted_tokens: { runtime: ANY },
  unlisted_rests: { runtime: ANY },
  gas_configs: { runtime: CHANGE },
  gas_operations: { runtime: CHANGE },
  token_recoveries: { runtime: CHANGE },
  chain_nonces: { runtime: CHANGE, hidden: ['raw'] },
  station_scans: { runtime: CHANGE },
  station_topups: { runtime: CHANGE },
  chain_readings: { runtime: ANY },
  chain_comparisons: { runtime: ANY },
  pool_dust: { runtime: CHANGE },

  // Operators. Functions change them, and who decides presents his session to them.
  operators: {
    runtime: `select, insert (${OPERATOR_COLUMNS}), update (totp_step)`,
    hidden: ['secret_hash', 'totp_secret', 'totp_step'],
  },
  operator_rights: { runtime: READ },
  operator_links: { runtime: 'select, update (failures, expires_at)', hidden: 'all' },
  operator_mails: { runtime: ANY, hidden: 'all' },
  desk_sessions: { runtime: 'select, update (seen_at, ended_at)', hidden: ['token_hash', 'address'] },
  sign_in_failures: { runtime: ANY, hidden: 'all' },
};

/** Sequences that the product takes numbers of. The others belong to identity columns, or to `ledger_write`. */
export const SEQUENCES: readonly string[] = ['virtual_ibans_number_seq'];

/** Functions with the owner's rights that the runtime role may call. A migration revokes each from everybody else. */
export const FUNCTIONS: readonly string[] = [
  'ledger_write(ledger_new_balance[], ledger_new_leg[], timestamptz)',
  'note_status_changes(text, int, json)',
  'take_ledger_snapshots()',
  'begin_session(text, text, bytea, bytea, bytea, text, text, timestamptz)',
  'count_signing(bigint, text, date, text, bigint, numeric, numeric)',
  'hold_approval(text)',
  'decide_approval(text, text, text, text, timestamptz)',
  'permit_operator(text, text[], text)',
  'admit_operator(text, text, timestamptz)',
  'disable_operator(text, text, text, timestamptz)',
  'give_link(bytea, text, text, text, text[], text, bytea, timestamptz, timestamptz)',
  'use_link(bytea, bytea, bigint, timestamptz)',
];

/** A live installation has neither a clock that can be moved nor a demo operator, so the runtime role calls these in a sandbox only. */
export const SANDBOX_FUNCTIONS: readonly string[] = [
  'advance_product_offset(bigint)',
  'ensure_demo_operator(text, bytea)',
];
