import { anyOf, columnsOf, table } from '../db/build';
import { databaseTime } from '../db/clock';
import type { Sql, Tx } from '../db/database';
import { decimal, recordTable, safeInteger } from '../db/record-table';
import { Decimal, ZERO } from '../money/money';
import {
  type Balances,
  CHAIN_ACCOUNTS,
  INTERNAL_ACCOUNTS,
  type InternalAccount,
  internalAccountId,
} from './entries';

export type { Balances } from './entries';

export type LedgerAccountKind = 'card' | 'card_buffer' | 'user' | 'iban' | 'master';

export interface LedgerAccount extends Balances {
  id: string;
  kind: LedgerAccountKind;
  tenantId: string;
  currency: string;
  /** Number of the account's last entry. */
  entries: number;
  /** Time of the last entry. No later entry has an earlier time. */
  lastAt: Date;
}

const FIELDS = [
  'id',
  'kind',
  'tenantId',
  'currency',
  'available',
  'pending',
  'spent',
  'entries',
  'lastAt',
] as const satisfies (keyof LedgerAccount)[];

const ledgerAccounts = recordTable<LedgerAccount>(
  'ledger_accounts',
  { available: decimal, pending: decimal, spent: decimal, entries: safeInteger },
  FIELDS,
);

/**
 * Opens an account with zero balances. The first account in a currency also opens the internal accounts of the
 * currency.
 */
export async function openLedgerAccount(
  tx: Sql,
  account: { id: string; kind: LedgerAccountKind; tenantId: string; currency: string },
): Promise<void> {
  await tx.run(ledgerAccounts().insert(account));
  if (account.kind === 'card' || account.kind === 'card_buffer') return; // opened with its funding account
  await ensureInternalAccounts(tx, account.currency);
}

/** Opens the internal accounts of a currency in which clients have no account, such as a payer's. */
export const ensureInternalAccounts = (tx: Sql, currency: string): Promise<void> =>
  ensureThose(tx, INTERNAL_ACCOUNTS, currency);

/** Opens the accounts of an asset on a chain. */
export const ensureChainAccounts = (tx: Sql, chain: string, asset: string): Promise<void> =>
  ensureThose(
    tx,
    CHAIN_ACCOUNTS.map((name): InternalAccount => `${name}@${chain}`),
    asset,
  );

async function ensureThose(tx: Sql, names: readonly InternalAccount[], currency: string): Promise<void> {
  const ids = names.map((name) => internalAccountId(name, currency));
  // Most often all of them are there, and finding them is cheaper than inserting in vain. As a scalar, each is found by the
  // index. The plan of a join would be kept from the time when the table was small, and read all of it.
  await tx.prepared(
    'ledger-ensure',
    `insert into ledger_accounts (id, kind, currency)
     select wanted.id, 'internal', $2 from unnest($1::id[]) as wanted(id)
      where (select known.kind from ledger_accounts known where known.id = wanted.id) is null
     on conflict do nothing`,
    [ids, currency],
  );
}

export interface LockedAccounts {
  accounts: LedgerAccount[];
  /** Time of the database after the locks were taken. */
  now: Date;
}

const NAMED = { name: 'ledger-lock', condition: 'id = any($1)' };

/** Locks the accounts in the ledger's one order, busiest last, and returns their balances and the database's time. */
export function lockLedgerAccounts(tx: Sql, ids: string[]): Promise<LockedAccounts> {
  return lockThose(tx, NAMED.name, NAMED.condition, ids);
}

/**
 * Takes the same locks with the commit, for callers that do not need the balances. Saves a round trip while the locks
 * are held. Call it last, because later statements of the transaction would run under these locks.
 */
export function lockLedgerAccountsLast(tx: Tx, ids: string[]): void {
  if (ids.length > 0) tx.defer({ name: NAMED.name, text: lockText(NAMED.condition), values: [ids] });
}

/**
 * Locks accounts that another record names, without reading the record first.
 * @param name of the prepared statement
 * @param selection SQL that selects account ids, with `$1` for `values`
 */
export function lockSelectedAccounts(
  tx: Sql,
  name: string,
  selection: string,
  values: string[],
): Promise<LockedAccounts> {
  return lockThose(tx, name, `id in (${selection})`, values);
}

async function lockThose(
  tx: Sql,
  name: string,
  condition: string,
  values: string[],
): Promise<LockedAccounts> {
  // Prepared, because every card event takes this path.
  const rows = await tx.prepared<Record<string, unknown> & { now: Date }>(name, lockText(condition), [
    values,
  ]);
  const accounts = rows.map(({ now: _, ...row }) => ledgerAccounts.record(row));
  return { accounts, now: rows.at(-1)?.now ?? (await databaseTime(tx)) };
}

