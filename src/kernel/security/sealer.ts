import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

/** Seals by AES-256-GCM. `context` binds the sealed value to its place; opening needs the same context. */
export interface Sealer {
  /** @returns 12 bytes of nonce, 16 of the tag, and as many as the plaintext has */
  seal(plaintext: Buffer, context: string): Buffer;
  /** @throws Error when the value was changed, or was sealed under another key or context */
  open(sealed: Buffer, context: string): Buffer;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param bytes 32 bytes */
export function createSealer(bytes: Buffer): Sealer {
  const key = createSecretKey(bytes);
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
