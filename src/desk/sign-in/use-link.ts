import type { Tx } from '../../kernel/db/database';
import { alreadyExists, invalid, Problem } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import { addressOf, stepOfCode } from '../operators/code-generator';
import { countFailure, findLink, lockLink, type OperatorLink, saveUse } from '../operators/links';
import {
  APPLICANT,
  actorOf,
  assertStandsBehind,
  findOperator,
  findSignInSecrets,
  insertOperator,
  lockOperators,
  saveCodeGenerator,
} from '../operators/operations';
import { type SignInDeps, writeDown } from './operations';
import { endSessionsOf } from './store';

/** A one-time link as its holder sees it. */
export interface ShownLink extends Pick<OperatorLink, 'purpose' | 'name'> {
  /** Address of the new code generator, for an app. */
  codeGenerator: string;
  expiresAt: Date;
}

/** Shows what a link is for. May be repeated until the link is used. @throws Problem 404 */
export async function lookAtLink(
  { database, keyring, clock }: SignInDeps,
  token: string,
): Promise<ShownLink> {
  const link = await findLink(database, keyring.secretHashes(token), clock());
  if (!link) throw noLink();
  const { purpose, name, operatorId, totpSecret, expiresAt } = link;
  return {
    purpose,
    name,
    expiresAt,
    codeGenerator: addressOf(keyring, { id: operatorId, name }, totpSecret),
  };
}

export interface UseLink {
  token: string;
  /** For an invitation, a new secret that the operator chooses. For a new code generator, his present secret. */
  secret: string;
  /** A code of the new generator. It proves that the operator's app holds the generator. */
  code: string;
}

export interface UsedLink {
  operatorId: string;
  name: string;
  purpose: OperatorLink['purpose'];
}

/**
 * Uses a link once. An invitation makes an operator, whom another one then admits. A link for a code generator replaces
 * the former one, and ends all sessions of the operator.
 * @throws Problem 404: the link was used or has ended.
 * @throws Problem 401: the secret or the code is wrong. Ten such failures end the link.
 * @throws Problem 400: another operator has the name or the secret.
 * @throws Problem 409: the operator who gave the link was disabled since.
 */
export async function useLink(deps: SignInDeps, given: UseLink): Promise<UsedLink> {
  // A stranger's token is refused before any lock is taken.
  if (!(await findLink(deps.database, deps.keyring.secretHashes(given.token), deps.clock()))) throw noLink();
  // The refusal leaves by its value, because the transaction must keep the failure.
  const outcome = await deps.database.transaction((tx) => attempt(deps, tx, given));
  if (outcome === undefined)
    throw new Problem(401, 'unauthorized', 'The secret or the one-time code is wrong.');
  return outcome;
}

async function attempt(deps: SignInDeps, tx: Tx, given: UseLink): Promise<UsedLink | undefined> {
  const { keyring, clock } = deps;
  const at = clock();
  await lockOperators(tx);
  const link = await lockLink(tx, keyring.secretHashes(given.token), at);
  if (!link) throw noLink();
  await assertStandsBehind(tx, link.createdBy);
  const { operatorId, name, purpose, totpSecret } = link;
  const step = stepOfCode(keyring, { id: operatorId, totpSecret }, { code: given.code, at });
  const isRight =
    purpose === 'invitation' || (await hasSecret(tx, keyring, { operatorId, secret: given.secret }));
  if (step === undefined || !isRight) {
    await countFailure(tx, link);
    return undefined;
  }
  if (purpose === 'invitation') await join(tx, link, keyring.hashSecret(given.secret));
  else await endSessionsOf(tx, operatorId, at);
  await saveCodeGenerator(tx, operatorId, totpSecret, step);
  await saveUse(tx, link, at);
  const { createdBy, permissions } = link;
  if (purpose === 'invitation')
    await writeDown(tx, APPLICANT, 'operator.join', operatorId, { name, permissions, invitedBy: createdBy });
  else await writeDown(tx, actorOf(link), 'operator.renew-code', operatorId, { name, approvedBy: createdBy });
  return { operatorId, name, purpose };
}

async function hasSecret(
  tx: Tx,
  keyring: Keyring,
  { operatorId, secret }: { operatorId: string; secret: string },
): Promise<boolean> {
  const found = await findSignInSecrets(tx, operatorId);
  return found !== undefined && keyring.isHashOf(found.secretHash, secret);
}

/** Makes the operator of an invitation. The inviting operator counts as the first of two who admit. */
async function join(
  tx: Tx,
  { operatorId: id, name, permissions, createdBy }: OperatorLink,
  secretHash: Buffer,
): Promise<void> {
  if (await findOperator(tx, { name })) throw alreadyExists('An operator has or had this name.', 'name');
  const made = await insertOperator(tx, {
    id,
    name,
    createdBy,
    proposedBy: createdBy,
    permissions,
    secretHash,
  });
  if (!made) throw invalid('Choose another secret.', 'secret');
}

const noLink = (): Problem =>
  new Problem(404, 'not_found', 'There is no such link: it was used, or it has ended.');
