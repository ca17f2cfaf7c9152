import type { Readable } from 'node:stream';
import type { Sealer } from '../../kernel/security/sealer';
import type { Content } from '../../kernel/wire/file-type';

/**
 * Encrypted storage of documents. A document's bytes are bound to its tenant and id. Somebody with write access to the
 * store can destroy documents, but cannot read, change or swap them.
 */
export interface Documents {
  /**
   * Writes the whole document or nothing, and replaces an earlier one.
   * @param sealer of the person that the document is about; absent: the installation's for documents
   * @throws DocumentsAway
   */
  put(key: DocumentKey, content: Content, sealer?: Sealer): Promise<void>;
  /**
   * Gives the content as a stream, whose first portion was read and checked. A later portion that is altered, or that
   * the store fails to give, ends the stream with the same errors. The caller reads or destroys the stream.
   * @param sealer that sealed the document
   * @throws DocumentUnreadable the content is missing or altered; DocumentsAway
   */
  get(key: DocumentKey, sealer?: Sealer): Promise<Readable>;
  /** Idempotent: a missing document is no error. @throws DocumentsAway */
  delete(key: DocumentKey): Promise<void>;
}

/** Our ids, made of letters, digits and underscores only. */
export interface DocumentKey {
  tenantId: string;
  documentId: string;
}

/** A place for sealed bytes by name: a folder, or a bucket. */
export interface SealedStore {
  put(name: string, sealed: Content): Promise<void>;
  /** The bytes, which the caller begins to read at once. @returns undefined where the name has none */
  get(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  delete(name: string): Promise<void>;
  /** All names with the lengths of their sealed bytes. @throws DocumentsAway */
  list(): Promise<ReadonlyMap<string, number>>;
}

/** The store could not be reached or gave no answer. The call may be repeated. */
export class DocumentsAway extends Error {
  override name = 'DocumentsAway';
  constructor(cause: unknown) {
    super('the documents store cannot be reached', { cause });
  }
}

/** The store has no content for this tenant and id, or different bytes. */
export class DocumentUnreadable extends Error {
  override name = 'DocumentUnreadable';
  constructor(documentId: string, cause?: unknown) {
    super(`the content of ${documentId} is missing or damaged`, { cause });
  }
}
