import { z } from 'zod';
import { beginOf } from '../../kernel/db/page-begin';
import { Decimal } from '../../kernel/money/money';
import {
  foreignCursor,
  type Page,
  pageOf,
  pageQuery,
  positionOf,
  positionPart,
} from '../../kernel/wire/pages';
import { currency, text } from '../../kernel/wire/schemas';
import type { AccountServices } from './services';
import { type AccountTransactionView, accountTransactionView } from './view';

/** Filters of an account's history. */
export const historyQuery = {
  ...pageQuery,
  type: z.enum(['fee', 'transfer', 'deposit', 'withdraw']).optional(),
  subtype: text(64).optional(),
  currency: currency().optional(),
};

export type HistoryQuery = z.output<z.ZodObject<typeof historyQuery>>;

/** A listed ledger entry as stored. */
export interface EntryRow {
  id: string;
  account_id: string;
  currency: string;
  type: string;
  subtype: string;
  reference_id: string;
  at: Date;
  number: string;
  available: string;
  pending: string;
  balance_available: string;
}

/**
 * Raw SQL for the lateral join. An account transaction is a listed entry, a row of `ledger_legs`. For each account the
 * index on (account_id, at, number) gives the newest rows below the cursor, and their merge is cut to one page. The
 * cost does not grow with the length of the history. The order is (at, account, number).
 */
const MERGED = `
  select l.* from unnest($1::text[]) as a(id)
   cross join lateral (
     select id, account_id, currency, type, subtype, reference_id, at, number, available, pending, balance_available
       from ledger_legs
      where account_id = a.id and listed
        and (at, number) < ($2::timestamptz, case when a.id collate "C" < $3 then 9223372036854775807
                                                  when a.id = $3 then $4::bigint else 0 end)
        and at >= $5::timestamptz
        and ($6::text is null or type = $6) and ($7::text is null or subtype = $7) and ($8::text is null or currency = $8)
      order by at desc, number desc limit $9) l
   order by l.at desc, l.account_id desc, l.number desc limit $9`;

/** The listed entries of some accounts, merged, newest first. @throws Problem 400 for a cursor of other accounts */
export async function historyPage(
  { database: sql, linksOf }: Pick<AccountServices, 'database' | 'linksOf'>,
  accountIds: string[],
  query: HistoryQuery,
): Promise<Page<AccountTransactionView>> {
  const [at, account, number] = beginOf(cursorPosition(query.cursor, accountIds), query.to, NEWEST);
  const rows = await sql.query<EntryRow>(MERGED, [
    accountIds,
    at,
    account,
    number,
    query.from ?? '-infinity',
    query.type,
    query.subtype,
    query.currency,
    query.limit + 1,
  ]);
  const links = await linksOf(
    sql,
    rows.map((row) => row.reference_id),
  );
  return pageOf(
    rows,
    query.limit,
    (row) => [row.at.toISOString(), row.account_id, row.number],
    (row) => entryView(row, links.get(row.reference_id)),
  );
}

/** The account id may be a virtual IBAN's, so any text is accepted here and compared with `accountIds`. */
const POSITION = z.tuple([positionPart.instant(), z.string(), positionPart.number()]);
const NEWEST: z.output<typeof POSITION> = ['infinity', '', '0'];

/** @throws Problem 400 for a cursor of other accounts */
function cursorPosition(cursor: string | undefined, accountIds: string[]) {
  const position = positionOf(cursor, POSITION);
  if (position && !accountIds.includes(position[1])) throw foreignCursor();
  return position;
}

export function entryView(row: EntryRow, linkedId: string | undefined): AccountTransactionView {
  const { id, type, subtype, at, account_id: account, reference_id: reference } = row;
  const available = new Decimal(row.available);
  const pending = new Decimal(row.pending);
  const balance = { available: new Decimal(row.balance_available) };
  return accountTransactionView(
    { id, account, type, subtype, reference, at, available, pending, balance },
    row.currency,
    linkedId,
  );
}
