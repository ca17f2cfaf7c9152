import type { Database, Tx } from '../src/kernel/db/database';

/**
 * Fills books that prove right: chains of an authorization and its settlement with a fee, spread over 400 days. Half of the
 * chains belong to one card, the others to the remaining cards of the same tenant. The rows are inserted by SQL, without
 * triggers and without the indexes that are made afterwards.
 */

const AT_LEISURE = { statementSeconds: 7_200 };

/** Cards besides the one with half of the chains. */
export const SPREAD_CARDS = 400;
const DAYS = 400;

export interface FilledTenant {
  tenantId: string;
  /** The master account in US dollars, which has no entry yet. */
  masterId: string;
  userId: string;
  cardholderId: string;
  bin: string;
}

/** An id with a time in milliseconds, as `newId` makes it. `tail` tells ids of one moment apart. */
const idAt = (prefix: string, ms: string, tail: string) =>
  `'${prefix}_' || ${[45, 40, 35, 30, 25, 20, 15, 10, 5, 0]
    .map((bits) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((${ms} >> ${bits}) & 31)::int + 1, 1)`)
    .join(' || ')} || lpad((${tail})::text, 16, '0')`;

const card = (n: string) => `'card_' || lpad((${n})::text, 26, '0')`;

/**
 * Table of the chains from 1 to $1. Columns: card, place among the chains of that card (from 0), times and ids. $2 is the time before
 * the first chain. $3 is the time from one chain to the next. Both are milliseconds. The settlement follows within that time, so that the
 * numbers of each account rise with the time.
 */
const CHAINS = `create temporary table filled_chains on commit drop as
  select n, k, ${card('card')} as card, to_timestamp(held / 1000.0)::timestamptz(3) as held_at,
         to_timestamp(settled / 1000.0)::timestamptz(3) as settled_at, 1 + n * ${DAYS} / $1::bigint as day, ${idAt('ctx', 'held', '2 * n')} as authorization_id,
         ${idAt('ctx', 'settled', '2 * n + 1')} as settlement_id, ${idAt('ref', 'held', 'n')} as reference_id,
         ${idAt('atx', 'settled', 'n')} as entry_id
    from (select n, case when n % 2 = 1 then 0 else 1 + (n / 2) % ${SPREAD_CARDS} end as card,
                 case when n % 2 = 1 then n / 2 else (n / 2 - 1) / ${SPREAD_CARDS} end as k,
                 $2::bigint + n * $3::bigint as held, $2::bigint + n * $3::bigint + $3::bigint / 2 as settled
            from generate_series(1::bigint, $1::bigint) n offset 0) c`;

const TRANSACTION = `(id, card_id, tenant_id, number, at, type, amount, currency, billing_amount, billing_currency, reference_id,
   authorization_id, linked_id, available, pending, spent)`;
const LEG = `(posting_id, account_id, currency, number, xact, at, id, type, subtype, reference_id, available, pending, spent,
   balance_available, balance_pending, balance_spent, forced, listed, tenant_id)`;
const EVENT = `(tenant_id, registration, event, data_id, reference_id, type, subtype, data, created_at, shard, delivery)`;

/** Balance of each card and of the master account before the first chain. */
const FUNDS = 100_000_000;

/** Each takes the tenant and the master account. */
const FILLS: readonly string[] = [
  `insert into card_transactions ${TRANSACTION}
   select c.authorization_id, c.card, $1::text, 2 * c.k + 2, c.held_at, 'authorization', 1, 'USD', 1, 'USD', c.reference_id,
          c.authorization_id, null, ${FUNDS} - c.k - 1, 1, c.k from filled_chains c`,
  `insert into card_transactions ${TRANSACTION}
   select c.settlement_id, c.card, $1::text, 2 * c.k + 3, c.settled_at, 'settle', 1, 'USD', 1, 'USD', c.reference_id,
          c.authorization_id, c.authorization_id, ${FUNDS} - c.k - 1, 0, c.k + 1 from filled_chains c`,
  `insert into authorizations (id, card_id, reference_id, currency, billing_currency, rate, authorized, settled, billing_authorized,
     billing_settled, fee_percent, last_settle_id, expires_at, closed, created_at, updated_at)
   select c.authorization_id, c.card, c.reference_id, 'USD', 'USD', 1, 1, 1, 1, 1, 0, c.settlement_id, c.held_at + interval '7 days', true,
          c.held_at, c.settled_at from filled_chains c`,
  `insert into ledger_legs ${LEG}
   select 10 + 2 * c.n, c.card, 'USD', 2 * c.k + 2, null, c.held_at, c.authorization_id, 'authorization', null, c.reference_id, -1, 1, 0,
          ${FUNDS} - c.k - 1, 1, c.k, false, false, null from filled_chains c`,
  `insert into ledger_legs ${LEG}
   select 11 + 2 * c.n, leg.account, 'USD', leg.number, leg.xact, c.settled_at, leg.id, leg.type, leg.subtype, c.reference_id,
          leg.available, leg.pending, leg.spent, leg.a, leg.p, leg.s, true, leg.listed, case when leg.listed then $1::text end
     from filled_chains c cross join lateral (values
       (c.card, 2 * c.k + 3, null::bigint, c.settlement_id, 'settle', null, 0, -1, 1, ${FUNDS} - c.k - 1, 0, c.k + 1, false),
       ('card_network:USD', null, c.day, null, 'internal', null, 1, 0, 0, null::numeric, null, null, false),
       ($2::text, c.n + 1, null, c.entry_id, 'fee', 'decline_fee', -0.1, 0, 0, ${FUNDS} - 0.1 * c.n, 0, 0, true),
       ('fees:USD', null, c.day, null, 'internal', null, 0.1, 0, 0, null, null, null, false)
     ) as leg(account, number, xact, id, type, subtype, available, pending, spent, a, p, s, listed)`,
  // Two events a chain, as told to the client.
  `insert into events ${EVENT}
   select $1::text, e.registration, e.event, e.data_id, c.reference_id, e.type, e.subtype, '{"id":"' || e.data_id || '"}', c.settled_at,
          c.n % 16, 'delivered'
     from filled_chains c cross join lateral (values
       ('card', 'card_transaction', c.authorization_id, 'authorization', null),
       ('account', 'account_transaction', c.entry_id, 'fee', 'decline_fee')
     ) as e(registration, event, data_id, type, subtype) where $2::text is not null`,
];

/** A snapshot a day, as housekeeping takes them by the hour. A leg's day stands for its transaction id. */
const SNAPSHOTS = `insert into ledger_snapshots (account_id, taken_at, horizon, available)
  select a.id, to_timestamp(($2::bigint + (seen + 1) * $3::bigint) / 1000.0), d + 1,
         case a.id when 'card_network:USD' then seen when 'fees:USD' then seen * 0.1 when 'funding:USD' then ${-FUNDS * (SPREAD_CARDS + 2)}
                   else 0 end
    from ledger_accounts a
   cross join (select d, ceil(d * $1::bigint / ${DAYS}.0)::bigint - 1 as seen from generate_series(1, ${DAYS - 1}) d) s
   where a.kind = 'internal'`;

const FILLED = ['card_transactions', 'authorizations', 'ledger_legs', 'events'];

/**
 * Fills `chains` chains of two card transactions, five entries and two events. The database has no entry before.
 * @returns the id of the card that half of the chains belong to
 */
export async function fillBooks(database: Database, tenant: FilledTenant, chains: number): Promise<string> {
  const begin = Date.now() - DAYS * 86_400_000;
  const step = Math.floor((DAYS * 86_400_000) / (chains + 1));
  await database.transaction(async (tx) => {
    // Guards, foreign keys and sequential scans of the product's connections stand in the way.
    await tx.query(`set local session_replication_role = replica; set local enable_seqscan = on;
      set local maintenance_work_mem = '512MB'; set local synchronous_commit = off`);
    await openAccounts(tx, tenant, chains, new Date(begin));
    const indexes = await dropIndexes(tx);
    await tx.query(CHAINS, [chains, begin, step]);
    for (const text of FILLS) await tx.query(withUsed(text), [tenant.tenantId, tenant.masterId]);
    await tx.query(SNAPSHOTS, [chains, begin, step]);
    for (const { definition } of indexes) await tx.query(definition);
    await tx.query(`select setval('ledger_postings', $1)`, [2 * chains + 2_000]);
  }, AT_LEISURE);
  await database.transaction((tx) => tx.query('select take_ledger_snapshots()'), AT_LEISURE);
  return `card_${'0'.padStart(26, '0')}`;
}

/** Postgres refuses a value that a statement does not use. */
const withUsed = (text: string) =>
  `${text} ${text.includes('where') ? 'and' : 'where'} $1::text is not null and $2::text is not null`;

/** Cards and accounts with their funds, and the balances that the chains lead to. */
async function openAccounts(tx: Tx, tenant: FilledTenant, chains: number, at: Date): Promise<void> {
  const { tenantId, masterId, userId, cardholderId, bin } = tenant;
  const odd = Math.ceil(chains / 2);
  const even = Math.floor(chains / 2);
  const cards = `(select ${card('n')} as id, case when n = 0 then ${odd}
      else ${even} / ${SPREAD_CARDS} + (n - 1 between 1 and ${even % SPREAD_CARDS})::int end as k
    from (select generate_series(0, ${SPREAD_CARDS}) as n) s)`;
  await tx.query(
    `insert into cards (id, tenant_id, user_id, account_id, master_account_id, cardholder_id, bin, scheme, currency, status)
     select id, $1, $2, $3, $3, $4, $5, 'visa', 'USD', 'active' from ${cards} c`,
    [tenantId, userId, masterId, cardholderId, bin],
  );
  await tx.query(
    `insert into ledger_accounts (id, kind, tenant_id, currency, available, spent, entries, last_at)
     select id, 'card', $1, 'USD', ${FUNDS} - k, k, 2 * k + 1, $2 from ${cards} c`,
    [tenantId, new Date()],
  );
  await tx.query('update ledger_accounts set available = $2, entries = $3, last_at = now() where id = $1', [
    masterId,
    FUNDS - chains / 10,
    chains + 1,
  ]);
  // A single posting opens all accounts.
  await tx.query(
    `insert into ledger_legs ${LEG}
     select 1, id, 'USD', 1, null, $1::timestamptz, null, 'topup', null, 'ref_0', ${FUNDS}, 0, 0, ${FUNDS}, 0, 0, true, false, null
       from (select id from ${cards} c union all select $2) a
     union all
     select 1, 'funding:USD', 'USD', null, 1, $1, null, 'internal', null, 'ref_0', -${FUNDS}::numeric * ${SPREAD_CARDS + 2}, 0, 0,
            null, null, null, true, false, null`,
    [at, masterId],
  );
}

/** Drops the indexes that are faster made anew, and returns their definitions. Keys stay. */
async function dropIndexes(tx: Tx): Promise<{ definition: string }[]> {
  const indexes = await tx.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid::regclass::text = any($1) and not exists (select from pg_constraint where conindid = i.indexrelid)`,
    [FILLED],
  );
  for (const { name } of indexes) await tx.query(`drop index ${name}`);
  return indexes;
}
