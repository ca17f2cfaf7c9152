import { randomBytes } from 'node:crypto';
import type { Sql, Tx } from '../../kernel/db/database';
import { alreadyExists, conflict, forbidden, notFound, Problem } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import type { Permission } from '../../kernel/permissions';
import type { Keyring } from '../../kernel/security/keyring';
import { isOperator, operatorActor, operatorNameOf } from '../../process/approvals/actors';
import {
  findBySecret,
  findOperator,
  findSignInSecrets,
  holdOperator,
  insertOperator,
  listOperators,
  lockOperators,
  type Operator,
  type SignInSecrets,
  updateOperator,
} from './store';

export { addressesToMail, saveMailed } from './mail-store';
export {
  findOperator,
  findSignInSecrets,
  insertOperator,
  listOperators,
  lockOperators,
  type Operator,
  type SignInSecrets,
  saveCodeGenerator,
  saveSecretHash,
} from './store';

/** Creator of the first operator in the audit log, when nobody else exists. */
export const INSTALLATION = 'installation';

/** Creator of all other operators, who add themselves, because nobody else may know their secrets. */
export const APPLICANT = 'applicant';

/** An operator with the secret. */
export interface OperatorCredential {
  operatorId: string;
  name: string;
  /** 256 bits in base64url. Shown only once. */
  operatorSecret: string;
}

/** Name of an operator in decisions and the audit log. Names are unique for ever. */
export const actorOf = ({ name }: Pick<Operator, 'name'>): string => operatorActor(name);

/** Whether the operator may decide. The installation's own operator needs no admission. */
export const isAdmitted = ({ createdBy, admittedAt }: Pick<Operator, 'createdBy' | 'admittedAt'>): boolean =>
  createdBy === INSTALLATION || admittedAt !== null;

const decides = (operator: Operator): boolean => isAdmitted(operator) && operator.disabledAt === null;

/**
 * Adds an operator, who may not decide before admission. The installation's own operator may.
 * @param given.createdBy who sees the secret
 * @throws Problem 400 when an operator has or had the name
 */
export async function addOperator(
  tx: Tx,
  keyring: Keyring,
  { name, createdBy: by }: { name: string; createdBy: string },
): Promise<OperatorCredential> {
  // Beside the sandbox's folder everybody works as its own operator, which does not tell who adds the new one.
  const createdBy = by === operatorActor(DEMO_OPERATOR) ? APPLICANT : by;
  await lockOperators(tx);
  const operatorSecret = newSecret();
  const secretHash = keyring.hashSecret(operatorSecret);
  const proposedBy = isOperator(createdBy) ? createdBy : null;
  const made = await insertOperator(tx, { id: newId('operator'), name, createdBy, proposedBy, secretHash });
  if (!made) throw alreadyExists('An operator has or had this name.', 'name');
  return { operatorId: made.id, name, operatorSecret };
}

/** Adds the first operator, at installation. @throws Problem 401 when one exists already */
export async function addFirstOperator(tx: Tx, keyring: Keyring, name: string): Promise<OperatorCredential> {
  await lockOperators(tx);
  if (await hasOperators(tx)) throw noOperator('Another one was made just now: add yourself once more.');
  return addOperator(tx, keyring, { name, createdBy: INSTALLATION });
}

/**
 * The change of an operator by an admission. Two operators admit where two may decide, and an operator who invited the
 * new one is the first of them. A single operator admits alone, but never an operator of his own invitation.
 * @throws Problem 409 `invalid_transition` when the operator was admitted or disabled before, or `by` has invited or
 *   admitted the operator already
 */
export async function judgeAdmission(
  sql: Sql,
  found: Operator,
  { by, at }: { by: string; at: Date },
): Promise<Pick<Operator, 'proposedBy' | 'admittedBy' | 'admittedAt'>> {
  const { name, createdBy, proposedBy } = found;
  if (found.disabledAt) throw conflict('invalid_transition', `${name} has been disabled.`);
  if (isAdmitted(found)) throw conflict('invalid_transition', `${name} was admitted before.`);
  if (createdBy === by)
    throw conflict('invalid_transition', `You have invited ${name}: another operator must admit ${name}.`);
  const others = await deciding(sql);
  const isAlone = !others.some((other) => other !== by);
  // Only this operator may decide, because a proposer who was disabled since does not count.
  if (isAlone) return { proposedBy: null, admittedBy: by, admittedAt: at };
  if (proposedBy === by)
    throw conflict('invalid_transition', `You have admitted ${name}: another operator must, too.`);
  // A proposer who was disabled since no longer counts.
  if (proposedBy === null || !others.includes(proposedBy))
    return { proposedBy: by, admittedBy: null, admittedAt: null };
  return { proposedBy, admittedBy: by, admittedAt: at };
}

