import { Readable } from 'node:stream';
import type { Keyring } from '../../kernel/security/keyring';
import { openPortions, sealedSize, sealPortions } from '../../kernel/security/sealed-portions';
import {
  type DocumentKey,
  type Documents,
  DocumentsAway,
  DocumentUnreadable,
  type SealedStore,
} from './port';

/** Encrypts documents (AES-256-GCM) before the store receives them, portion by portion. */
export function createDocuments(store: SealedStore, keyring: Keyring): Documents {
  const own = keyring.sealer('documents');
  return {
    put: (key, { size, read }, sealer = own) =>
      store.put(nameOf(key), {
        size: sealedSize(size),
        read: () => sealPortions(sealer, contextOf(key), read()),
      }),
    async get(key, sealer = own) {
      const sealed = await store.get(nameOf(key));
      if (!sealed) throw new DocumentUnreadable(key.documentId);
      return begun(checked(key, openPortions(sealer, contextOf(key), reached(sealed))));
    },
    delete: (key) => store.delete(nameOf(key)),
  };
}

/** The stream of the portions, once the first of them was read. */
async function begun(portions: AsyncGenerator<Buffer>): Promise<Readable> {
  const first = await portions.next();
  const stream = Readable.from(
    (async function* () {
      if (!first.done) yield first.value;
      yield* portions;
    })(),
  );
  // Ends the reading from the store, also where the stream is destroyed before anybody has read it.
  stream.once('close', () => void portions.return(undefined).catch(() => undefined));
  return stream;
}

/** Every failure of the store is `DocumentsAway`. */
async function* reached(sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* sealed;
  } catch (error) {
    throw new DocumentsAway(error);
  }
}

/** Every other failure is `DocumentUnreadable`. */
async function* checked({ documentId }: DocumentKey, opened: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* opened;
  } catch (error) {
    throw error instanceof DocumentsAway ? error : new DocumentUnreadable(documentId, error);
  }
}

/** A name in the store is a path, so the ids may not lead out of the folder. */
export function nameOf({ tenantId, documentId }: DocumentKey): string {
  if (!/^\w+$/.test(tenantId) || !/^\w+$/.test(documentId)) throw new Error('not the key of a document');
  return `${tenantId}/${documentId}`;
}

const contextOf = ({ tenantId, documentId }: DocumentKey) => `document/${tenantId}/${documentId}`;
