import { anyOf } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import { countWaiting, type WaitingCount, type WaitingFilter, waitingPage } from '../../kernel/db/waiting';
import type { Write } from '../../kernel/db/writes';
import type { Break } from './record';

const breaks = recordTable<Break>('breaks', { amount: decimal }, [
  'id',
  'tenantId',
  'kind',
  'subject',
  'detail',
  'amount',
  'currency',
  'createdAt',
  'resolvedAt',
  'resolvedBy',
  'note',
]);

type NewBreak = Pick<Break, 'id' | 'tenantId' | 'kind' | 'subject' | 'detail' | 'amount' | 'currency'>;

export const insertBreak = (tx: Sql, given: NewBreak) =>
  breaks.saved(
    tx,
    // The merge changes nothing, but returns an existing row.
    breaks().insert(breaks.row(given)).onConflict(['kind', 'subject', 'detail']).merge(['detail']),
  );

const INSERT = `insert into breaks (id, tenant_id, kind, subject, detail, amount, currency)
      select id, tenant_id, kind, subject, detail, amount, currency from jsonb_to_recordset($1::jsonb)
        as n (id text, tenant_id text, kind text, subject text, detail text, amount numeric, currency text)
      on conflict (kind, subject, detail)`;

/** Inserts breaks with other writes. Existing breaks stay as they are. */
export const breaksWrite = (given: readonly NewBreak[]): Write | undefined =>
  writeOf('breaks', `${INSERT} do nothing`, given);

/** Opens breaks with other writes, or reopens existing ones, with the present amounts. */
export const reopenedBreaksWrite = (given: readonly NewBreak[]): Write | undefined =>
  writeOf(
    'breaks-again',
    `${INSERT} do update set amount = excluded.amount, currency = excluded.currency, resolved_at = null,
       resolved_by = null, note = null`,
    given,
  );

function writeOf(name: string, statement: string, given: readonly NewBreak[]): Write | undefined {
  if (given.length === 0) return undefined;
  // A statement may touch a row once only.
  const each = new Map(given.map((row) => [JSON.stringify([row.kind, row.subject, row.detail]), row]));
  // In one order, because two transactions may write the same ones.
  const sorted = [...each].sort(([one], [other]) => (one < other ? -1 : 1));
  const rows = sorted.map(([, { tenantId, ...row }]) => ({
    ...breaks.row(row),
    tenant_id: tenantId,
  }));
  return { name, statement, values: [JSON.stringify(rows)] };
}

export const lockBreak = (tx: Sql, id: string) => breaks.one(tx, breaks().where({ id }).forNoKeyUpdate());

const WAITING = {
  id: 'id',
  since: 'created_at',
  tenantId: 'tenant_id',
  kind: 'kind',
  currency: 'currency',
};

/** The oldest first. @param given.all includes resolved ones @throws Problem 400 */
export async function listBreaks(
  sql: Sql,
  { all = false, ...filter }: WaitingFilter & { all?: boolean },
): Promise<Break[]> {
  const query = breaks().modify(waitingPage, WAITING, filter);
  if (!all) void query.whereNull('resolvedAt');
  return breaks.all(sql, query);
}

export const countBreaks = (sql: Sql): Promise<WaitingCount> =>
  countWaiting(sql, breaks().whereNull('resolvedAt'), WAITING);

/** All breaks of a subject, with the resolved ones, the oldest first. */
export const breaksOf = (sql: Sql, subject: string, limit: number) =>
  breaks.all(sql, breaks().where({ subject }).orderBy(['createdAt', 'id']).limit(limit));

export const findBreak = (sql: Sql, id: string) => breaks.one(sql, breaks().where({ id }));

export const resolve = (
  tx: Sql,
  { id, note, resolvedBy, at }: { id: string; note: string; resolvedBy: string; at: Date },
) => breaks.saved(tx, breaks().where({ id }).update({ note, resolvedBy, resolvedAt: at }));

export const openBreaksOf = (sql: Sql, ...subjects: readonly string[]) =>
  breaks.all(sql, breaks().where(anyOf('subject', subjects)).whereNull('resolvedAt'));

/**
 * Opens a break, or reopens an existing one, with the present amount.
 * @param left keeps breaks closed that others than `itself` have resolved since then
 */
export async function reopenBreak(
  tx: Sql,
  given: NewBreak,
  left?: { itself: string; resolvedSince: Date },
): Promise<void> {
  const query = breaks()
    .insert(breaks.row({ ...given, resolvedAt: null, resolvedBy: null, note: null }))
    .onConflict(['kind', 'subject', 'detail'])
    .merge(['amount', 'currency', 'resolvedAt', 'resolvedBy', 'note']);
  if (left)
    void query.whereRaw('breaks.resolved_by = ? or breaks.resolved_at is null or breaks.resolved_at <= ?', [
      left.itself,
      left.resolvedSince,
    ]);
  await tx.run(query);
}

export async function closeBreaks(
  tx: Sql,
  { ids, note, resolvedBy, at }: { ids: string[]; note: string; resolvedBy: string; at: Date },
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(breaks().where(anyOf('id', ids)).update({ note, resolvedBy, resolvedAt: at }));
}

/** Closes a subject's open breaks of these kinds. */
export async function closePassed(
  tx: Sql,
  given: { subject: string; kinds: readonly string[]; note: string; resolvedBy: string; at: Date },
): Promise<void> {
  const { subject, kinds, note, resolvedBy, at } = given;
  await tx.run(
    breaks()
      .where({ subject })
      .where(anyOf('kind', kinds))
      .whereNull('resolvedAt')
      .update({ note, resolvedBy, resolvedAt: at }),
  );
}

/** Closes the open breaks of a kind whose subjects have a prefix, except for the given subjects. */
export async function closePassedUnder(
  tx: Sql,
  given: {
    under: string;
    except: readonly string[];
    kind: string;
    note: string;
    resolvedBy: string;
    at: Date;
  },
): Promise<void> {
  const { under, except, kind, note, resolvedBy, at } = given;
  await tx.run(
    breaks()
      .where({ kind })
      .whereRaw('starts_with(subject, ?)', [under])
      .whereRaw('subject <> all(?::text[])', [[...except]])
      .whereNull('resolvedAt')
      .update({ note, resolvedBy, resolvedAt: at }),
  );
}

/** Limit of a count, so that a scrape stays cheap. The oldest breaks are counted. */
const COUNTED = 10_000;

/** For metrics. Raw: the oldest first by their index, then counted. */
export async function countOpenBreaks(
  sql: Sql,
): Promise<{ kind: string; count: number; oldestSeconds: number }[]> {
  return sql.query(
    `select kind, count(*)::int as count,
            greatest(0, extract(epoch from product_now() - min(created_at)))::float8 as "oldestSeconds"
       from (select kind, created_at from breaks where resolved_at is null order by created_at limit $1) b
      group by kind`,
    [COUNTED],
  );
}

/** The open breaks of a kind by currency and sign: their number and total amount. */
export async function sumOpenBreaks(
  sql: Sql,
  kind: string,
): Promise<{ currency: string; negative: boolean; count: number; amount: string }[]> {
  return sql.query(
    `select currency, amount < 0 as negative, count(*)::int as count, abs(sum(amount))::text as amount
       from (select currency, amount from breaks
              where resolved_at is null and kind = $1 and amount is not null order by created_at limit $2) b
      group by 1, 2`,
    [kind, COUNTED],
  );
}
