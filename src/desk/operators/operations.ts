import { randomBytes } from 'node:crypto';
import type { Sql, Tx } from '../../kernel/db/database';
import { alreadyExists, conflict, forbidden, notFound, Problem } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import type { Permission } from '../../kernel/permissions';
import type { Keyring } from '../../kernel/security/keyring';
import { isOperator, operatorActor, operatorNameOf } from '../../process/approvals/actors';
import { assertTwoPeople, isOneHand } from '../../process/approvals/one-hand';
import { addressOf, newCodeGenerator } from './code-generator';
import { storedSecret, storedSecrets } from './proofs';
import {
  findBySecret,
  findOperator,
  findSignInSecrets,
  holdOperator,
  insertOperator,
  listOperators,
  lockOperators,
  type Operator,
  presentSession,
  type SignInSecrets,
  saveAdmission,
  saveDemoOperator,
  saveDisabling,
  savePermissions,
} from './store';

export { addressesToMail, saveMailed } from './mail-store';
export {
  findOperator,
  findSignInSecrets,
  listOperators,
  lockOperators,
  type Operator,
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
  /** Address of the code generator, for an app. Shown only once. */
  codeGenerator?: string;
}

/** Name of an operator in decisions and the audit log. Names are unique for ever. */
export const actorOf = ({ name }: Pick<Operator, 'name'>): string => operatorActor(name);

/** Whether the operator may decide. The installation's own operator needs no admission. */
export const isAdmitted = ({ createdBy, admittedAt }: Pick<Operator, 'createdBy' | 'admittedAt'>): boolean =>
  createdBy === INSTALLATION || admittedAt !== null;

const decides = (operator: Operator): boolean => isAdmitted(operator) && operator.disabledAt === null;

export interface NewApplicant {
  name: string;
  /** Whether the operator signs in with one-time codes. */
  withCodes?: boolean;
}

/**
 * Adds an operator, who may not decide before admission. The installation's own operator may.
 * @param given.createdBy who sees the secret
 * @throws Problem 400 when an operator has or had the name
 */
export async function addOperator(
  tx: Tx,
  keyring: Keyring,
  { name, createdBy: by, withCodes = false }: NewApplicant & { createdBy: string },
): Promise<OperatorCredential> {
  // Beside the sandbox's folder everybody works as its own operator, which does not tell who adds the new one.
  const createdBy = by === operatorActor(DEMO_OPERATOR) ? APPLICANT : by;
  await lockOperators(tx);
  const operatorSecret = newSecret();
  const id = newId('operator');
  const totpSecret = withCodes ? newCodeGenerator(keyring, id) : undefined;
  const made = await insertOperator(tx, {
    id,
    name,
    createdBy,
    proposedBy: isOperator(createdBy) ? createdBy : null,
    secretHash: storedSecret(keyring, operatorSecret),
    ...(totpSecret && { totpSecret }),
  });
  if (!made) throw alreadyExists('An operator has or had this name.', 'name');
  const codes = totpSecret && { codeGenerator: addressOf(keyring, { id, name }, totpSecret) };
  return { operatorId: id, name, operatorSecret, ...codes };
}

/** Adds the first operator, at installation. @throws Problem 401 when one exists already */
export async function addFirstOperator(
  tx: Tx,
  keyring: Keyring,
  given: NewApplicant,
): Promise<OperatorCredential> {
  await lockOperators(tx);
  if (await hasOperators(tx)) throw noOperator('Another one was made just now: add yourself once more.');
  return addOperator(tx, keyring, { ...given, createdBy: INSTALLATION });
}

/**
 * The change of an operator by an admission, as Postgres makes it. Two operators admit where two may decide, and an
 * operator who invited the new one is the first of them. Operators of one hand ({@link assertTwoPeople}) count as one. A
 * single operator admits alone, but never an operator of his own invitation.
 * @throws Problem 409 `invalid_transition` when the operator was admitted or disabled before, or `by`, or an operator of
 *   one hand with `by`, has invited or admitted the operator already
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
  await assertTwoPeople(sql, by, createdBy);
  const others = await deciding(sql);
  const isAlone = !(await anotherHandDecides(sql, by));
  // Only this operator may decide, because a proposer who was disabled since does not count.
  if (isAlone) return { proposedBy: null, admittedBy: by, admittedAt: at };
  if (proposedBy === by)
    throw conflict('invalid_transition', `You have admitted ${name}: another operator must, too.`);
  // A proposer who was disabled since no longer counts.
  if (proposedBy === null || !others.includes(proposedBy))
    return { proposedBy: by, admittedBy: null, admittedAt: null };
  await assertTwoPeople(sql, by, proposedBy);
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
  await judgeAdmission(tx, found, { by, at });
  return saveAdmission(tx, id, by, at);
}

/** Actors of all operators who may decide now. */
const deciding = async (sql: Sql): Promise<string[]> =>
  (await listOperators(sql)).filter(decides).map(actorOf);

/** Whether an operator of another hand may decide now ({@link assertTwoPeople}), so that two people are required. */
export async function anotherHandDecides(sql: Sql, by: string): Promise<boolean> {
  for (const other of await deciding(sql)) if (!(await isOneHand(sql, by, other))) return true;
  return false;
}

/** Whether an operator must leave a decision to others, because an operator of the same hand asked for it. */
export const mustLeaveToOthers = async (sql: Sql, by: string, askedBy: string): Promise<boolean> =>
  (await isOneHand(sql, by, askedBy)) && (await deciding(sql)).some((each) => each !== by);

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
  return saveDisabling(tx, id, { by, reason, at });
}

/** The operator with that secret, disabled or not. */
export const operatorOf = (sql: Sql, keyring: Keyring, secret: string): Promise<Operator | undefined> =>
  findBySecret(sql, storedSecrets(keyring, secret));

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
  { permissions, by }: { permissions: Permission[]; by: string },
): Promise<Operator> {
  await lockOperators(tx);
  await judgePermissions(tx, operator, permissions);
  return savePermissions(tx, operator.id, permissions, by);
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

/** An operator who decides, with the proof of his session. */
export interface Decider {
  /** `operator:<name>`. */
  actor: string;
  /** Proof of the session. Absent where the database's owner works, who needs none. */
  session?: Buffer | undefined;
}

/**
 * Requires that the operator may decide, and has the permission. Locks the operator, and presents the session to
 * Postgres, to the end of the transaction.
 * @throws Problem 401 when the operator is disabled or not admitted; 403 without the permission
 */
export async function assertMay(tx: Tx, { actor, session }: Decider, permission: Permission): Promise<void> {
  if (session) await presentSession(tx, session);
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
    const [id, operatorSecret] = [newId('operator'), newSecret()];
    await saveDemoOperator(tx, id, storedSecret(keyring, operatorSecret));
    return { credential: { operatorId: id, name: DEMO_OPERATOR, operatorSecret }, made: true };
  }
  const { id: operatorId, name } = found;
  const secret = known?.operatorSecret;
  if (typeof secret === 'string' && (await operatorOf(tx, keyring, secret))?.id === operatorId)
    return { credential: { operatorId, name, operatorSecret: secret }, made: false };
  const operatorSecret = newSecret();
  await saveDemoOperator(tx, operatorId, storedSecret(keyring, operatorSecret));
  return { credential: { operatorId, name, operatorSecret }, made: false };
}
