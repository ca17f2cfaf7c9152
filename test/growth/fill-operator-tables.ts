import type { Database } from '../../src/kernel/db/database';

/**
 * Fills the operator's tables as after several years, with nearly all of it ended: transfers with their postings and
 * the party's states, breaks, audit log, approvals, daily sums, commands, reviews. The rows are no bookings.
 */
export async function fillOperatorTables(
  database: Database,
  { tenantId, accountId }: { tenantId: string; accountId: string },
  count: number,
): Promise<void> {
  await database.transaction(
    async (tx) => {
      // Disables guards and foreign keys, because the rows that they check are not filled.
      await tx.query('set local session_replication_role = replica');
      for (const text of FILLS) await tx.query(text, [tenantId, accountId, count]);
    },
    { statementSeconds: 600 },
  );
  await database.query('analyze');
}

const KIND = `(array['deposit', 'payout', 'iban_payout', 'iban_credit', 'card_topup', 'card_withdrawal', 'exchange_order',
  'exchange_withdrawal'])[1 + n % 8]`;
const PREFIX = `(array['dep', 'pay', 'ipo', 'icr', 'ect', 'ect', 'exo', 'exw'])[1 + n % 8]`;
const id = (prefix: string) => `${prefix} || '_' || lpad(n::text, 26, '0')`;
const ROWS = 'from generate_series(1, $3::int) n where $1::text is not null and $2::text is not null';
/** Time of row `n`: older for lower numbers. */
const AT = `now() - make_interval(secs => ($3::int - n) * 30)`;
/** Day of row `n`: two hundred rows a day, the last ones today. */
const DAY = `(now() at time zone 'utc')::date - ($3::int - n) / 200`;

/** Tenant of a wallet. The test's own tenant has available wallets and wallets in their cooldown. */
const HOLDER = `case when n % 100 = 7 or n % 500 < 2 then $1::text else 'cli_' || n % 1000 end`;

