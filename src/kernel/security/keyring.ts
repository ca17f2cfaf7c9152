import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';

/** Keys derived from the master key, one per purpose, so that no key serves two. */
export interface Keyring {
  /** HMAC-SHA256 of a client secret, by which credentials are compared. */
  hashSecret(secret: string): Buffer;
  /** Encrypts by AES-256-GCM. `context` binds the ciphertext to its place; opening needs the same context. */
  seal(plaintext: Buffer, context: string): Buffer;
  /** @throws Error when the ciphertext was changed, or was sealed under another key or context */
  open(sealed: Buffer, context: string): Buffer;
  /** Derives 32 bytes for one purpose, for signing or further derivation. */
  secretFor(purpose: string): Buffer;
  /** Seals and opens with a separate key for a purpose. */
  sealer(purpose: string): Pick<Keyring, 'seal' | 'open'>;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

export function createKeyring(masterKey: Buffer): Keyring {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `cardwright/${purpose}`, 32));
  const hashing = createSecretKey(derive('credential-hash'));
  return {
    hashSecret: (secret) => createHmac('sha256', hashing).update(secret).digest(),
    ...sealerWith(derive('seal')),
    secretFor: (purpose) => derive(`secret/${purpose}`),
    sealer: (purpose) => sealerWith(derive(purpose)),
  };
}

function sealerWith(key: Buffer): Pick<Keyring, 'seal' | 'open'> {
  return {
    seal(plaintext, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const part = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([part, decipher.final()]);
      } finally {
        part.fill(0); // wipes the intermediate copy; the caller wipes the result
      }
    },
  };
}
