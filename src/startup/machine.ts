import type { Config } from '../kernel/config/config';
import type { Machine } from '../kernel/metrics/machine';

/** What a process of these settings writes and presents. */
export function machineOf({
  dataDir,
  documents,
  temporal,
}: Pick<Config, 'dataDir' | 'documents' | 'temporal'>): Machine {
  const certificate = temporal.access.tls?.certificate?.chain;
  return {
    folders: { data: dataDir, ...(documents.kind === 'folder' && { documents: documents.folder }) },
    certificates: certificate ? { temporal: certificate } : {},
  };
}
