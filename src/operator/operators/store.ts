import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';

/** A person who decides (decisions part 2), once admitted. A name is never given to another. */
export interface Operator {
  id: string;
  name: string;
  /** Who has seen the secret: `applicant`, for whom it is; `installation`; or the operator who made it for somebody. */
  createdBy: string;
  createdAt: Date;
  /** Who has admitted first, where it takes two. */
  proposedBy: string | null;
  /** Null of the installation's own, who needs nobody, and of who has not been admitted. */
  admittedBy: string | null;
  admittedAt: Date | null;
  disabledAt: Date | null;
  disabledBy: string | null;
  disabledReason: string | null;
}

const COLUMNS = [
  ...['id', 'name', 'createdBy', 'createdAt', 'proposedBy', 'admittedBy', 'admittedAt'],
  ...['disabledAt', 'disabledBy', 'disabledReason'],
];

const operators = () => table('operators');

/** One at a time makes, admits or disables operators, so that there is always one left. Raw: a lock of Postgres's own. */
export async function lockOperators(tx: Sql): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('operators', 0))`);
}

/** @returns nothing when another has the name, whatever its case */
export async function insertOperator(
  tx: Sql,
  given: Pick<Operator, 'id' | 'name' | 'createdBy'> & { secretHash: Buffer },
): Promise<Operator | undefined> {
  const [row] = await tx.run<Operator>(operators().insert(given).onConflict().ignore().returning(COLUMNS));
  return row;
}

export async function findBySecret(sql: Sql, secretHash: Buffer): Promise<Operator | undefined> {
  const [row] = await sql.run<Operator>(operators().select(COLUMNS).where({ secretHash }));
  return row;
}

export async function findOperator(
  sql: Sql,
  by: { id: string } | { name: string },
): Promise<Operator | undefined> {
  const query = operators().select(COLUMNS);
  const [row] = await sql.run<Operator>(
    'id' in by ? query.where(by) : query.whereRaw('lower(name) = lower(?)', [by.name]),
  );
  return row;
}

/** Held to the end of the transaction: whoever disables the operator waits for it, and what comes later finds him disabled. */
export async function holdOperator(tx: Sql, id: string): Promise<Operator | undefined> {
  const [row] = await tx.run<Operator>(operators().select(COLUMNS).where({ id }).forShare());
  return row;
}

export const listOperators = (sql: Sql): Promise<Operator[]> =>
  sql.run<Operator>(operators().select(COLUMNS).orderBy('id'));

export async function updateOperator(
  tx: Sql,
  id: string,
  changed: Partial<Omit<Operator, 'id' | 'name'>> & { secretHash?: Buffer },
): Promise<Operator> {
  const [row] = await tx.run<Operator>(operators().where({ id }).update(changed).returning(COLUMNS));
  return row as Operator;
}