const lockText = (condition: string) =>
  `select ${columnsOf(FIELDS)}, product_now() as now from ledger_accounts
      where ${condition} and kind <> 'internal' order by kind = 'master', kind, id for no key update`;

/** Committed balances of the accounts, read without a lock. */
export async function readBalances(sql: Sql, ids: string[]): Promise<Map<string, LedgerAccount>> {
  const accounts = await ledgerAccounts.all(sql, ledgerAccounts().where(anyOf('id', ids)));
  return new Map(accounts.map((account) => [account.id, account]));
}

/**
 * SQL of an internal account's balance, for statements that must read other data at the same moment. Adds the entries
 * of transactions that the last snapshot has not seen to the snapshot's sum.
 * @param account SQL of the account's id
 */
export const internalBalanceSql = (account: string): string => `(
  select coalesce(s.available, 0) + coalesce(tail.total, 0)
    from (select ${account} as id) a
    left join lateral (select available, horizon from ledger_snapshots where account_id = a.id
                        order by taken_at desc limit 1) s on true
    left join lateral (select sum(available) as total from ledger_legs l
      where l.account_id = a.id and l.number is null and l.xact >= coalesce(s.horizon, 0)) tail on true)`;

/** Committed balance of an internal account. Zero when the account does not exist in that currency. */
export async function internalBalance(sql: Sql, name: InternalAccount, currency: string): Promise<Decimal> {
  return (await internalBalances(sql, name, [currency])).get(currency) ?? ZERO;
}

/** Balances of an internal account in several currencies, read at one moment. */
export const internalBalances = async (
  sql: Sql,
  name: InternalAccount,
  currencies: readonly string[],
): Promise<Map<string, Decimal>> =>
  new Map((await everyInternalBalance(sql, [name], currencies)).map((each) => [each.currency, each.balance]));

/**
 * Balances of several internal accounts, read at one moment. Leaves out currencies in which the account does not exist.
 */
export async function everyInternalBalance<Name extends InternalAccount>(
  sql: Sql,
  names: readonly Name[],
  currencies: readonly string[],
): Promise<{ name: Name; currency: string; balance: Decimal }[]> {
  const accounts = names.flatMap((name) =>
    currencies.map((currency) => ({ name, currency, id: internalAccountId(name, currency) })),
  );
  // Raw, see internalBalanceSql.
  const rows = await sql.query<{ id: string; balance: string }>(
    `select a.id, ${internalBalanceSql('a.id')}::text as balance from ledger_accounts a where a.id = any($1)`,
    [accounts.map(({ id }) => id)],
  );
  const balances = new Map(rows.map(({ id, balance }) => [id, new Decimal(balance)]));
  return accounts.flatMap(({ id, ...account }) => {
    const balance = balances.get(id);
    return balance ? [{ ...account, balance }] : [];
  });
}

/** Balances of an account after its last entry up to that moment. Zero before the first entry. */
export async function balancesAt(sql: Sql, accountId: string, at: Date): Promise<Balances> {
  const [row] = await sql.run<Record<`balance${'Available' | 'Pending' | 'Spent'}`, string>>(
    table('ledger_legs')
      .select('balanceAvailable', 'balancePending', 'balanceSpent')
      .where({ accountId })
      .where('at', '<=', at)
      .whereNotNull('number')
      .orderBy([
        { column: 'at', order: 'desc' },
        { column: 'number', order: 'desc' },
      ])
      .limit(1),
  );
  return {
    available: new Decimal(row?.balanceAvailable ?? 0),
    pending: new Decimal(row?.balancePending ?? 0),
    spent: new Decimal(row?.balanceSpent ?? 0),
  };
}

/**
 * Balances of all internal accounts that are not zero. Each balance is a snapshot with the few entries since. The index
 * `ledger_accounts_by_tenant` finds these accounts, because they have no tenant.
 */
export async function nonZeroInternalBalances(
  sql: Sql,
): Promise<{ name: string; currency: string; balance: Decimal }[]> {
  // Raw, see internalBalanceSql.
  const rows = await sql.query<{ name: string; currency: string; balance: string }>(
    `select split_part(a.id, ':', 1) as name, a.currency, ${internalBalanceSql('a.id')}::text as balance
       from ledger_accounts a where a.tenant_id is null and a.kind = 'internal' order by a.currency, a.id`,
  );
  return rows
    .map(({ balance, ...account }) => ({ ...account, balance: new Decimal(balance) }))
    .filter(({ balance }) => !balance.isZero());
}