/**
 * Admits an operator, or counts as the first of two who do ({@link judgeAdmission}).
 * @param given.id as its owner was shown it, because anybody may have chosen the name
 * @returns the operator, who may decide if admitted; otherwise another operator must admit as well
 * @throws Problem 404; 409 `invalid_transition`
 */
export async function admitOperator(
  tx: Tx,
  { id, by, at }: { id: string; by: string; at: Date },
): Promise<Operator> {
  await lockOperators(tx);
  const found = isId('operator', id) ? await findOperator(tx, { id }) : undefined;
  if (!found) throw notFound('operator');
  return updateOperator(tx, id, await judgeAdmission(tx, found, { by, at }));
}

/** Actors of all operators who may decide now. */
const deciding = async (sql: Sql): Promise<string[]> =>
  (await listOperators(sql)).filter(decides).map(actorOf);

/** Whether another operator may decide now, so that two people are required. */
export const othersDecide = async (sql: Sql, by: string): Promise<boolean> =>
  (await deciding(sql)).some((each) => each !== by);

export const hasOperators = async (sql: Sql): Promise<boolean> => (await listOperators(sql)).length > 0;

const newSecret = (): string => randomBytes(32).toString('base64url');

/** The operator of an id, or of a name in any case of letters. */
export const operatorNamed = (sql: Sql, named: string): Promise<Operator | undefined> =>
  findOperator(sql, isId('operator', named) ? { id: named } : { name: named });

/**
 * Refuses to disable an operator who is disabled already, the last one who decides, or the last one who may change
 * operators.
 * @throws Problem 409 `invalid_transition`
 */
export async function judgeDisabling(sql: Sql, { id, name, disabledAt }: Operator): Promise<void> {
  if (disabledAt) throw conflict('invalid_transition', `${name} was disabled before.`);
  const others = (await listOperators(sql)).filter((each) => each.id !== id && decides(each));
  if (others.length === 0)
    throw conflict('invalid_transition', 'The last operator is not disabled: add another one first.');
  if (!others.some(({ permissions }) => permissions.includes('security')))
    throw conflict('invalid_transition', 'The last operator with the permission security is not disabled.');
}

/**
 * Disables an operator for ever. Waits for transactions that the operator is about to commit, and refuses all later
 * ones.
 * @param given.id of the operator
 * @throws Problem 404; 409 `invalid_transition` ({@link judgeDisabling})
 */
export async function disableOperator(
  tx: Tx,
  { id, reason, by, at }: { id: string; reason: string; by: string; at: Date },
): Promise<Operator> {
  await lockOperators(tx);
  const found = await findOperator(tx, { id });
  if (!found) throw notFound('operator');
  await judgeDisabling(tx, found);
  return updateOperator(tx, id, { disabledAt: at, disabledBy: by, disabledReason: reason });
}

/** The operator with that secret, disabled or not. */
export const operatorOf = (sql: Sql, keyring: Keyring, secret: string): Promise<Operator | undefined> =>
  findBySecret(sql, keyring.secretHashes(secret));

/**
 * Refuses to take `security` from the last operator who has it, because nobody could give it back.
 * @throws Problem 409 `invalid_transition`
 */
export async function judgePermissions(
  sql: Sql,
  { id, name, disabledAt }: Operator,
  permissions: readonly Permission[],
): Promise<void> {
  if (disabledAt !== null) throw conflict('invalid_transition', `${name} has been disabled.`);
  const others = (await listOperators(sql)).filter((each) => each.id !== id && decides(each));
  if (!permissions.includes('security') && !others.some((each) => each.permissions.includes('security')))
    throw conflict('invalid_transition', 'The last operator with the permission security keeps it.');
}

