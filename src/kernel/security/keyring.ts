import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';

/** Keys derived from the master key, one a purpose, so that none serves two. */
export interface Keyring {
  /** HMAC-SHA256 of a client secret: what credentials are compared by. */
  hashSecret(secret: string): Buffer;
  /** AES-256-GCM; `context` binds the result to its place and must be the same to open it. */
  seal(plaintext: Buffer, context: string): Buffer;
  /** @throws Error when it was sealed under another key or context, or was changed */
  open(sealed: Buffer, context: string): Buffer;
  /** 32 bytes of its own for a purpose: what is signed with it, or derived from it, serves nothing else. */
  secretFor(purpose: string): Buffer;
  /** Seals and opens with a key of its own, for a purpose that must not share one. */
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
        part.fill(0); // what is opened is the caller's alone to wipe
      }
    },
  };
}
