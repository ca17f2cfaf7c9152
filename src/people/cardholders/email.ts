import { createHmac } from 'node:crypto';
import type { Sql } from '../../kernel/db/database';
import { EMAIL_CONTEXT } from '../../kernel/security/sealed-columns';
import { type Keys, requireUser, type User, userSealer } from '../users/operations';
import { emailKey } from './masking';
import type { Cardholder } from './record';

/** The keyed hash by which emails are compared and found. */
export const emailHashOf = ({ keyring }: Keys, email: string): Buffer =>
  createHmac('sha256', keyring.secretFor('search'))
    .update(`${EMAIL_CONTEXT} ${emailKey(email)}`)
    .digest();

export const sealedEmail = (keys: Keys, user: User, email: string): Buffer =>
  userSealer(keys, user).seal(Buffer.from(emailKey(email)), EMAIL_CONTEXT);

/** A cardholder's email. Empty where there is none, and once the person was erased. */
export async function emailOf(
  keys: Keys,
  sql: Sql,
  { userId, emailSealed }: Pick<Cardholder, 'userId' | 'emailSealed'>,
): Promise<string> {
  if (userId === null || emailSealed === null) return '';
  const user = await requireUser(sql, null, userId);
  return user.dataKey === null ? '' : userSealer(keys, user).open(emailSealed, EMAIL_CONTEXT).toString();
}
