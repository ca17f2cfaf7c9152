import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { audit } from '../../kernel/audit/audit';
import type { Database, Tx } from '../../kernel/db/database';
import { forbidden, Problem } from '../../kernel/errors';
import { madeAt, newId } from '../../kernel/ids';
import type { Permission } from '../../kernel/permissions';
import { isEqual } from '../../kernel/security/is-equal';
import type { Keyring } from '../../kernel/security/keyring';
import { useCode } from '../operators/code-generator';
import { actorOf, isAdmitted, notAdmitted, signInOf } from '../operators/operations';
import { matchingProof, proofsOf, storedProof, storedSecret } from '../operators/proofs';
import type { Transport } from './record';
import { FORGOTTEN_MS, isLive, type SignInRules, waitOf } from './rules';
import {
  deleteFailures,
  deleteOldFailures,
  findFailures,
  findSession,
  insertSession,
  lockAttempts,
  saveEnd,
  saveFailures,
  saveSeen,
} from './store';

export interface SignInDeps {
  database: Database;
  keyring: Keyring;
  mode: 'sandbox' | 'live';
  signInRules: SignInRules;
  /** The machine's time, which the sandbox's clock does not move. */
  clock(): Date;
}

export interface SignIn {
  name: string;
  secret: string;
  code?: string | undefined;
  transport: Transport;
  address: string;
}

/** A new session, with its token, which is shown once. */
export interface SignedIn {
  id: string;
  token: string;
  /** For unsafe requests of a browser, in the header `x-csrf-token`. */
  csrfToken: string;
  name: string;
  permissions: Permission[];
}

type Refused = { problem: Problem };

/**
 * Begins a session. Failures are counted and audited with their address, and slowed after five in a row.
 * @throws Problem 401 without telling which part was wrong; 403 before admission, and live without a code generator;
 *   429 with the wait
 */
export async function signIn(deps: SignInDeps, given: SignIn): Promise<SignedIn> {
  // The refusal leaves by its value, because the transaction must keep the failure.
  const outcome = await deps.database.transaction((tx) => attempt(deps, tx, given));
  if ('problem' in outcome) throw outcome.problem;
  return outcome;
}

async function attempt(deps: SignInDeps, tx: Tx, given: SignIn): Promise<SignedIn | Refused> {
  const { keyring, mode, clock, signInRules } = deps;
  const { secret, code, transport, address } = given;
  const found = await signInOf(tx, given.name);
  const name = found ? given.name.toLowerCase() : unknownName(keyring, given.name);
  await lockAttempts(tx, name, address);
  const at = clock();
  const before = await failuresOf(tx, name, address, at);
  const wait = waitOf(before, at, signInRules);
  if (wait > 0) return { problem: tooMany(wait) };
  const proof = matchingProof(found?.secrets.secretHash ?? NOBODY, proofsOf(keyring, secret));
  if (!found || !proof || found.operator.disabledAt !== null)
    return failed(tx, { name, address, before, at });
  const { operator, secrets } = found;
  if (secrets.totpSecret !== null && !(await useCode(tx, keyring, secrets, { code: code ?? '', at })))
    return failed(tx, { name, address, before, at });
  if (!isAdmitted(operator)) return { problem: new Problem(403, 'forbidden', notAdmitted(operator).message) };
  if (mode === 'live' && secrets.totpSecret === null)
    return {
      problem: forbidden('This installation demands a code generator, which this operator does not have.'),
    };
  await deleteFailures(tx, name, address);
  const token = randomBytes(32).toString('base64url');
  const tokenHash = storedSecret(keyring, token);
  const id = newId('session');
  const { id: operatorId } = operator;
  await insertSession(
    tx,
    { id, operatorId, tokenHash, transport, address, createdAt: at },
    {
      proof,
      storedNow: storedSecret(keyring, secret),
    },
  );
  await writeDown(tx, actorOf(operator), 'session.begin', id, { address, transport });
  const { name: shown, permissions } = operator;
  return { id, token, csrfToken: csrfOf(keyring, { id, tokenHash }), name: shown, permissions };
}

/** Stands for a name that no operator has. It may be a secret in the wrong field, so the name itself is not stored. */
const unknownName = (keyring: Keyring, name: string): string => {
  const digest = createHmac('sha256', keyring.secretFor('search')).update(`desk ${name.toLowerCase()}`);
  return `unknown:${digest.digest('hex').slice(0, 16)}`;
};

