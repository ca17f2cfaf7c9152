import { table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { decimal, recordTable, safeInteger } from '../../../kernel/db/record-table';
import type { Decimal } from '../../../kernel/money/money';

/** A statement of one of our accounts. */
export interface BankStatement {
  id: number;
  account: string;
  currency: string;
  /** In the bank's series. Null: the bank counts none. */
  number: number | null;
  year: number;
  opening: Decimal;
  closing: Decimal;
  until: Date;
  fileId: number;
}

const statements = recordTable<BankStatement>(
  'bank_statements',
  { id: safeInteger, number: safeInteger, opening: decimal, closing: decimal, fileId: safeInteger },
  ['id', 'account', 'currency', 'number', 'year', 'opening', 'closing', 'until', 'fileId'],
);

/** @returns undefined when the series has the number already */
export const insertStatement = (
  tx: Tx,
  statement: Omit<BankStatement, 'id'>,
): Promise<BankStatement | undefined> =>
  statements.writtenOne(
    tx,
    statements()
      .insert(statements.row(statement))
      .onConflict(['account', 'currency', 'year', 'number'])
      .ignore(),
  );

/**
 * Serialises the reports of an account, because each statement is compared with its neighbours, and a payment may be told
 * twice.
 */
export async function lockSeries(tx: Tx, account: string): Promise<void> {
  // Raw: an advisory lock, because the first statement has no row to lock.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 2022))', [account]);
}

/** Statements that are compared with one another: those of the last year, oldest first. */
export const recentStatements = (sql: Sql, account: string): Promise<BankStatement[]> =>
  statements
    .all(
      sql,
      statements()
        .where({ account })
        .orderBy([
          { column: 'until', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(400),
    )
    .then((found) => found.reverse());

/** The last statement of each account and currency, also of former accounts. */
export async function lastStatements(sql: Sql): Promise<BankStatement[]> {
  const last = table('bank_statements').distinctOn('account', 'currency');
  return statements.all(
    sql,
    last.orderBy([
      { column: 'account' },
      { column: 'currency' },
      { column: 'until', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]),
  );
}
