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
  /** null: nobody is told of it. */
  callbackUrl: string | null;
}

/** What goes back of a payment. */
export interface SandboxReturn {
  id: string;
  creditId: string;
  /** `recall`: the payer's bank takes it. `return`: we have ordered it. */
  kind: 'recall' | 'return';
  key: string | null;
  amount: Decimal;
  /** Since when it is there; of a recall when it happens. */
  at: Date;
  endsAt: Date;
  outcome: 'succeeded' | 'failed';
  undoneAt: Date | null;
}

type Row = Omit<SandboxCredit, 'amount'> & { amount: string };

type ReturnRow = Omit<SandboxReturn, 'amount'> & { amount: string };

const COLUMNS = ['sequence', 'id', 'iban', 'amount', 'currency', 'receivedAt', 'callbackUrl'];
const RETURN = ['id', 'creditId', 'kind', 'key', 'amount', 'at', 'endsAt', 'outcome', 'undoneAt'];

const credits = () => table('sandbox_bank_credits');
const returns = () => table('sandbox_bank_returns');

const returnOf = (row: ReturnRow): SandboxReturn => ({ ...row, amount: new Decimal(row.amount) });
const creditOf = (row: Row): SandboxCredit => ({ ...row, amount: new Decimal(row.amount) });

export async function insertCredit(sql: Sql, given: Omit<SandboxCredit, 'sequence'>): Promise<void> {
  await sql.run(credits().insert({ ...given, amount: given.amount.toFixed() }));
}

/** Locked, so that what was recorded of it is what it has come to. */
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

/** The return that was ordered under that key, of whichever payment. */
export async function returnByKey(sql: Sql, key: string): Promise<SandboxReturn | undefined> {
  const [row] = await sql.run<ReturnRow>(returns().select(RETURN).where({ key }));
  return row && returnOf(row);
}

export async function insertReturn(tx: Sql, given: SandboxReturn): Promise<void> {
  await tx.run(returns().insert({ ...given, amount: given.amount.toFixed() }));
}
