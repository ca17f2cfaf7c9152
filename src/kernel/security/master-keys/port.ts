/** Purpose and id of an installation's key, to which its sealing is bound. */
export interface KeyContext {
  purpose: string;
  keyId: string;
}

/** A key outside of the database, which seals the installation's keys and nothing else. */
export interface MasterKey {
  /** Name of the master key in the database: the id of the list, or `kms:` and the key's name at AWS KMS. */
  id: string;
  seal(key: Buffer, context: KeyContext): Promise<Buffer>;
  /** @throws Error when the value was changed, or was sealed under another key or context */
  open(sealed: Buffer, context: KeyContext): Promise<Buffer>;
}

/** The first seals, all open. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];
