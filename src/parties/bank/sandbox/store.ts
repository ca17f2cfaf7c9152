import { table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';

/** A payment as the sandbox's bank stores it. */
export interface SandboxCredit {
  /** Order in which the bank received the payments. */
  sequence: string;
  id: string;
  iban: string;
  amount: Decimal;
  currency: string;
  remitterName: string;
  remitterIban: string | null;
  receivedAt: Date;
  /** Null: the bank sends no callback about the payment. */
  callbackUrl: string | null;
}

/** Money that goes back from a payment. */
export interface SandboxReturn {
  id: string;
  creditId: string;
  /** `recall`: the payer's bank takes the money back. `return`: we have ordered it. */
  kind: 'recall' | 'return';
  key: string | null;
  amount: Decimal;
  /** When the return was ordered, or when the recall happens. */
  at: Date;
  endsAt: Date;
  outcome: 'succeeded' | 'failed';
  undoneAt: Date | null;
}

type Row = Omit<SandboxCredit, 'amount'> & { amount: string };

type ReturnRow = Omit<SandboxReturn, 'amount'> & { amount: string };

const COLUMNS = [
  'sequence',
  'id',
  'iban',
  'amount',
  'currency',
  'remitterName',
  'remitterIban',
  'receivedAt',
  'callbackUrl',
];
const RETURN = ['id', 'creditId', 'kind', 'key', 'amount', 'at', 'endsAt', 'outcome', 'undoneAt'];

const credits = () => table('sandbox_bank_credits');
const returns = () => table('sandbox_bank_returns');

const returnOf = (row: ReturnRow): SandboxReturn => ({ ...row, amount: new Decimal(row.amount) });
const creditOf = (row: Row): SandboxCredit => ({ ...row, amount: new Decimal(row.amount) });

export async function insertCredit(sql: Sql, given: Omit<SandboxCredit, 'sequence'>): Promise<void> {
  await sql.run(credits().insert({ ...given, amount: given.amount.toFixed() }));
}

/** Locks the credit, so that its recorded changes and its state agree. */
export async function lockCredit(
  tx: Sql,
  id: string,
  lock: 'share' | 'update',
): Promise<SandboxCredit | undefined> {
  const query = credits().select(COLUMNS).where({ id });
  const [row] = await tx.run<Row>(lock === 'share' ? query.forShare() : query.forUpdate());
  return row && creditOf(row);
}

export async function returnsOf(sql: Sql, creditId: string): Promise<SandboxReturn[]> {
  const rows = await sql.run<ReturnRow>(returns().select(RETURN).where({ creditId }).orderBy(['at', 'id']));
  return rows.map(returnOf);
}

/** The return under that key, of any payment. */
export async function returnByKey(sql: Sql, key: string): Promise<SandboxReturn | undefined> {
  const [row] = await sql.run<ReturnRow>(returns().select(RETURN).where({ key }));
  return row && returnOf(row);
}

export async function insertReturn(tx: Sql, given: SandboxReturn): Promise<void> {
  await tx.run(returns().insert({ ...given, amount: given.amount.toFixed() }));
}
