import type { Sql } from '../../kernel/db/database';
import { alreadyExists, type FieldError, invalidFields } from '../../kernel/errors';
import { documentsForSubmission, requireKycCompleted } from '../kyc/operations';
import type { Reference } from '../reference/reference';
import type { Keys, Person, User } from '../users/operations';
import { emailHashOf, sealedEmail } from './email';
import { type CorrectedMeta, type MetaResult, validateMeta } from './fields/validate';
import { maskEmail, maskName } from './masking';
import { type CardholderDocument, type CardholderModel } from './record';
import { isEmailHeld } from './store';

/** Dependencies of the checks of a user's meta. */
export interface CardholderDeps extends Keys {
  reference: Reference;
  now(): Date;
}

/** The person that a cardholder is registered and submitted as. */
export interface Applicant {
  /** Corrected by the rules of `interface.md 2.1`. */
  person: CorrectedMeta;
  /** Documents of the user's KYC; none on a B2B BIN. */
  documents: CardholderDocument[];
}

/** The cardholder that is registered or submitted; `id` is absent before it exists. */
export interface CardholderRef {
  id?: string;
  bin: string;
  model: CardholderModel;
}

export const environmentOf = ({ reference, now }: CardholderDeps) => ({
  reference,
  today: now().toISOString().slice(0, 10),
});

/**
 * Builds an applicant from the linked user (`interface.md 2.2`). Applies the rules of 2.1. On a B2C BIN, KYC must be
 * completed, and the applicant has its documents.
 * @param user locked, so that the judged data cannot change until the end of the transaction
 * @throws Problem 400 naming the field (`ErrAlreadyExists` for the email), 412 `kyc_not_completed`, `documents_missing`
 */
export async function requireApplicant(
  sql: Sql,
  deps: CardholderDeps,
  user: Person,
  cardholder: CardholderRef,
): Promise<Applicant> {
  const person = correctedOf(validateMeta(user.meta, cardholder.model, environmentOf(deps)));
  await assertEmailFree(deps, sql, user.tenantId, cardholder, person.email ?? '');
  if (cardholder.model === 'B2B') return { person, documents: [] };
  await requireKycCompleted(sql, user.id);
  return { person, documents: await documentsForSubmission(sql, user.id, person.idType) };
}

/** @throws Problem 400 naming every wrong field */
export function correctedOf(result: MetaResult): CorrectedMeta {
  if (result.ok) return result.corrected;
  const [first, ...rest] = result.errors;
  throw invalidFields([sentence(first), ...rest.map(sentence)]);
}

const sentence = ({ field, message }: FieldError): FieldError => ({ field, message: `${message}.` });

/** Checks the email early. The unique index has the final say. @throws Problem 400 `ErrAlreadyExists` */
export async function assertEmailFree(
  keys: Keys,
  sql: Sql,
  tenantId: string,
  { id, bin }: CardholderRef,
  email: string,
): Promise<void> {
  const emailHash = emailHashOf(keys, email);
  if (await isEmailHeld(sql, { tenantId, bin, emailHash, except: id })) throw emailHeld();
}

export const emailHeld = () => alreadyExists('Another cardholder on this BIN has this email.', 'email');

const UNIQUE_VIOLATION = '23505';

/** Whether an error is the unique index's refusal of an email that another cardholder took at the same moment. */
export function isEmailConflict(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === UNIQUE_VIOLATION && constraint === 'cardholders_email_per_bin';
}

/** The fields of a person that the cardholder's record shows. */
export function recordFieldsOf(
  keys: Keys,
  user: User,
  { firstName = '', lastName = '', email = '' }: CorrectedMeta,
) {
  return {
    emailHash: emailHashOf(keys, email),
    emailSealed: sealedEmail(keys, user, email),
    maskedName: maskName(firstName, lastName),
    maskedEmail: maskEmail(email),
  };
}
