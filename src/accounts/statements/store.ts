import type { Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { Period } from './record';

/** Raw SQL: comparisons of rows, and a lock that only this domain takes. */

/**
 * Waits until the transactions that hold the account have ended. A later entry has the returned time or a later one.
 * An entry gets its time under the account's lock and is committed afterwards; without this wait it could appear in a
 * period whose statement was read before.
 */
export async function settledUntil(sql: Sql, accountId: string): Promise<Date> {
  const [row] = await sql.query<{ now: Date }>(
    `select product_now() as now from ledger_accounts where id = $1 for share`,
    [accountId],
  );
  if (!row) throw new Error(`${accountId} has no ledger account`);
  return row.now;
}

/** The place of an entry among those of its account. The number is BIGINT as text. */
export interface Place {
  at: Date;
  number: string;
}

/** An account's last entry before a moment. */
export interface Edge extends Place {
  /** Available + pending. */
  balance: Decimal;
}

/**
 * The last entries before two moments, each read from the end of the index `ledger_legs_of_account`. A single statement
 * reads both from one snapshot. An edge is undefined before the account's first entry.
 */
export async function edgesBefore(
  sql: Sql,
  accountId: string,
  { from, to }: Period,
): Promise<{ before: Edge | undefined; last: Edge | undefined }> {
  const rows = await sql.query<Place & { edge: string; balance: string }>(
    `select e.edge, l.* from (values ('before', $2::timestamptz), ('last', $3::timestamptz)) as e(edge, moment)
      cross join lateral (
        select at, number, balance_available + balance_pending as balance from ledger_legs
         where account_id = $1 and number is not null and at < e.moment order by at desc, number desc limit 1) l`,
    [accountId, from, to],
  );
  const edge = (name: string): Edge | undefined => {
    const row = rows.find((each) => each.edge === name);
    return row && { at: row.at, number: row.number, balance: new Decimal(row.balance) };
  };
  return { before: edge('before'), last: edge('last') };
}

export interface LineRow extends Place {
  id: string;
  type: string;
  subtype: string | null;
  reference_id: string;
  available: string;
  pending: string;
  balance: string;
}

const portionOf = (shown: string) => `
  select id, at, number, type, subtype, reference_id, available, pending, balance_available + balance_pending as balance
    from ledger_legs
   where account_id = $1 and ${shown} and (at, number) > ($2::timestamptz, $3::bigint)
     and (at, number) <= ($4::timestamptz, $5::bigint)
   order by at, number limit $6`;

/** An account lists its account transactions, by the index `ledger_legs_listed`. */
const LISTED = portionOf('listed');
/** Every entry of a card is an event of it, by the index `ledger_legs_of_account`. */
const CARD_EVENTS = portionOf('number is not null');

/** Lines after a place up to another one, oldest first. Each portion starts in the index where the last one ended. */
export const linesBetween = (
  sql: Sql,
  { id, isCard }: { id: string; isCard: boolean },
  after: Place,
  last: Place,
  limit: number,
): Promise<LineRow[]> =>
  sql.query<LineRow>(isCard ? CARD_EVENTS : LISTED, [
    ...[id, after.at, after.number, last.at, last.number],
    limit,
  ]);
