import { z } from 'zod';
import { beginOf } from '../../kernel/db/page-begin';
import { NEWEST_CHANGES, STATUS_KINDS, type StatusChangeRow } from '../../kernel/ledger/status-changes';
import { type Page, pageOf, pageQuery, positionOf, positionPart } from '../../kernel/wire/pages';
import { instant } from '../../kernel/wire/schemas';
import { type EntryRow, entryView } from './history';
import type { AccountServices } from './services';
import { accountTransactionSchema } from './view';

/** Fields that all items of a mixed history share (decisions part 4). */
export const mixedItem = {
  version: z.literal(2),
  id: z.string(),
  occurredAt: instant(),
  referenceId: z.string(),
};

export const accountTransactionItem = accountTransactionSchema
  .extend({
    ...mixedItem,
    kind: z.literal('account_transaction'),
  })
  .meta({ id: 'AccountTransactionItem' });

/**
 * A status change of a record of one of the kinds.
 * @param statuses the statuses of all these kinds
 */
export const statusChangeItem = <Kind extends string>(
  kinds: readonly [Kind, ...Kind[]],
  statuses: readonly string[],
) =>
  z.object({
    ...mixedItem,
    kind: z.enum(kinds).describe('The kind of the record.'),
    recordId: z.string(),
    status: z.string().meta({ enum: statuses, description: 'The status of the record.' }),
    previousStatus: z
      .string()
      .optional()
      .meta({ enum: statuses, description: 'Absent when the record was created with this status.' }),
    failure: z.string().optional().describe('The code that goes with the status.'),
  });

export const mixedHistoryQuery = z.object({
  ...pageQuery,
  kind: z.enum(['account_transaction', ...STATUS_KINDS.account]).optional(),
});

export const mixedHistoryItem = ({ transferStatuses }: Pick<AccountServices, 'transferStatuses'>) =>
  z
    .union([accountTransactionItem, statusChangeItem(STATUS_KINDS.account, transferStatuses)])
    .meta({ id: 'AccountHistoryItem' });

/**
 * Raw SQL: one statement for both branches, so that they read one snapshot. Entries and status changes share the
 * numbers of their account, so each position is unique.
 */
const MIXED = `
  select * from (
    (select 'account_transaction' as kind, id, at, number, reference_id, account_id, currency, type, subtype, available, pending,
            balance_available, null::text as record_id, null::text as status, null::text as previous_status,
            null::text as failure
       from ledger_legs
      where account_id = $1 and listed and (at, number) < ($2::timestamptz, $3::bigint)
        and ($4::text is null or $4 = 'account_transaction') and at >= $5::timestamptz
      order by at desc, number desc limit $6)
    union all
    (select kind, id, at, number, reference_id, null, null, null, null, null, null, null, record_id, status, previous_status,
            failure
       from (${NEWEST_CHANGES}) changes)
  ) items order by at desc, number desc limit $6`;

type Row = EntryRow & StatusChangeRow;

/**
 * An account's transactions and status changes of its records, newest first.
 * @throws Problem 400 for a cursor of another account
 */
export async function mixedHistoryPage(
  { database, linksOf }: Pick<AccountServices, 'database' | 'linksOf'>,
  accountId: string,
  { cursor, limit, kind, from, to }: z.output<typeof mixedHistoryQuery>,
): Promise<Page<z.input<ReturnType<typeof mixedHistoryItem>>>> {
  const position = z.tuple([z.literal(accountId), positionPart.instant(), positionPart.number()]);
  const [, ...after] = positionOf(cursor, position) ?? [];
  const begin = beginOf(after, to, ['infinity', '0']);
  const rows = await database.query<Row>(MIXED, [
    ...[accountId, ...begin, kind ?? null, from ?? '-infinity', limit + 1],
  ]);
  const links = await linksOf(
    database,
    rows.filter(isEntry).map((row) => row.reference_id),
  );
  return pageOf(
    rows,
    limit,
    (row) => [accountId, row.at.toISOString(), row.number],
    (row) =>
      isEntry(row) ? accountTransactionItemOf(row, links.get(row.reference_id)) : statusChangeItemOf(row),
  );
}

const isEntry = ({ kind }: Row): boolean => kind === 'account_transaction';

export const accountTransactionItemOf = (row: EntryRow, linkedId?: string) => ({
  version: 2 as const,
  kind: 'account_transaction' as const,
  occurredAt: row.at.toISOString(),
  ...entryView(row, linkedId),
});

export const statusChangeItemOf = <Kind extends string>(row: StatusChangeRow) => ({
  version: 2 as const,
  kind: row.kind as Kind,
  id: row.id,
  occurredAt: row.at.toISOString(),
  referenceId: row.reference_id,
  recordId: row.record_id,
  status: row.status,
  previousStatus: row.previous_status ?? undefined,
  failure: row.failure ?? undefined,
});
