import type { Tx } from '../../kernel/db/database';
import { alreadyExists, invalid, Problem } from '../../kernel/errors';
import { addressOf, stepOfCode } from '../operators/code-generator';
import { countFailure, findLink, lockLink, type OperatorLink, saveUse } from '../operators/links';
import {
  APPLICANT,
  actorOf,
  assertStandsBehind,
  findOperator,
  findSignInSecrets,
  lockOperators,
} from '../operators/operations';
import { matchingProof, proofsOf, storedSecrets } from '../operators/proofs';
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
  const link = await findLink(database, storedSecrets(keyring, token), clock());
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
  if (!(await findLink(deps.database, storedSecrets(deps.keyring, given.token), deps.clock())))
    throw noLink();
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
  const link = await lockLink(tx, storedSecrets(keyring, given.token), at);
  const token = link && matchingProof(link.tokenHash, proofsOf(keyring, given.token));
  if (!token) throw noLink();
  await assertStandsBehind(tx, link.createdBy);
  const { operatorId, name, purpose, totpSecret } = link;
  const step = stepOfCode(keyring, { id: operatorId, totpSecret }, { code: given.code, at });
  const proofs = proofsOf(keyring, given.secret);
  const secret = purpose === 'invitation' ? proofs[0] : await proofOfOperator(tx, operatorId, proofs);
  if (step === undefined || !secret) {
    await countFailure(tx, link);
    return undefined;
  }
  if (purpose === 'invitation') {
    if (await findOperator(tx, { name })) throw alreadyExists('An operator has or had this name.', 'name');
  } else await endSessionsOf(tx, operatorId, at);
  if (!(await saveUse(tx, { token, secret, step, at }))) throw invalid('Choose another secret.', 'secret');
  const { createdBy, permissions } = link;
  if (purpose === 'invitation')
    await writeDown(tx, APPLICANT, 'operator.join', operatorId, { name, permissions, invitedBy: createdBy });
  else await writeDown(tx, actorOf(link), 'operator.renew-code', operatorId, { name, approvedBy: createdBy });
  return { operatorId, name, purpose };
}

/** The proof that Postgres compares with the operator's stored secret. Undefined: the secret is wrong. */
async function proofOfOperator(
  tx: Tx,
  operatorId: string,
  proofs: readonly Buffer[],
): Promise<Buffer | undefined> {
  const found = await findSignInSecrets(tx, operatorId);
  return found && matchingProof(found.secretHash, proofs);
}

const noLink = (): Problem =>
  new Problem(404, 'not_found', 'There is no such link: it was used, or it has ended.');
