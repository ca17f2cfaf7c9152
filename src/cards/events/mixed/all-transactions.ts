import { z } from 'zod';
import type { EntryRow } from '../../../accounts/accounts/history';
import { accountTransactionItem, accountTransactionItemOf } from '../../../accounts/accounts/mixed-history';
import type { AccountServices } from '../../../accounts/accounts/services';
import { beginOf } from '../../../kernel/db/page-begin';
import { ACCOUNT_TYPES, CARD_EFFECTS, TRANSACTION_TYPES } from '../../../kernel/ledger/effects';
import { idFilter, type Page, pageOf, pageQuery, positionOf, positionPart } from '../../../kernel/wire/pages';
import { cardTransactionView } from '../view';
import { cardTransactionItem, cardTransactionItemOf, cardTransactionsOf } from './history';

const KINDS = ['card_transaction', 'account_transaction'] as const;
const CARD_TYPES: readonly string[] = Object.keys(CARD_EFFECTS);

export const allTransactionsQuery = z.object({
  ...pageQuery,
  kind: z.enum(KINDS).optional(),
  type: z.enum(TRANSACTION_TYPES as [string, ...string[]]).optional(),
  cardId: idFilter('card_01h455vb4pex5vsknk084sn02q').describe(
    'Only the transactions of this card. Together with `accountId`: the transactions of either.',
  ),
  accountId: idFilter('acc_01h455vb4pex5vsknk084sn02q').describe(
    'Only the transactions of this account, also of your virtual IBAN.',
  ),
});

type AllTransactionsQuery = z.output<typeof allTransactionsQuery>;

export const transactionItem = z
  .union([cardTransactionItem, accountTransactionItem])
  .meta({ id: 'Transaction' });

type Row = EntryRow & { kind: (typeof KINDS)[number] };

/**
 * Raw SQL: one statement for both branches, so that they read one snapshot. The order is (at, card or account, number).
 * Each branch reads one page from the end of an index: `card_transactions_of_tenant` and `ledger_legs_of_tenant`.
 */
const branchOf = (columns: string, table: string, owner: string) => `
  (select ${columns} from ${table}
    where tenant_id = $1 and (at, ${owner}, number) < ($2::timestamptz, $3::text, $4::bigint) and ${IN_PERIOD}
    order by at desc, ${owner} desc, number desc limit $7)`;

const IN_PERIOD = `at >= $5::timestamptz and ($6::text is null or type = $6)`;

/**
 * The same for one card or account, by its own index: `card_transactions_of_card` or `ledger_legs_listed`.
 * @param id placeholder of its id
 */
const branchOfOne = (columns: string, table: string, owner: string, id: string) => `
  (select ${columns} from ${table}
    where tenant_id = $1 and ${owner} = ${id}
      and (at, number) < ($2::timestamptz, case when ${id} collate "C" < $3 then 9223372036854775807
                                                when ${id} = $3 then $4::bigint else 0 end) and ${IN_PERIOD}
    order by at desc, number desc limit $7)`;

const SOURCES = {
  card_transaction: {
    types: CARD_TYPES,
    table: 'card_transactions',
    owner: 'card_id',
    columns: `'card_transaction' as kind, id, at, number, reference_id, card_id as account_id, null::text as currency,
          null::text as type, null::text as subtype, null::numeric as available, null::numeric as pending,
          null::numeric as balance_available`,
  },
  account_transaction: {
    types: ACCOUNT_TYPES,
    table: '(select * from ledger_legs where listed) l',
    owner: 'account_id',
    columns: `'account_transaction', id, at, number, reference_id, account_id, currency, type, subtype, available, pending,
          balance_available`,
  },
} as const;

/**
 * A client's card and account transactions over all cards and accounts, newest first.
 * @throws Problem 400 for the cursor of another list
 */
export async function allTransactionsPage(
  { database, linksOf }: Pick<AccountServices, 'database' | 'linksOf'>,
  tenantId: string,
  query: AllTransactionsQuery,
): Promise<Page<z.input<typeof transactionItem>>> {
  const { cursor, limit, from, to, type } = query;
  const [, ...after] = positionOf(cursor, positionIn(tenantId)) ?? [];
  const begin = beginOf(after, to, ['infinity', '', '0']);
  const values: unknown[] = [tenantId, ...begin, from ?? '-infinity', type ?? null, limit + 1];
  const branches = branchesOf(query, (id) => `$${values.push(id)}`);
  const rows = branches.length === 0 ? [] : await database.query<Row>(merged(branches), values);
  const entries = rows.filter(({ kind }) => kind === 'account_transaction');
  const [transactions, links] = await Promise.all([
    cardTransactionsOf(database, rows),
    linksOf(
      database,
      entries.map((row) => row.reference_id),
    ),
  ]);
  return pageOf(
    rows,
    limit,
    (row) => [tenantId, row.at.toISOString(), row.account_id, row.number],
    (row) => {
      const transaction = transactions.get(row.id);
      return transaction
        ? cardTransactionItemOf(cardTransactionView(transaction))
        : accountTransactionItemOf(row, links.get(row.reference_id));
    },
  );
}

const merged = (branches: readonly string[]) => `
  select * from (${branches.join(' union all ')}) items
   order by at desc, account_id collate "C" desc, number desc limit $7`;

/**
 * Only branches that can have items, because a branch without any would read its index to the end.
 * @param placeholder adds a value to the statement and returns its placeholder
 */
function branchesOf(
  { kind, type, cardId, accountId }: AllTransactionsQuery,
  placeholder: (id: string) => string,
): string[] {
  const named = { card_transaction: cardId, account_transaction: accountId };
  const isAny = cardId === undefined && accountId === undefined;
  return KINDS.flatMap((each) => {
    const { types, table, owner, columns } = SOURCES[each];
    const id = named[each];
    if ((kind !== undefined && kind !== each) || (type !== undefined && !types.includes(type))) return [];
    if (id !== undefined) return [branchOfOne(columns, table, owner, `${placeholder(id)}::text`)];
    return isAny ? [branchOf(columns, table, owner)] : [];
  });
}

/** The id of a card, an account or a virtual IBAN stands in the middle. */
const positionIn = (tenantId: string) =>
  z.tuple([z.literal(tenantId), positionPart.instant(), z.string(), positionPart.number()]);
