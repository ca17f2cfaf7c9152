import type { Keyring } from '../../kernel/security/keyring';
import { type DocumentKey, type Documents, DocumentUnreadable, type SealedStore } from './port';

/** Encrypts documents (AES-256-GCM) before the store receives them. */
export function createDocuments(store: SealedStore, keyring: Keyring): Documents {
  const own = keyring.sealer('documents');
  return {
    put: (key, content, sealer = own) => store.put(nameOf(key), sealer.seal(content, contextOf(key))),
    async get(key, sealer = own) {
      const sealed = await store.get(nameOf(key));
      if (!sealed) throw new DocumentUnreadable(key.documentId);
      try {
        return sealer.open(sealed, contextOf(key));
      } catch (error) {
        throw new DocumentUnreadable(key.documentId, error);
      }
    },
    delete: (key) => store.delete(nameOf(key)),
  };
}

/** A name in the store is a path, so the ids may not lead out of the folder. */
function nameOf({ tenantId, documentId }: DocumentKey): string {
  if (!/^\w+$/.test(tenantId) || !/^\w+$/.test(documentId)) throw new Error('not the key of a document');
  return `${tenantId}/${documentId}`;
}

const contextOf = ({ tenantId, documentId }: DocumentKey) => `document/${tenantId}/${documentId}`;
