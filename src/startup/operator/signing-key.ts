import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SigningKeys } from '../../desk/cli/allow-list';
import type { PersonConfig } from '../../kernel/config/person';
import { conflict, notFound } from '../../kernel/errors';

const pathOf = ({ signingKey }: PersonConfig): string =>
  signingKey ?? join(homedir(), '.cardwright', 'signing-key.pem');

/** An operator's Ed25519 key in a file of his own, readable by him alone. */
export const signingKeys = (config: () => PersonConfig): SigningKeys => ({
  async create() {
    const file = pathOf(config());
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const text = privateKey.export({ type: 'pkcs8', format: 'pem' });
    await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw conflict('invalid_transition', `${file} is there already.`);
      throw error;
    });
    return { file, publicKey: base64Of(publicKey) };
  },
  async sign(text) {
    return sign(null, Buffer.from(text), await keyIn(pathOf(config()))).toString('base64');
  },
  async hasSigned(text, signature) {
    const key = await keyIn(pathOf(config())).catch(() => undefined);
    return (
      key !== undefined &&
      verify(null, Buffer.from(text), createPublicKey(key), Buffer.from(signature, 'base64'))
    );
  },
});

async function keyIn(file: string): Promise<KeyObject> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw notFound(`${file}: your signing key ("operator signing-key create" makes it)`);
  });
  return createPrivateKey(text);
}

/** The 32 bytes of a public key. */
function base64Of(publicKey: KeyObject): string {
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('base64');
}
