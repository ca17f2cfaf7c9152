/**
 * Where the content of documents is kept, encrypted. A document's bytes are bound to its tenant and its id: whoever can
 * write to the store can lose them, but not read, change or exchange them.
 */
export interface Documents {
  /** Writes whole or not at all; again with the same key replaces. @throws DocumentsAway */
  put(key: DocumentKey, content: Buffer): Promise<void>;
  /** @throws DocumentUnreadable when it is not there or is not what was put, DocumentsAway */
  get(key: DocumentKey): Promise<Buffer>;
  /** What is not there is gone already. @throws DocumentsAway */
  delete(key: DocumentKey): Promise<void>;
}

/** Both are ours, with nothing in them but letters, digits and an underscore. */
export interface DocumentKey {
  tenantId: string;
  documentId: string;
}

/** A place for sealed bytes by name: a folder, or a bucket. */
export interface SealedStore {
  put(name: string, sealed: Buffer): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
  delete(name: string): Promise<void>;
}

/** The store could not be reached or gave no answer: to be tried again. */
export class DocumentsAway extends Error {
  override name = 'DocumentsAway';
  constructor(cause: unknown) {
    super('the documents store cannot be reached', { cause });
  }
}

/** The store has no such content, or other bytes than were put under this tenant and id. */
export class DocumentUnreadable extends Error {
  override name = 'DocumentUnreadable';
  constructor(documentId: string, cause?: unknown) {
    super(`the content of ${documentId} is missing or damaged`, { cause });
  }
}
