import type { DocumentsSettings } from '../../kernel/config/config';
import { createFolderStore } from './folder';
import type { SealedStore } from './port';
import { createS3Store } from './s3';

export function createStore(settings: DocumentsSettings): SealedStore {
  return settings.kind === 's3' ? createS3Store(settings) : createFolderStore(settings.folder);
}
