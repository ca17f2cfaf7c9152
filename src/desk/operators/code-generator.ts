import { Secret, TOTP } from 'otpauth';
import type { Tx } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import { type SignInSecrets, saveCodeGenerator, useStep } from './store';

/** Codes of six digits, one each 30 s, by HMAC-SHA1 (RFC 6238): what every code generator supports. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;

const generatorOf = (secret: Secret, label: string): TOTP =>
  new TOTP({ issuer: 'Cardwright', label, secret, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS });

const sealerOf = (keyring: Keyring) => keyring.sealer('operator-totp');

/**
 * Gives the operator a new code generator, which ends the former one.
 * @returns its address for an app (`otpauth://totp/…`), which is shown once
 */
export async function giveCodeGenerator(
  tx: Tx,
  keyring: Keyring,
  { id, name }: { id: string; name: string },
): Promise<string> {
  const secret = new Secret({ size: SECRET_BYTES });
  await saveCodeGenerator(tx, id, sealerOf(keyring).seal(Buffer.from(secret.bytes), id));
  return generatorOf(secret, name).toString();
}

/** Uses a code of the operator's generator. A code works once, and for 30 s before and after its own time. */
export async function useCode(
  tx: Tx,
  keyring: Keyring,
  { id, totpSecret }: SignInSecrets,
  { code, at }: { code: string; at: Date },
): Promise<boolean> {
  if (totpSecret === null || !/^\d{6}$/.test(code)) return false;
  const bytes = sealerOf(keyring).open(totpSecret, id);
  const generator = generatorOf(new Secret({ buffer: new Uint8Array(bytes).buffer }), id);
  const delta = generator.validate({ token: code, timestamp: at.getTime(), window: 1 });
  if (delta === null) return false;
  const step = Math.floor(at.getTime() / 1000 / PERIOD_SECONDS) + delta;
  return useStep(tx, id, step);
}