/** Gives an operator these permissions. @throws Problem 409 `invalid_transition` ({@link judgePermissions}) */
export async function permitOperator(
  tx: Tx,
  operator: Operator,
  permissions: Permission[],
): Promise<Operator> {
  await lockOperators(tx);
  await judgePermissions(tx, operator, permissions);
  return updateOperator(tx, operator.id, { permissions });
}

/** The operator of a name in any case of letters, with what the operator signs in by. */
export async function signInOf(
  tx: Tx,
  name: string,
): Promise<{ operator: Operator; secrets: SignInSecrets } | undefined> {
  const operator = await findOperator(tx, { name });
  const secrets = operator && (await findSignInSecrets(tx, operator.id));
  return operator && secrets && { operator, secrets };
}

/**
 * Requires that the operator may decide, and has the permission. Locks the operator to the end of the transaction.
 * @throws Problem 401 when the operator is disabled or not admitted; 403 without the permission
 */
export async function assertMay(tx: Tx, actor: string, permission: Permission): Promise<void> {
  const found = await findOperator(tx, { name: operatorNameOf(actor) ?? '' });
  if (!found) throw noOperator('There is no such operator.');
  await assertMayDecide(tx, found);
  if (!found.permissions.includes(permission))
    throw forbidden(`It takes the permission ${permission}, which ${found.name} does not have.`);
}

/**
 * Locks the operator to the end of the transaction. @throws Problem 401 when the operator is disabled or not admitted
 */
async function assertMayDecide(tx: Tx, { id, name }: Pick<Operator, 'id' | 'name'>): Promise<void> {
  const operator = await holdOperator(tx, id);
  if (!operator || operator.disabledAt) throw noOperator(`The operator ${name} has been disabled.`);
  if (!isAdmitted(operator)) throw notAdmitted(operator);
}

/**
 * Refuses the request of an operator who was disabled since. Locks the operator to the end of the transaction. Accepts
 * an actor who is not an operator.
 * @throws Problem 409 `invalid_transition` when the operator has been disabled since
 */
export async function assertStandsBehind(tx: Tx, actor: string): Promise<void> {
  const name = operatorNameOf(actor);
  if (name === undefined) return;
  const found = await findOperator(tx, { name });
  const held = found && (await holdOperator(tx, found.id));
  if (!held || !decides(held))
    throw conflict('invalid_transition', `${name} has been disabled since: reject it, and ask again.`);
}

/**
 * Refuses two operators of whom one has invited the other, because both names may be of one person.
 * @throws Problem 409 `invalid_transition`
 */
export async function assertTwoPeople(sql: Sql, one: string, other: string): Promise<void> {
  const byActor = new Map((await listOperators(sql)).map((each) => [actorOf(each), each]));
  if (byActor.get(one)?.createdBy === other || byActor.get(other)?.createdBy === one)
    throw conflict(
      'invalid_transition',
      `Of ${operatorNameOf(one)} and ${operatorNameOf(other)}, one has invited the other: a third operator must approve it.`,
    );
}

export const notAdmitted = ({ id, name }: Pick<Operator, 'id' | 'name'>): Problem =>
  noOperator(`${name} has not been admitted yet: those who decide do that by "operator admit ${id}".`);

const noOperator = (message: string): Problem => new Problem(401, 'unauthorized', message);

/** Name of the operator that the sandbox creates for itself. */
export const DEMO_OPERATOR = 'demo';

/**
 * Ensures the sandbox's own operator. Issues a new secret when the stored one is not the operator's.
 * @returns whether the operator was created now
 */
export async function ensureDemoOperator(
  tx: Tx,
  keyring: Keyring,
  known: Partial<OperatorCredential> | undefined,
): Promise<{ credential: OperatorCredential; made: boolean }> {
  await lockOperators(tx);
  const found = await findOperator(tx, { name: DEMO_OPERATOR });
  if (!found) {
    const given = { name: DEMO_OPERATOR, createdBy: INSTALLATION };
    return { credential: await addOperator(tx, keyring, given), made: true };
  }
  const { id: operatorId, name } = found;
  const secret = known?.operatorSecret;
  if (typeof secret === 'string' && (await operatorOf(tx, keyring, secret))?.id === operatorId)
    return { credential: { operatorId, name, operatorSecret: secret }, made: false };
  const operatorSecret = newSecret();
  await updateOperator(tx, operatorId, { secretHash: keyring.hashSecret(operatorSecret) });
  return { credential: { operatorId, name, operatorSecret }, made: false };
}
