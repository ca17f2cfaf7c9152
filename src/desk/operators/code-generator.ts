import { Secret, TOTP } from 'otpauth';
import type { Tx } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import { type SignInSecrets, useStep } from './store';

/** Codes of six digits, one each 30 s, by HMAC-SHA1 (RFC 6238): what every code generator supports. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;

const generatorOf = (secret: Secret, label: string): TOTP =>
  new TOTP({ issuer: 'Cardwright', label, secret, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS });

const sealerOf = (keyring: Keyring) => keyring.sealer('operator-totp');

/** A new code generator of an operator, sealed under the operator's id. */
export const newCodeGenerator = (keyring: Keyring, id: string): Buffer =>
  sealerOf(keyring).seal(Buffer.from(new Secret({ size: SECRET_BYTES }).bytes), id);

/** The address of a code generator for an app: `otpauth://totp/…`. */
export const addressOf = (
  keyring: Keyring,
  { id, name }: { id: string; name: string },
  sealed: Buffer,
): string => generatorOf(secretIn(keyring, id, sealed), name).toString();

const secretIn = (keyring: Keyring, id: string, sealed: Buffer): Secret =>
  new Secret({ buffer: new Uint8Array(sealerOf(keyring).open(sealed, id)).buffer });

/**
 * The step of a code of the generator: its 30 s since 1970. A code is right 30 s before and after its own time, too.
 * @returns undefined for a wrong code
 */
export function stepOfCode(
  keyring: Keyring,
  { id, totpSecret }: Pick<SignInSecrets, 'id'> & { totpSecret: Buffer },
  { code, at }: { code: string; at: Date },
): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const generator = generatorOf(secretIn(keyring, id, totpSecret), id);
  const delta = generator.validate({ token: code, timestamp: at.getTime(), window: 1 });
  return delta === null ? undefined : Math.floor(at.getTime() / 1000 / PERIOD_SECONDS) + delta;
}

/** Uses a code of the operator's generator. A code works once. */
export async function useCode(
  tx: Tx,
  keyring: Keyring,
  { id, totpSecret }: SignInSecrets,
  given: { code: string; at: Date },
): Promise<boolean> {
  if (totpSecret === null) return false;
  const step = stepOfCode(keyring, { id, totpSecret }, given);
  return step !== undefined && useStep(tx, id, step);
}