/** Compared with the given secret where there is no such operator, so that the time tells nothing. */
const NOBODY = Buffer.alloc(36);

async function failuresOf(tx: Tx, name: string, address: string, at: Date) {
  const found = await findFailures(tx, name, address);
  const counts = found && found.failedAt.getTime() + FORGOTTEN_MS > at.getTime();
  return counts ? found : { failures: 0, failedAt: at };
}

async function failed(
  tx: Tx,
  { name, address, before, at }: { name: string; address: string; before: { failures: number }; at: Date },
): Promise<Refused> {
  const failures = before.failures + 1;
  await saveFailures(tx, { name, address, failures, failedAt: at });
  await deleteOldFailures(tx, new Date(at.getTime() - FORGOTTEN_MS));
  await writeDown(tx, 'desk', 'session.refuse', name, { address, failures });
  return { problem: new Problem(401, 'unauthorized', 'Name, secret or one-time code is wrong or missing.') };
}

const tooMany = (wait: number): Problem => {
  const seconds = Math.ceil(wait / 1000);
  return new Problem(
    429,
    'rate_limited',
    `Too many failures: try again in ${seconds} s.`,
    undefined,
    seconds,
  );
};

/** A token for forms, which nobody can derive who does not hold the session's cookie and the installation's key. */
const csrfOf = (keyring: Keyring, { id, tokenHash }: { id: string; tokenHash: Buffer }): string =>
  createHmac('sha256', keyring.secretFor('desk-csrf', madeAt(id)))
    .update(tokenHash)
    .digest('base64url');

/** The operator of a session. */
export interface SignedInOperator {
  sessionId: string;
  /** `operator:<name>`. */
  actor: string;
  name: string;
  permissions: Permission[];
  /** Proof of the session, for decisions. */
  session: Buffer;
  transport: Transport;
  csrfToken: string;
}

/** How long the moment of the last request may be behind, so that not every request writes. */
const SEEN_MS = 10_000;

/** The credentials of a session in a request. */
export interface GivenSession {
  token: string;
  transport: Transport;
  /** The CSRF token of a request that changes something. Absent: the request changes nothing. */
  csrfToken?: string | undefined;
  /** A page asked by itself, so that the session's rest goes on. */
  isAutomatic?: boolean;
}

/**
 * The operator of a live session. The rest of the session begins anew.
 * @throws Problem 401; 403 where a browser's request has not the right CSRF token
 */
export async function operatorOfSession(
  { database, keyring, clock, signInRules }: SignInDeps,
  { token, transport, csrfToken, isAutomatic = false }: GivenSession,
): Promise<SignedInOperator> {
  const proofs = proofsOf(keyring, token);
  const found = await findSession(database, proofs.map(storedProof));
  const at = clock();
  const session = found && matchingProof(found.tokenHash, proofs);
  if (!session || found.transport !== transport || !isLive(found, at, signInRules)) throw noSession();
  const { id: sessionId, operator, tokenHash, seenAt } = found;
  if (operator.disabledAt !== null || !isAdmitted(operator)) throw noSession();
  const right = csrfOf(keyring, { id: sessionId, tokenHash });
  if (transport === 'cookie' && csrfToken !== undefined && !isEqual(csrfToken, right))
    throw forbidden('The CSRF token (x-csrf-token) is missing or wrong.');
  if (!isAutomatic && at.getTime() - seenAt.getTime() > SEEN_MS) await saveSeen(database, sessionId, at);
  const { name, permissions } = operator;
  return { sessionId, actor: actorOf(operator), name, permissions, session, transport, csrfToken: right };
}

export const noSession = (): Problem =>
  new Problem(401, 'unauthorized', 'Sign in: there is no session, or it has ended.');

/** Ends a session. Idempotent. */
export async function endSession(
  tx: Tx,
  { sessionId, actor }: Pick<SignedInOperator, 'sessionId' | 'actor'>,
  at: Date,
): Promise<void> {
  await saveEnd(tx, sessionId, at);
  await writeDown(tx, actor, 'session.end', sessionId, undefined);
}

/** Writes what an operator did with his own access to the audit log. */
export function writeDown(
  tx: Tx,
  actor: string,
  action: string,
  subject: string,
  after: object | undefined,
): Promise<void> {
  const caller = { tenantId: actor, role: 'admin' } as const;
  return audit(tx, { caller, requestId: randomUUID(), action, subject, tenantId: null, after });
}
