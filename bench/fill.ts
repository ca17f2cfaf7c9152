import type { Database } from '../src/kernel/db/database';

/**
 * Inserts the rows of several years by SQL within seconds, to measure growth and explain plans. The rows are no
 * bookings, so the ledger check fails on them.
 */

const AT_LEISURE = { statementSeconds: 600 };

export interface FilledCard {
  id: string;
  /** The account that funds the card and pays its fees. */
  accountId: string;
  cardholderId: string;
  bin: string;
}

/** Inserts users, accounts, cardholders, cards and idempotency keys beside the measured ones. */
export async function fillTenant(
  database: Database,
  tenantId: string,
  card: FilledCard,
  count: number,
): Promise<void> {
  const { accountId, cardholderId, bin } = card;
  await database.transaction(async (tx) => {
    await tx.query(
      `insert into users (id, tenant_id, external_id) select 'usr_' || lpad(n::text, 26, '0'), $1, 'u-' || n from generate_series(1, $2::int) n`,
      [tenantId, count],
    );
    await tx.query(
      `insert into accounts (id, tenant_id, owner_type, user_id, currency)
       select 'acc_' || lpad(n::text, 26, '0'), $1, 'user', 'usr_' || lpad(n::text, 26, '0'), 'USD' from generate_series(1, $2::int) n`,
      [tenantId, count],
    );
    await tx.query(
      `insert into ledger_accounts (id, kind, tenant_id, currency)
       select 'acc_' || lpad(n::text, 26, '0'), 'user', $1, 'USD' from generate_series(1, $2::int) n`,
      [tenantId, count],
    );
    await tx.query(
      `insert into cards (id, tenant_id, user_id, account_id, master_account_id, cardholder_id, bin, scheme, currency, status)
       select 'card_' || lpad(n::text, 26, '0'), $1, 'usr_' || lpad(n::text, 26, '0'), 'acc_' || lpad(n::text, 26, '0'), $2, $3, $4,
              'visa', 'USD', case when n % 1000 = 0 then 'frozen' else 'active' end from generate_series(1, $5::int) n`,
      [tenantId, accountId, cardholderId, bin, count],
    );
    await tx.query(
      `insert into cardholders (id, tenant_id, user_id, account_id, bin, model, status, email_hash, masked_name, masked_email)
       select 'chd_' || lpad(n::text, 26, '0'), $1, 'usr_' || lpad(n::text, 26, '0'), $2, $3, 'B2B', 'pass_audit', sha256((n || '@example.com')::bytea), 'x', 'x'
         from generate_series(1, $4::int) n`,
      [tenantId, accountId, bin, count],
    );
    await tx.query(
      `insert into idempotency_keys (name, fingerprint, status, body)
       select md5(n::text)::uuid, ''::bytea, 201, '{}' from generate_series(1, $1::int) n`,
      [count],
    );
  }, AT_LEISURE);
}

/**
 * Inserts the events `from + 1` to `to` of one card with legs, authorizations and webhooks. Higher numbers are older.
 */
export async function fillHistory(
  database: Database,
  tenantId: string,
  { id, accountId }: FilledCard,
  from: number,
  to: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query('alter table ledger_legs disable trigger user');
    await tx.query(
      `insert into card_transactions (id, card_id, tenant_id, number, at, type, amount, currency, billing_amount, billing_currency,
         reference_id, authorization_id, linked_id, available, pending, spent)
       select 'ctx_' || lpad(n::text, 26, '0'), $1, $2, 1000000000 - n, now() - make_interval(secs => n), case n % 5 when 0 then 'settle' else 'authorization' end,
              1, 'USD', 1, 'USD', 'ref_' || lpad(n::text, 26, '0'), 'ctx_' || lpad((n - n % 5)::text, 26, '0'),
              case n % 5 when 0 then 'x' end, 0, 0, 0 from generate_series($3::int, $4::int) n`,
      [id, tenantId, from + 1, to],
    );
    await tx.query(
      `insert into authorizations (id, card_id, reference_id, currency, billing_currency, rate, authorized, billing_authorized, fee_percent,
         expires_at, closed, created_at, updated_at)
       select 'ctx_' || lpad(n::text, 26, '0'), $1, 'ref_' || lpad(n::text, 26, '0'), 'USD', 'USD', 1, 1, 1, 0, now() + '7 days', n % 100 <> 0, now(), now()
         from generate_series($2::int, $3::int, 5) n`,
      [id, from + 1, to],
    );
    await tx.query(
      `insert into ledger_legs (posting_id, account_id, currency, number, at, id, type, subtype, reference_id, available, pending, spent,
         balance_available, balance_pending, balance_spent, forced, listed, tenant_id)
       select n, case n % 2 when 0 then $1 else $2 end, 'USD', 1000000000 - n, now() - make_interval(secs => n), 'atx_' || n, 'fee', 'settle_fee',
              'ref_' || n, -1, 1, 0, 1, 1, 0, true, n % 2 = 1 and n % 10 = 1,
              case when n % 2 = 1 and n % 10 = 1 then $5 end from generate_series($3::int, $4::int) n`,
      [id, accountId, from + 1, to, tenantId],
    );
    await tx.query(
      `insert into events (tenant_id, registration, event, data_id, reference_id, type, data, created_at, shard, delivery)
       select $1, 'card', 'card_transaction', 'ctx_' || n, 'r' || n, 'authorization', '{}', now() - make_interval(secs => n), n % 16, 'delivered' from generate_series($2::int, $3::int, 5) n`,
      [tenantId, from + 1, to],
    );
    await tx.query('alter table ledger_legs enable trigger user');
  }, AT_LEISURE);
}
