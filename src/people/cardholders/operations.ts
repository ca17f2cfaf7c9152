import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, invalid, notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { appendEvents } from '../../kernel/outbox/events';
import { assertActive, correctMeta, type Keys, requirePerson } from '../users/operations';
import { type User } from '../users/record';
import {
  type Applicant,
  type CardholderDeps,
  emailHeld,
  recordFieldsOf,
  requireApplicant,
} from './applicant';
import { statusChangedEvent } from './events';
import { type Cardholder, isUnderReview, requireTransition } from './record';
import type { CardholderServices, FundingAccount, Programme } from './services';
import { findCardholder, findCardholderOfUser, insertCardholder, lockRow } from './store';
import { startSubmission } from './workflows';

export { emailOf } from './email';
export { findFile } from './files/store';
export type { Cardholder } from './record';
export { forgetCardholders } from './store';

type Registration = Pick<
  CardholderServices,
  'commands' | 'requireAccount' | 'requireAdmittedBin' | 'assertBinOpen'
>;

export interface CreateCardholder {
  reach: string | null;
  userId: string;
  accountId: string;
  bin: string;
  idempotencyKey: string | undefined;
}

/**
 * Registers a user as a cardholder on a BIN (`interface.md 4.2`), with the checks in the order of decisions part 1.
 * Locks the user first, so that one of many concurrent calls creates the cardholder and the others find it. On a B2C
 * BIN its review begins.
 * @returns the existing cardholder, with `created: false`, when there is one
 * @throws Problem 404 user, account, bin; 400 naming the field; 412 on a B2C BIN; 409 `user_blocked`, `bin_closed`
 */
export async function createCardholder(
  tx: Tx,
  deps: CardholderDeps & Registration,
  given: CreateCardholder,
): Promise<{ cardholder: Cardholder; created: boolean }> {
  const user = await requirePerson(deps, tx, given.reach, given.userId, { lock: 'update' });
  const account = await deps.requireAccount(tx, user.tenantId, given.accountId, 'accountId');
  const bin = await deps.requireAdmittedBin(tx, user.tenantId, given.bin, 'bin');
  assertServes(account, user, bin);
  const existing = await findCardholderOfUser(tx, user.id, bin.bin);
  if (existing) return { cardholder: existing, created: false };

  const applicant = await requireApplicant(tx, deps, user, bin);
  assertActive(user);
  await deps.assertBinOpen(tx, bin, user.id);

  await correctMeta(deps, tx, user, applicant.person);
  const { idempotencyKey = null } = given;
  const cardholder = await register(deps, tx, { user, account, bin, applicant, idempotencyKey });
  await appendEvents(tx, [statusChangedEvent(cardholder, null, idempotencyKey)]);
  if (isUnderReview(cardholder.status)) deps.commands.append(tx, [startSubmission(cardholder)]);
  return { cardholder, created: true };
}

/** Ensures that the account may fund this user's cards on the BIN. @throws Problem 400 */
function assertServes(account: FundingAccount, user: User, bin: Programme): void {
  if (account.userId !== null && account.userId !== user.id)
    throw invalid("accountId must be a master account or one of the user's own.", 'accountId');
  if (account.currency !== bin.currency)
    throw invalid(`bin must be in the account's currency, ${account.currency}.`, 'bin');
}

/** @throws Problem 400 `ErrAlreadyExists` when another cardholder on the BIN got the email meanwhile */
async function register(
  keys: Keys,
  tx: Tx,
  given: {
    user: User;
    account: FundingAccount;
    bin: Programme;
    applicant: Applicant;
    idempotencyKey: string | null;
  },
): Promise<Cardholder> {
  const { user, account, bin, applicant, idempotencyKey } = given;
  const cardholder = await insertCardholder(tx, {
    id: newId('cardholder'),
    tenantId: user.tenantId,
    userId: user.id,
    accountId: account.id,
    bin: bin.bin,
    model: bin.model,
    status: requireTransition(null, bin.model === 'B2B' ? 'created_b2b' : 'created_b2c'),
    ...recordFieldsOf(keys, user, applicant.person),
    documents: applicant.documents,
    idempotencyKey,
  });
  if (!cardholder) throw emailHeld();
  return cardholder;
}

/**
 * @param reach the tenant whose cardholders may be found, or null for any tenant's
 * @param field the field of query or body that held the id, for the error
 * @throws Problem 404
 */
export async function requireCardholder(
  sql: Sql,
  reach: string | null,
  id: string,
  field?: string,
): Promise<Cardholder> {
  const cardholder = await findCardholder(sql, reach, id);
  if (!cardholder) throw notFound('cardholder', field);
  return cardholder;
}

/** A cardholder to whom cards may be issued. @throws Problem 404, 409 `cardholder_not_approved` */
export async function requireApprovedCardholder(
  sql: Sql,
  reach: string | null,
  id: string,
  field?: string,
): Promise<Cardholder> {
  const cardholder = await requireCardholder(sql, reach, id, field);
  if (cardholder.status !== 'pass_audit')
    throw conflict('cardholder_not_approved', 'The cardholder has not passed the review.', field);
  return cardholder;
}

/**
 * Locks a cardholder until the end of the transaction, so that concurrent issuances count its cards one after the
 * other.
 */
export const lockCardholder = (tx: Tx, id: string): Promise<void> => lockRow(tx, id);
