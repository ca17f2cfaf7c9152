import { anyOf } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { Permission } from '../../kernel/permissions';

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
  permissions: Permission[];
}

const operators = recordTable<Operator>('operators', {}, [
  ...['id', 'name', 'createdBy', 'createdAt', 'proposedBy', 'admittedBy', 'admittedAt'],
  ...['disabledAt', 'disabledBy', 'disabledReason', 'permissions'],
]);

/** Serialises changes of operators, so that concurrent ones never remove the last operator. Raw, because it is an advisory lock. */
export async function lockOperators(tx: Sql): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('operators', 0))`);
}

export interface NewOperator extends Pick<Operator, 'id' | 'name' | 'createdBy' | 'proposedBy'> {
  secretHash: Buffer;
  /** The secret of the code generator, sealed under the id. Absent: the operator has none. */
  totpSecret?: Buffer;
}

/** @returns undefined when another operator has the name, in any case of letters, or the secret */
export const insertOperator = (tx: Sql, given: NewOperator): Promise<Operator | undefined> =>
  operators.writtenOne(tx, operators().insert(given).onConflict().ignore());

/** @param hashes of the secret, under every version of the key */
export const findBySecret = (sql: Sql, hashes: readonly Buffer[]): Promise<Operator | undefined> =>
  operators.one(sql, operators().where(anyOf('secretHash', hashes)));

export const findOperator = (
  sql: Sql,
  by: { id: string } | { name: string },
): Promise<Operator | undefined> =>
  operators.one(
    sql,
    'id' in by ? operators().where(by) : operators().whereRaw('lower(name) = lower(?)', [by.name]),
  );

/**
 * Locks the operator to the end of the transaction. A concurrent disable waits, and later transactions see the operator
 * disabled.
 */
export const holdOperator = (tx: Sql, id: string): Promise<Operator | undefined> =>
  operators.one(tx, operators().where({ id }).forShare());

export const listOperators = (sql: Sql): Promise<Operator[]> => operators.all(sql, operators().orderBy('id'));

/**
 * Presents the proof of a session to the functions that change operators and decide approvals, to the end of the
 * transaction. Postgres refuses them without it.
 */
export async function presentSession(tx: Sql, proof: Buffer): Promise<void> {
  await tx.query(`select set_config('cardwright.session', $1, true)`, [proof.toString('hex')]);
}

/** Calls a function with the owner's rights that changes an operator. */
async function changed(tx: Sql, id: string, call: string, values: readonly unknown[]): Promise<Operator> {
  await tx.query(`select ${call}`, [id, ...values]);
  const found = await findOperator(tx, { id });
  if (!found) throw new Error(`the operator ${id} does not exist`);
  return found;
}

export const saveAdmission = (tx: Sql, id: string, by: string, at: Date): Promise<Operator> =>
  changed(tx, id, 'admit_operator($1, $2, $3)', [by, at]);

export const saveDisabling = (
  tx: Sql,
  id: string,
  { by, reason, at }: { by: string; reason: string; at: Date },
): Promise<Operator> => changed(tx, id, 'disable_operator($1, $2, $3, $4)', [by, reason, at]);

export const savePermissions = (
  tx: Sql,
  id: string,
  permissions: readonly Permission[],
  by: string,
): Promise<Operator> => changed(tx, id, 'permit_operator($1, $2, $3)', [permissions, by]);

/** Makes the sandbox's own operator, or gives him another secret. */
export const saveDemoOperator = (tx: Sql, id: string, secretHash: Buffer): Promise<Operator> =>
  changed(tx, id, 'ensure_demo_operator($1, $2)', [secretHash]);

/** The stored secrets of an operator: secret and code generator. It never leaves the sign-in. */
export interface SignInSecrets {
  id: string;
  secretHash: Buffer;
  /** Sealed under the id. Null: the operator has no code generator. */
  totpSecret: Buffer | null;
}

const secrets = recordTable<SignInSecrets>('operators', {}, ['id', 'secretHash', 'totpSecret']);

export const findSignInSecrets = (sql: Sql, id: string): Promise<SignInSecrets | undefined> =>
  secrets.one(sql, secrets().where({ id }));

/** @returns false where a code of that step, or of a later one, was used before */
export const useStep = async (tx: Sql, id: string, step: number): Promise<boolean> =>
  (
    await tx.run(
      secrets()
        .where({ id })
        .where((query) => void query.whereNull('totpStep').orWhere('totpStep', '<', step))
        .update({ totpStep: step })
        .returning('id'),
    )
  ).length > 0;
