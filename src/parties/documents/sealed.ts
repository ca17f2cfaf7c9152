import type { Keyring } from '../../kernel/security/keyring';
import { type DocumentKey, type Documents, DocumentUnreadable, type SealedStore } from './port';

/** Documents in a store that sees nothing but sealed bytes: AES-256-GCM under a key of their own. */
export function createDocuments(store: SealedStore, keyring: Keyring): Documents {
  const sealer = keyring.sealer('documents');
  return {
    put: (key, content) => store.put(nameOf(key), sealer.seal(content, contextOf(key))),
    async get(key) {
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

/** A name in the store is a path: nothing may lead out of it. */
function nameOf({ tenantId, documentId }: DocumentKey): string {
  if (!/^\w+$/.test(tenantId) || !/^\w+$/.test(documentId)) throw new Error('not the key of a document');
  return `${tenantId}/${documentId}`;
}

const contextOf = ({ tenantId, documentId }: DocumentKey) => `document/${tenantId}/${documentId}`;
