import { table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';

/** A payment as the sandbox's bank keeps it. */
export interface SandboxCredit {
  /** Its place in the order in which the bank received them. */
  sequence: string;
  id: string;
  iban: string;
  amount: Decimal;
  currency: string;
  receivedAt: Date;
}

type Row = Omit<SandboxCredit, 'amount'> & { amount: string };

const COLUMNS = ['sequence', 'id', 'iban', 'amount', 'currency', 'receivedAt'];

const credits = () => table('sandbox_bank_credits');

const creditOf = (row: Row): SandboxCredit => ({ ...row, amount: new Decimal(row.amount) });

export async function insertCredit(sql: Sql, given: Omit<SandboxCredit, 'sequence'>): Promise<void> {
  await sql.run(credits().insert({ ...given, amount: given.amount.toFixed() }));
}

export async function findCredit(sql: Sql, id: string): Promise<SandboxCredit | undefined> {
  const [row] = await sql.run<Row>(credits().select(COLUMNS).where({ id }));
  return row && creditOf(row);
}

export async function creditsAfter(sql: Sql, place: string, limit: number): Promise<SandboxCredit[]> {
  const rows = await sql.run<Row>(
    credits().select(COLUMNS).where('sequence', '>', place).orderBy('sequence').limit(limit),
  );
  return rows.map(creditOf);
}
