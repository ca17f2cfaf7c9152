import { isId } from '../../kernel/ids';
import type { SubjectSpec } from '../../process/desk/decision';
import { findOperator, isAdmitted, lockOperators, type Operator, operatorNamed } from './operations';

/** An operator as the subject of a decision, by id only, because anybody may have chosen the name of an applicant. */
export const operatorById: SubjectSpec<Operator> = {
  noun: 'operator',
  kinds: ['operator'],
  read: async (sql, id) => (isId('operator', id) ? findOperator(sql, { id }) : undefined),
  lock: async (tx, id) => (isId('operator', id) ? findOperator(tx, { id }) : undefined),
  lockFirst: (tx) => lockOperators(tx),
  tenantOf: () => null,
};

/** An operator as the subject of a decision, by id or name. */
export const operatorByName: SubjectSpec<Operator> = {
  ...operatorById,
  read: (sql, named) => operatorNamed(sql, named),
  lock: (tx, named) => operatorNamed(tx, named),
  idOf: ({ id }) => id,
};

export function statusOf(operator: Operator): string {
  if (operator.disabledAt !== null) return 'disabled';
  return isAdmitted(operator) ? 'admitted' : 'waits for admission';
}
