import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto';

/** Seals by AES-256-GCM. `context` binds the sealed value to its place; opening needs the same context. */
export interface Sealer {
  /** @returns 4 bytes of the key's mark, 12 of nonce, 16 of the tag, and as many as the plaintext has */
  seal(plaintext: Buffer, context: string): Buffer;
  /** @throws Error when the value was changed, or was sealed under another key or context */
  open(sealed: Buffer, context: string): Buffer;
}

/** Length of the mark of a key, with which sealed values and keyed hashes begin. */
export const MARK_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** How much longer a sealed value is than its plaintext. */
export const SEAL_BYTES = MARK_BYTES + IV_BYTES + TAG_BYTES;

/** The mark of a key, which every value under it begins with. The mark tells nothing of the key. */
export const markOf = (key: Buffer): Buffer =>
  createHmac('sha256', key).update('cardwright/mark').digest().subarray(0, MARK_BYTES);

/** HMAC-SHA256 of texts under a key, behind the mark of the key. @param bytes 32 bytes */
export function createHasher(bytes: Buffer): (text: string) => Buffer {
  const mark = markOf(bytes);
  const key = createSecretKey(bytes);
  return (text) => Buffer.concat([mark, createHmac('sha256', key).update(text).digest()]);
}

/** Versions of a key, 32 bytes each. The first seals, all open. */
export type KeyVersions = readonly [Buffer, ...Buffer[]];

export function createSealer(versions: KeyVersions): Sealer {
  const keys = versions.map((bytes) => ({ mark: markOf(bytes), key: createSecretKey(bytes) }));
  const [first] = keys as [(typeof keys)[number], ...typeof keys];
  return {
    seal(plaintext, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first.key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([first.mark, iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const mark = sealed.subarray(0, MARK_BYTES);
      const found = keys.find((each) => each.mark.equals(mark));
      if (!found) throw new Error('the value was sealed under another key');
      const tagAt = MARK_BYTES + IV_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', found.key, sealed.subarray(MARK_BYTES, tagAt), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(tagAt, SEAL_BYTES));
      const part = decipher.update(sealed.subarray(SEAL_BYTES));
      try {
        return Buffer.concat([part, decipher.final()]);
      } finally {
        part.fill(0); // wipes the intermediate copy; the caller wipes the result
      }
    },
  };
}