const FILLS = [
  `insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, party, party_ref, word, word_at, created_at, updated_at)
   select ${id(PREFIX)}, ${KIND}, $1::text, $2::text, case when n % 20 = 0 then 'failed' else 'completed' end, '{}', 'ref_' || n, 'payouts', 'r-' || n,
          '{}', ${AT}, ${AT}, ${AT} ${ROWS}`,
  `insert into transfer_words (transfer_id, slot, revision, word, at)
   select ${id(PREFIX)}, slot, slot, '{}', ${AT} from generate_series(1, $3::int) n, generate_series(0, 1) slot
    where $1::text is not null and $2::text is not null`,
  `insert into transfer_entries (transfer_id, component, account_id, currency, amount, reference_id, at)
   select ${id(PREFIX)}, case when n % 1000 = 0 then 'suspense' else 'paid' end, $2::text, 'USD', 1, 'ref_' || n, ${AT} ${ROWS}`,
  `insert into transfer_decisions (id, transfer_id, kind, decided_by, at)
   select ${id(`'dec'`)}, ${id(PREFIX)}, 'approve', 'system', ${AT} ${ROWS}`,
  `insert into deposits (id, quote_id, return_url, token_hash)
   select ${id(`'dep'`)}, ${id(`'quo'`)}, 'https://example.com', n::text::bytea ${ROWS} and n % 8 = 0`,
  `insert into payouts (id, tenant_id, quote_id, destination)
   select ${id(`'pay'`)}, $1::text, ${id(`'quo'`)}, '' ${ROWS} and n % 8 = 1`,
  `insert into iban_payouts (id, tenant_id, quote_id, destination)
   select ${id(`'ipo'`)}, $1::text, ${id(`'quo'`)}, '' ${ROWS} and n % 8 = 2`,
  `insert into withdrawal_destinations (id, tenant_id, currency, destination, destination_masked, account_hash, active_from, added_by, created_at, updated_at)
   select ${id(`'wdd'`)}, 'cli_' || n % 1000, 'EUR', '', '{}', n::text::bytea, ${AT}, 'operator:1', ${AT}, ${AT} ${ROWS}`,
  `insert into quotes (id, tenant_id, account_id, kind, terms, expires_at, used_by, used_at, created_at)
   select ${id(`'quo'`)}, $1::text, $2::text, 'payout', '{}', ${AT}, ${id(`'pay'`)}, ${AT}, ${AT} ${ROWS}`,
  `insert into account_exchanges (id, tenant_id, quote_id, from_account_id, to_account_id, sell_currency, sell_amount, fee, buy_currency,
     buy_amount, rate, mid, remainder, idempotency_key, caller_id, created_at)
   select ${id(`'exc'`)}, $1::text, ${id(`'quo'`)}, $2::text, $2::text, 'EUR', 1, 0, 'USD', 1, 1, 1, 0, 'k-' || n, $1::text, ${AT} ${ROWS}`,
  `insert into settlement_readings (currency, as_of, reported, booked)
   select (array['EUR', 'USD'])[1 + n % 2], ${AT}, 0, 0 ${ROWS}`,
  `insert into chain_readings (chain, place, asset, read_at, block_number, reported, booked, unbooked)
   select 'filled', (array['pool', 'station', 'treasury'])[1 + n % 3], (array['USDT', 'ETH'])[1 + n % 2], ${AT}, n, 0, 0, 0 ${ROWS}`,
  `insert into daily_outflows (transfer_id, tenant_id, day, amount, currency, rate)
   select ${id(PREFIX)}, $1::text, ${DAY}, 1, 'USD', 1 ${ROWS}`,
  `insert into daily_outflow_sums (tenant_id, day, currency, amount, outflows, unknown)
   select tenant_id, day, currency, sum(amount), count(*), 0 from daily_outflows
    where $1::text is not null and $2::text is not null and $3::int > 0 group by tenant_id, day, currency`,
  `insert into suspense_items (transfer_id, currency, amount, since)
   select transfer_id, currency, amount, at from transfer_entries
    where component = 'suspense' and $1::text is not null and $2::text is not null and $3::int > 0 on conflict do nothing`,
  `insert into breaks (id, tenant_id, kind, subject, detail, created_at, resolved_at, resolved_by)
   select ${id(`'brk'`)}, $1::text, 'transfer_suspense', ${id(PREFIX)}, 'x', ${AT}, now(), 'system' ${ROWS}`,
  `insert into audit_log (at, actor, action, subject, tenant_id)
   select ${AT}, 'operator:' || n % 10, 'payout.approve', ${id(PREFIX)}, $1::text ${ROWS}`,
  `insert into audit_chain (number, entry_id, previous, hash)
   select row_number() over (order by id), id, '', '' from audit_log
    where $1::text is not null and $2::text is not null and $3::int > 0
   on conflict do nothing`,
  `insert into approvals (id, kind, subject, tenant_id, amount, currency, terms, reason, requested_by, requested_at, status, decided_by, decided_at)
   select ${id(`'apv'`)}, 'account.credit', ${id(PREFIX)}, $1::text, 1, 'USD', '{}', 'x', 'operator:a', ${AT}, 'approved', 'operator:b', now() ${ROWS}`,
  `insert into kyc_reviews (user_id, submission, tenant_id, status, watched_until, submitted_at, decided_at)
   select ${id(`'usr'`)}, 1, $1::text, 'completed', now(), ${AT}, now() ${ROWS}`,
  `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, due_at)
   select 'payoutLifecycle', 'payout-lifecycle-' || n, 'processes', 'look', '[]', now() ${ROWS}`,
  // Nearly all wallets are allocated.
  `insert into wallets (id, chain, kind, address, derivation_index, purpose, status, quarantined_until, tenant_id, created_at, updated_at)
   select ${id(`'wal'`)}, 'filled', 'evm', '0x' || n, n, 'pool', case n % 50 when 0 then 'available' when 1 then 'quarantined' else 'allocated' end,
          case n % 50 when 1 then now() + interval '1 hour' * (n % 1000 - 3) end, ${HOLDER}, ${AT}, ${AT} ${ROWS}`,
  `insert into wallet_allocations (id, wallet_id, tenant_id, account_id, asset, reference, expires_at, due_by, started_at, ended_at, created_at, updated_at)
   select ${id(`'wla'`)}, ${id(`'wal'`)}, ${HOLDER}, $2::text, 'USDT', 'order-' || n, due, due, ${AT}, case when n % 50 < 2 then now() end, ${AT}, ${AT}
     from generate_series(1, $3::int) n, lateral (select now() + interval '1 hour' * (n % 1000 - 3) as due) d`,
  `insert into users (id, tenant_id, external_id) select ${id(`'usr'`)}, $1::text, 'u-' || n ${ROWS}`,
  `insert into cardholders (id, tenant_id, user_id, account_id, bin, model, status, email_hash, masked_name, masked_email)
   select ${id(`'chd'`)}, $1::text, ${id(`'usr'`)}, $2::text, '44112200', 'B2C', 'pass_audit', sha256((n || '@example.com')::bytea), 'x', 'x' ${ROWS}`,
  `insert into cards (id, tenant_id, user_id, account_id, master_account_id, cardholder_id, bin, scheme, currency, status)
   select ${id(`'card'`)}, $1::text, ${id(`'usr'`)}, $2::text, $2::text, ${id(`'chd'`)}, '44112200', 'visa', 'USD', 'active' ${ROWS}`,
  `insert into card_tokenizations (id, tenant_id, card_id, wallet, status) select ${id(`'tok'`)}, $1::text, ${id(`'card'`)}, 'apple_pay', 'completed' ${ROWS}`,
  `insert into events (tenant_id, registration, event, data_id, reference_id, type, data, created_at, shard, delivery)
   select $1::text, 'account', 'account_transaction', 'atx_' || n, 'ref_' || n, 'withdraw', '{"id":"atx_' || n || '"}', ${AT}, n % 16,
          'delivered' ${ROWS}`,
  `insert into ledger_legs (posting_id, account_id, currency, number, at, id, type, subtype, reference_id, available, pending, spent,
     balance_available, balance_pending, balance_spent, forced, listed)
   select n, $2::text, 'USD', 1000000 + n, ${AT}, 'atx_' || n, 'withdraw', 'payout', 'ref_' || n, -1, 0, 0, 1, 0, 0, true, true ${ROWS}`,
];
