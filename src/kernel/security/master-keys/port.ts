/** What a sealed key of the installation is bound to: its purpose and its id. */
export interface KeyContext {
  purpose: string;
  keyId: string;
}

/** A key outside of the database. It seals the installation's keys, and nothing else. */
export interface MasterKey {
  /** Its name in the database: the id of the list, or `kms:` and the key's name at AWS KMS. */
  id: string;
  seal(key: Buffer, context: KeyContext): Promise<Buffer>;
  /** @throws Error when the value was changed, or was sealed under another key or context */
  open(sealed: Buffer, context: KeyContext): Promise<Buffer>;
}

/** The first seals, all open. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];
