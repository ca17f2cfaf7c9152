import { requireAccount } from '../accounts/operations';
import type { Account } from '../accounts/store';
import { assertBinOpen, type Bin, requireAdmittedBin } from '../bins/operations';
import type { Sql, Tx } from '../db/database';
import { alreadyExists, conflict, invalid, notFound, precondition } from '../errors';
import { newId } from '../ids';
import { appendEvents } from '../outbox/events';
import type { Reference } from '../reference/reference';
import { assertActive, correctMeta, requireUser, type User } from '../users/operations';
import { statusChangedEvent } from './events';
import { type CorrectedMeta, validateMeta } from './meta-rules';
import { emailKey, maskName, nextStatus } from './rules';
import {
  type Cardholder,
  findCardholder,
  findCardholderOfUser,
  insertCardholder,
  isEmailHeld,
  lockRow,
} from './store';

export type { Cardholder } from './store';

export interface CreateCardholder {
  reach: string | null;
  userId: string;
  accountId: string;
  bin: string;
  idempotencyKey: string | undefined;
}

/** What the rules of a user's meta look at. */
export interface CardholderDeps {
  reference: Reference;
  now(): Date;
}

/**
 * Registers a user as a cardholder on a BIN (`interface.md 4.2`), in the order of checks of decisions part 1. The user's
 * row is held from the first step: of many calls at once one creates, the others find what it created.
 * @returns the existing cardholder, with `created: false`, when there is one
 * @throws Problem 404 user, account, bin; 400 naming the field; 412 on a B2C BIN; 409 `user_blocked`, `bin_closed`
 */
export async function createCardholder(
  tx: Tx,
  deps: CardholderDeps,
  given: CreateCardholder,
): Promise<{ cardholder: Cardholder; created: boolean }> {
  const user = await requireUser(tx, given.reach, given.userId, undefined, 'update');
  const account = await requireAccount(tx, user.tenantId, given.accountId, 'accountId');
  const bin = await requireAdmittedBin(tx, user.tenantId, given.bin, 'bin');
  assertServes(account, user, bin);
  const existing = await findCardholderOfUser(tx, user.id, bin.bin);
  if (existing) return { cardholder: existing, created: false };

  const person = await requirePerson(tx, deps, user, bin);
  assertIdentified(user, bin);
  assertActive(user);
  await assertBinOpen(tx, bin, user.id);

  await correctMeta(tx, user, person);
  const cardholder = await register(tx, user, account, bin, person);
  await appendEvents(tx, [statusChangedEvent(cardholder, null, given.idempotencyKey)]);
  return { cardholder, created: true };
}

/** The account must be one that this user's cards can be funded from. @throws Problem 400 */
function assertServes(account: Account, user: User, bin: Bin): void {
  if (account.userId !== null && account.userId !== user.id)
    throw invalid("accountId must be a master account or one of the user's own.", 'accountId');
  if (account.currency !== bin.currency)
    throw invalid(`bin must be in the account's currency, ${account.currency}.`, 'bin');
}

/** The person's data by the rules of 2.1, corrected. @throws Problem 400 naming the field */
async function requirePerson(tx: Tx, deps: CardholderDeps, user: User, bin: Bin): Promise<CorrectedMeta> {
  const today = deps.now().toISOString().slice(0, 10);
  const result = validateMeta(user.meta, bin.model, { reference: deps.reference, today });
  if (!result.ok) throw invalid(`${result.message}.`, result.field);
  const email = emailKey(result.corrected.email ?? '');
  if (await isEmailHeld(tx, user.tenantId, bin.bin, email)) throw emailHeld();
  return result.corrected;
}

/**
 * On a B2C BIN the person must have been identified, and their documents be at hand (`interface.md 4.2`).
 * @throws Problem 412 `kyc_not_completed`, `documents_missing`
 */
function assertIdentified(user: User, bin: Bin): void {
  if (bin.model === 'B2B') return;
  if (user.kycStatus !== 'completed')
    throw precondition('kyc_not_completed', "The user's KYC is not completed.");
  // Documents are kept by the KYC domain. This build has none, so no user has any.
  throw precondition('documents_missing', 'The user has no KYC documents.');
}

async function register(
  tx: Tx,
  user: User,
  account: Account,
  bin: Bin,
  person: CorrectedMeta,
): Promise<Cardholder> {
  const { firstName = '', lastName = '', email = '' } = person;
  const cardholder = await insertCardholder(tx, {
    id: newId('cardholder'),
    tenantId: user.tenantId,
    userId: user.id,
    accountId: account.id,
    bin: bin.bin,
    model: bin.model,
    status: nextStatus(null, 'created', bin.model),
    email: emailKey(email),
    maskedName: maskName(firstName, lastName),
  });
  if (!cardholder) throw emailHeld();
  return cardholder;
}

const emailHeld = () => alreadyExists('Another cardholder on this BIN has this email.', 'email');

/**
 * @param reach the tenant whose cardholders may be found, or null for every tenant's
 * @throws Problem 404, naming the field when the id came in the query or the body
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

/** A cardholder that cards may be issued to. @throws Problem 404, 409 `cardholder_not_approved` */
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

/** Holds the cardholder's row to the end of the transaction: what is counted for it is counted one at a time. */
export const lockCardholder = (tx: Tx, id: string): Promise<void> => lockRow(tx, id);
