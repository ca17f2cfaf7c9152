import type { Config } from '../kernel/config/config';
import type { Machine } from '../kernel/metrics/machine';

/** Returns the folders that a process with these settings writes, and the certificates that it presents. */
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
