import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { OperationKey } from '../../kernel/idempotency';
import { Decimal } from '../../kernel/money/money';
import type { AccountExchange } from './record';

const AMOUNTS = ['sellAmount', 'fee', 'buyAmount', 'rate', 'mid', 'remainder'] as const;

export async function insertExchange(tx: Sql, exchange: AccountExchange, key: OperationKey): Promise<void> {
  const amounts = Object.fromEntries(AMOUNTS.map((name) => [name, exchange[name].toFixed()]));
  await tx.run(table('account_exchanges').insert({ ...exchange, ...amounts, ...key }));
}

type Row = Omit<AccountExchange, (typeof AMOUNTS)[number]> & Record<(typeof AMOUNTS)[number], string>;

export async function findExchange(sql: Sql, id: string): Promise<AccountExchange | undefined> {
  const [row] = await sql.run<Row>(table('account_exchanges').where({ id }));
  return row && { ...row, ...amountsOf(row) };
}

const amountsOf = (row: Row) =>
  Object.fromEntries(AMOUNTS.map((name) => [name, new Decimal(row[name])])) as Pick<
    AccountExchange,
    (typeof AMOUNTS)[number]
  >;
