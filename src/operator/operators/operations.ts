import { randomBytes } from 'node:crypto';
import type { Sql, Tx } from '../../kernel/db/database';
import { alreadyExists, conflict, notFound, Problem } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import type { Keyring } from '../../kernel/security/keyring';
import { operatorActor, operatorNameOf } from '../../process/approvals/actors';
import {
  findBySecret,
  findOperator,
  holdOperator,
  insertOperator,
  listOperators,
  lockOperators,
  type Operator,
  updateOperator,
} from './store';

export { listOperators, lockOperators, type Operator } from './store';

/** Who makes the first operator, as the audit log names it: nobody is there yet who could. */
export const INSTALLATION = 'installation';

/** Who makes any other, for himself: nobody else is to know his secret. */
export const APPLICANT = 'applicant';

/** An operator with his secret. */
export interface OperatorCredential {
  operatorId: string;
  name: string;
  /** 256 bits in base64url, shown this once. */
  operatorSecret: string;
}

/** As decisions and the audit log name him: names are unique for ever. */
export const actorOf = ({ name }: Pick<Operator, 'name'>): string => operatorActor(name);

/** The installation's own needs nobody's yes; any other decides once he has been admitted. */
export const isAdmitted = ({ createdBy, admittedAt }: Pick<Operator, 'createdBy' | 'admittedAt'>): boolean =>
  createdBy === INSTALLATION || admittedAt !== null;

const decides = (operator: Operator): boolean => isAdmitted(operator) && operator.disabledAt === null;

/**
 * Makes one who may not decide yet, but for the installation's own.
 * @param given.createdBy who sees the secret
 * @throws Problem 400 when the name is or was another's
 */
export async function addOperator(
  tx: Tx,
  keyring: Keyring,
  { name, createdBy }: { name: string; createdBy: string },
): Promise<OperatorCredential> {
  await lockOperators(tx);
  const operatorSecret = newSecret();
  const secretHash = keyring.hashSecret(operatorSecret);
  const made = await insertOperator(tx, { id: newId('operator'), name, createdBy, secretHash });
  if (!made) throw alreadyExists('An operator has or had this name.', 'name');
  return { operatorId: made.id, name, operatorSecret };
}

/** The first one, who is made at installation. @throws Problem 401 when there is one already */
export async function addFirstOperator(tx: Tx, keyring: Keyring, name: string): Promise<OperatorCredential> {
  await lockOperators(tx);
  if (await hasOperators(tx)) throw noOperator('Another one was made just now: add yourself once more.');
  return addOperator(tx, keyring, { name, createdBy: INSTALLATION });
}

/**
 * Lets a new operator decide. It takes two as soon as two can: the first has him wait for another. Who is alone admits alone.
 * @param given.id as its owner was shown it: a name may be anybody's
 * @returns he may decide when he has been admitted, else another operator must admit him too
 * @throws Problem 404; 409 `invalid_transition` when he was admitted or disabled before, or `by` has admitted him already
 */
export async function admitOperator(
  tx: Tx,
  { id, by, at }: { id: string; by: string; at: Date },
): Promise<Operator> {
  await lockOperators(tx);
  const found = isId('operator', id) ? await findOperator(tx, { id }) : undefined;
  if (!found) throw notFound('operator');
  if (found.disabledAt) throw conflict('invalid_transition', `${found.name} has been disabled.`);
  if (isAdmitted(found)) throw conflict('invalid_transition', `${found.name} was admitted before.`);
  const others = await deciding(tx);
  const [second] = others.filter((other) => other !== by);
  // Nobody else has a say: neither who has proposed him and was disabled since, nor the same one twice.
  if (second === undefined)
    return updateOperator(tx, id, { proposedBy: null, admittedBy: by, admittedAt: at });
  if (found.proposedBy === by)
    throw conflict('invalid_transition', `You have admitted ${found.name}: another operator must, too.`);
  // Who has proposed him and was disabled since has no say any more.
  if (found.proposedBy === null || !others.includes(found.proposedBy))
    return updateOperator(tx, id, { proposedBy: by });
  return updateOperator(tx, id, { admittedBy: by, admittedAt: at });
}

/** Those who may decide now, as actors. */
const deciding = async (sql: Sql): Promise<string[]> =>
  (await listOperators(sql)).filter(decides).map(actorOf);

/** Whether somebody else may decide now: what takes two is asked of two. */
export const othersDecide = async (sql: Sql, by: string): Promise<boolean> =>
  (await deciding(sql)).some((each) => each !== by);

export const hasOperators = async (sql: Sql): Promise<boolean> => (await listOperators(sql)).length > 0;

const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Shuts an operator out, for ever and at once: what he is about to commit is awaited, and he commits nothing more.
 * @param named his id or name
 * @throws Problem 404; 409 `invalid_transition` when he was disabled before, or is the last one
 */
export async function disableOperator(
  tx: Tx,
  { named, reason, by, at }: { named: string; reason: string; by: string; at: Date },
): Promise<Operator> {
  await lockOperators(tx);
  const found = await findOperator(tx, isId('operator', named) ? { id: named } : { name: named });
  if (!found) throw notFound('operator');
  if (found.disabledAt) throw conflict('invalid_transition', `${found.name} was disabled before.`);
  const others = (await listOperators(tx)).filter((each) => each.id !== found.id && decides(each));
  if (others.length === 0)
    throw conflict('invalid_transition', 'The last operator is not disabled: add another one first.');
  return updateOperator(tx, found.id, { disabledAt: at, disabledBy: by, disabledReason: reason });
}

/** Whose secret it is, disabled or not. */
export const operatorOf = (sql: Sql, keyring: Keyring, secret: string): Promise<Operator | undefined> =>
  findBySecret(sql, keyring.hashSecret(secret));

/** Holds the operator to the end of the transaction. @throws Problem 401 when he has been disabled, or not been admitted */
export async function assertMayDecide(tx: Tx, { id, name }: Pick<Operator, 'id' | 'name'>): Promise<void> {
  const operator = await holdOperator(tx, id);
  if (!operator || operator.disabledAt) throw noOperator(`The operator ${name} has been disabled.`);
  if (!isAdmitted(operator)) throw notAdmitted(operator);
}

/**
 * Refuses a word that an operator has given and stands behind no more. Holds the operator to the end of the transaction. An actor
 * who is no operator passes.
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

export const noOperator = (message: string): Problem => new Problem(401, 'unauthorized', message);

/** What the sandbox writes down of the operator that it makes for itself. */
export const DEMO_OPERATOR = 'demo';

/**
 * The sandbox's own operator: made once; with a new secret where the one that was written down is not his.
 * @returns whether he was made now
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
