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

const COLUMNS = 'sequence, id, iban, amount, currency, received_at as "receivedAt"';

const creditOf = (row: Row): SandboxCredit => ({ ...row, amount: new Decimal(row.amount) });

export async function insertCredit(sql: Sql, given: Omit<SandboxCredit, 'sequence'>): Promise<void> {
  await sql.query(
    'insert into sandbox_bank_credits (id, iban, amount, currency, received_at) values ($1, $2, $3, $4, $5)',
    [given.id, given.iban, given.amount.toFixed(), given.currency, given.receivedAt],
  );
}

export async function findCredit(sql: Sql, id: string): Promise<SandboxCredit | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from sandbox_bank_credits where id = $1`, [id]);
  return row && creditOf(row);
}

export async function creditsAfter(sql: Sql, place: string, limit: number): Promise<SandboxCredit[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from sandbox_bank_credits where sequence > $1 order by sequence limit $2`,
    [place, limit],
  );
  return rows.map(creditOf);
}
