import type { Sql } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import type { OperationKey } from '../../kernel/idempotency';
import type { AccountExchange } from './record';

const exchanges = recordTable<AccountExchange>('account_exchanges', {
  sellAmount: decimal,
  fee: decimal,
  buyAmount: decimal,
  rate: decimal,
  mid: decimal,
  remainder: decimal,
});

export async function insertExchange(tx: Sql, exchange: AccountExchange, key: OperationKey): Promise<void> {
  await tx.run(exchanges().insert({ ...exchanges.row(exchange), ...key }));
}

export const findExchange = (sql: Sql, id: string) => exchanges.one(sql, exchanges().where({ id }));
