import { createFolderStore } from './folder';
import type { SealedStore } from './port';
import { createS3Store, type S3Settings } from './s3';

/** Where documents are kept, as the environment says. */
export type DocumentsSettings = { kind: 'folder'; folder: string } | ({ kind: 's3' } & S3Settings);

export function createStore(settings: DocumentsSettings): SealedStore {
  return settings.kind === 's3' ? createS3Store(settings) : createFolderStore(settings.folder);
}
