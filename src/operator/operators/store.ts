import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';

/** A person who decides (decisions part 2), once admitted. A name is never reused. */
export interface Operator {
  id: string;
  name: string;
  /**
   * Who has seen the secret: `applicant` (its owner), `installation`, or an operator who created it for another person.
   */
  createdBy: string;
  createdAt: Date;
  /** The first of two operators who admit. */
  proposedBy: string | null;
  /** Null for the installation's own operator, and for an operator who is not admitted. */
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

/** Serialises changes of operators, so that one always remains. Raw, because it is an advisory lock. */
export async function lockOperators(tx: Sql): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('operators', 0))`);
}

/** @returns undefined when another operator has the name, in any case of letters */
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

/**
 * Locks the operator to the end of the transaction. A concurrent disable waits, and later transactions see the operator
 * disabled.
 */
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
