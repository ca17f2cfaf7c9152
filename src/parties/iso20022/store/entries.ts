import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { decimal, recordTable, safeInteger } from '../../../kernel/db/record-table';
import type { Decimal } from '../../../kernel/money/money';

/** A booked entry. */
export interface BankEntry {
  name: string;
  account: string;
  side: 'credit' | 'debit';
  amount: Decimal;
  currency: string;
  concerns: string | null;
  fileId: number;
  /** The statement that has the entry. Null: only a notification has told of it. */
  statementId: number | null;
}

const entries = recordTable<BankEntry>(
  'bank_entries',
  { amount: decimal, fileId: safeInteger, statementId: safeInteger },
  ['name', 'account', 'side', 'amount', 'currency', 'concerns', 'fileId', 'statementId'],
);

/** Stores an entry. Waits for a transaction that stores the same one. @returns false when it is known */
export async function insertEntry(tx: Tx, entry: BankEntry): Promise<boolean> {
  const made = entries().insert(entries.row(entry)).onConflict('name').ignore();
  return (await entries.written(tx, made)).length === 1;
}

export const findEntry = (sql: Sql, name: string): Promise<BankEntry | undefined> =>
  entries.one(sql, entries().where({ name }));

/** Entries of an order or a received payment that no statement has yet, with one amount. */
export const entryNotStated = (
  sql: Sql,
  { concerns, account, side, amount, currency }: Omit<BankEntry, 'name' | 'fileId' | 'statementId'>,
): Promise<BankEntry[]> =>
  entries.all(
    sql,
    entries()
      .where({ concerns, account, side, amount: amount.toFixed(), currency })
      .whereNull('statementId')
      .orderBy('name'),
  );

/** Notes that a statement has the entry. */
export async function noteStated(tx: Tx, name: string, statementId: number): Promise<void> {
  await tx.run(entries().where({ name }).whereNull('statementId').update({ statementId }));
}

export async function noteConcern(tx: Tx, name: string, concerns: string): Promise<void> {
  await tx.run(entries().where({ name }).update({ concerns }));
}

/** The sum of entries that no statement has yet, by currency: credits less debits. */
export async function notStated(sql: Sql): Promise<{ currency: string; amount: Decimal }[]> {
  const rows = await sql.run<{ currency: string; amount: string }>(
    table('bank_entries')
      .select('currency')
      .select(raw(`sum(case side when 'credit' then amount else -amount end)::text as amount`))
      .whereNull('statementId')
      .groupBy('currency'),
  );
  return rows.map(({ currency, amount }) => ({ currency, amount: decimal.read(amount as never) }));
}
