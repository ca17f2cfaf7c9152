import { randomBytes } from 'node:crypto';
import { anyOf } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { Permission } from '../../kernel/permissions';
import type { Keyring } from '../../kernel/security/keyring';
import type { MadeSecret } from '../../process/desk/decision';
import { newCodeGenerator } from './code-generator';
import { storedSecret } from './proofs';

/** A one-time link, by which an operator sets what he signs in by. The token is stored as a keyed hash. */
export interface OperatorLink {
  tokenHash: Buffer;
  /** An invitation makes a new operator. A link for a code generator replaces a lost one. */
  purpose: 'invitation' | 'code_generator';
  /** The id of the operator, whom the use of an invitation makes. */
  operatorId: string;
  name: string;
  permissions: Permission[];
  /** The operator who has invited, or has approved the reset. */
  createdBy: string;
  /** The new code generator, sealed under the operator's id. */
  totpSecret: Buffer;
  /** Wrong secrets and codes. */
  failures: number;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

const links = recordTable<OperatorLink>('operator_links', {});

export const LINK_MS = 24 * 3_600_000;
/** Wrong secrets and codes after which a link has ended. */
const MAX_FAILURES = 10;

/** A token of 256 bits, and its hash. */
export function newLinkToken(keyring: Keyring): MadeSecret {
  const token = randomBytes(32).toString('base64url');
  return { stored: { tokenHash: storedSecret(keyring, token).toString('base64url') }, shown: { token } };
}

export type NewLink = Pick<OperatorLink, 'purpose' | 'operatorId' | 'name' | 'permissions' | 'createdBy'>;

/**
 * Stores a link with a new code generator, which ends all former links of that name.
 * @param secret the stored form of {@link newLinkToken}
 * @param at the machine's time
 * @returns when the link ends
 */
export async function insertLink(
  tx: Tx,
  keyring: Keyring,
  { secret, at, ...given }: NewLink & { secret: object | undefined; at: Date },
): Promise<Date> {
  const expiresAt = new Date(at.getTime() + LINK_MS);
  const { tokenHash } = secret as { tokenHash: string };
  await tx.run(
    links()
      .where({ usedAt: null })
      .where('expiresAt', '>', at)
      .whereRaw('lower(name) = lower(?)', [given.name])
      .update({ expiresAt: at }),
  );
  const { purpose, operatorId, name, permissions, createdBy } = given;
  const totpSecret = newCodeGenerator(keyring, operatorId);
  const values = [purpose, operatorId, name, permissions, createdBy, totpSecret, at, expiresAt];
  await tx.query('select give_link($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
    Buffer.from(tokenHash, 'base64url'),
    ...values,
  ]);
  return expiresAt;
}

/**
 * Locks the link of a token.
 * @param hashes of the token, under every version of the key
 * @returns undefined where there is none, or it was used, or has ended
 */
export async function lockLink(
  tx: Tx,
  hashes: readonly Buffer[],
  at: Date,
): Promise<OperatorLink | undefined> {
  const found = await links.one(tx, links().where(anyOf('tokenHash', hashes)).forUpdate());
  return isOpen(found, at) ? found : undefined;
}

/** The link of a token, as {@link lockLink} finds it. */
export async function findLink(
  sql: Sql,
  hashes: readonly Buffer[],
  at: Date,
): Promise<OperatorLink | undefined> {
  const found = await links.one(sql, links().where(anyOf('tokenHash', hashes)));
  return isOpen(found, at) ? found : undefined;
}

const isOpen = (link: OperatorLink | undefined, at: Date): boolean =>
  link !== undefined && link.usedAt === null && link.failures < MAX_FAILURES && link.expiresAt > at;

export const countFailure = async (tx: Tx, { tokenHash }: OperatorLink): Promise<void> =>
  void (await tx.run(links().where({ tokenHash }).increment('failures', 1)));

/**
 * Uses a link once. An invitation makes its operator, whose inviting operator counts as the first of two who admit. A
 * link for a code generator replaces the former one.
 * @returns false where another operator has the secret
 */
export async function saveUse(
  tx: Tx,
  { token, secret, step, at }: { token: Buffer; secret: Buffer; step: number; at: Date },
): Promise<boolean> {
  const [row] = await tx.query<{ used: boolean }>('select use_link($1, $2, $3, $4) as used', [
    token,
    secret,
    step,
    at,
  ]);
  return row?.used ?? false;
}
