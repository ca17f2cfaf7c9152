import { camelRow, columnsOf, NOW } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { decimal, recordTable } from '../../../kernel/db/record-table';
import { compositeArray, type Write } from '../../../kernel/db/writes';
import { Decimal } from '../../../kernel/money/money';
import { dayOf, type Part, type SpendingChange, usedKey } from '../rules/limits/spending';
import type { SubjectLimits, Used } from './record';

const FIELDS = [
  'subjectId',
  'version',
  'perTransaction',
  'perDay',
  'perMonth',
  'challengeAbove',
  'blockedMccs',
  'allowedMccs',
  'blockedCountries',
  'challengeEcommerce',
  'homeCountries',
];

const spendingLimits = recordTable<SubjectLimits>('spending_limits', {
  perTransaction: decimal,
  perDay: decimal,
  perMonth: decimal,
  challengeAbove: decimal,
});

/**
 * The limits of cards and users, by subject. A subject whose limits were never set is missing. A caller that holds a
 * card's lock reads present limits: a change locks the card, or all cards of the user.
 */
export async function readLimits(sql: Sql, subjectIds: string[]): Promise<Map<string, SubjectLimits>> {
  // Prepared, like the statement below, because every event of a limited card runs it.
  const rows = await sql.prepared(
    'limits-read',
    `select ${columnsOf(FIELDS)} from spending_limits where subject_id = any($1)`,
    [subjectIds],
  );
  return new Map(rows.map(spendingLimits.record).map((limits) => [limits.subjectId, limits]));
}

/** Writes limits. The caller holds the lock of the card or user. */
export async function writeLimits(tx: Sql, limits: SubjectLimits): Promise<void> {
  const row = { ...spendingLimits.row(limits), updatedAt: NOW };
  await tx.run(spendingLimits().insert(row).onConflict('subjectId').merge());
}

/**
 * The spending of subjects on a day and in its month, by {@link usedKey}. A card's spending is guarded by the card's
 * lock. A user's is guarded by the lock of the tenant's master account of the currency, which every event of their
 * cards takes.
 */
export async function readUsed(sql: Sql, subjectIds: string[], at: Date): Promise<Map<string, Used>> {
  const rows = await sql.prepared<{ subject_id: string; currency: string; day: string; month: string }>(
    'spending-read',
    `select subject_id, currency, coalesce(sum(amount) filter (where day = $2::date), 0) as day, sum(amount) as month
       from spending where subject_id = any($1) and day >= $3::date and day < $4::date group by subject_id, currency`,
    [subjectIds, dayOf(at), firstOfMonth(at), firstOfMonth(at, 1)],
  );
  return new Map(
    rows.map((row) => [
      usedKey(row.subject_id, row.currency),
      { day: new Decimal(row.day), month: new Decimal(row.month) },
    ]),
  );
}

/** The first day of the month as `2026-01-01`, or of the month that is `later` months after it. */
export const firstOfMonth = (at: Date, later = 0): string =>
  dayOf(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later)));

/**
 * Adds changes of spending. Raw SQL, because the hot path defers these writes to its commit. A release of a day that
 * was not counted has no row and creates none.
 */
export function spendingWrites(changes: SpendingChange[]): (Write | undefined)[] {
  const more = changes.filter(({ amount }) => amount.gt(0));
  const less = changes.filter(({ amount }) => amount.lt(0));
  return [
    writeOf('spending-more', ADD, more),
    writeOf(
      'spending-less',
      `update spending s set amount = s.amount + n.amount from unnest($1::new_spending[]) n
        where s.subject_id = n.subject_id and s.currency = n.currency and s.day = n.day`,
      less,
    ),
  ];
}

const ADD = `insert into spending (subject_id, currency, day, amount) select * from unnest($1::new_spending[])
  on conflict (subject_id, currency, day) do update set amount = spending.amount + excluded.amount`;

const writeOf = (name: string, statement: string, rows: SpendingChange[]): Write | undefined =>
  rows.length === 0 ? undefined : { name, statement, values: [arrayOf(rows)] };

const arrayOf = (rows: SpendingChange[]) =>
  compositeArray(rows.map(({ subjectId, currency, day, amount }) => [subjectId, currency, day, amount]));

/** Replaces all spending of the subjects. */
export async function replaceSpending(tx: Sql, subjectIds: string[], rows: SpendingChange[]): Promise<void> {
  await tx.query('delete from spending where subject_id = any($1)', [subjectIds]);
  if (rows.length > 0) await tx.query(ADD, [arrayOf(rows)]);
}

/**
 * Deletes at most `limit` rows of earlier days. A later release of such a day finds no row and creates none.
 * @returns the number of rows
 */
export async function deleteSpending(sql: Sql, before: string, limit: number): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `with gone as (delete from spending where ctid = any(array(
              select ctid from spending where day < $1::date order by day limit $2 for update skip locked)) returning 1)
     select count(*)::int as count from gone`,
    [before, limit],
  );
  return row?.count ?? 0;
}

/** An authorization of a card, or a release of one. */
export interface Moved extends Part {
  cardId: string;
  authorizationId: string;
  type: 'authorization' | 'cancel';
}

/** All authorizations and releases of chains, in the order of their events. */
export const movesOfChains = (sql: Sql, authorizationIds: string[]): Promise<Moved[]> =>
  moves(sql, 'select unnest($1::text[]) as id', [authorizationIds]);

/** All authorizations and releases of those chains of the cards that grew on that day or later. */
export const movesSince = (sql: Sql, cardIds: string[], day: string): Promise<Moved[]> =>
  moves(
    sql,
    `select distinct authorization_id as id from card_transactions
      where card_id = any($1) and at >= ($2::date)::timestamp at time zone 'UTC' and type = 'authorization'`,
    [cardIds, day],
  );

/** Raw SQL for the lateral join: the chain's own event is found by its key, the others by their index. */
async function moves(sql: Sql, chains: string, values: unknown[]): Promise<Moved[]> {
  const rows = await sql.query<Record<string, unknown> & { at: Date; amount: string }>(
    `select t.card_id, t.authorization_id, t.type, t.at, t.billing_amount as amount from (${chains}) c
      cross join lateral (
        select * from card_transactions o where o.id = c.id
        union all
        select * from card_transactions l where l.authorization_id = c.id and l.linked_id is not null and l.id <> c.id) t
      where t.type in ('authorization', 'cancel') order by t.number`,
    values,
  );
  return rows.map(({ at, amount, ...row }) => ({
    ...(camelRow(row) as Omit<Moved, keyof Part>),
    day: dayOf(at),
    amount: new Decimal(amount),
  }));
}
