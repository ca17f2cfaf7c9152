import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StartupError } from '../../kernel/startup-error';
import { replaceFile } from '../embedded/state-file';

/** The list of a backup's files, written last: a folder without it is no backup. */
export const MANIFEST = 'manifest.json';

/** Folders of a backup: the data of Postgres, its WAL, the sealed documents. */
export const PLACES = { postgres: 'postgres', wal: 'wal', documents: 'documents' } as const;

const schema = z.object({
  format: z.literal(1),
  /** Release of the product. */
  release: z.string(),
  /** When the copy of the database was complete. A restore reaches this moment or a later one. */
  madeAt: z.iso.datetime(),
  postgres: z.object({
    version: z.string(),
    cluster: z.string(),
    timeline: z.number(),
    startLsn: z.string(),
    stopLsn: z.string(),
    startWal: z.string(),
    stopWal: z.string(),
  }),
  /** Ids of the master keys that a restore needs. The backup holds no key. */
  masterKeys: z.array(z.string()),
  /** A head of the audit log before the copy began. The restored log must hold it. */
  auditHead: z.object({ number: z.number(), hash: z.string() }),
  /** `bucket`: the documents are in S3, and the backup holds none. */
  documents: z.enum(['folder', 'bucket']),
  /** Folders of the data, with the empty ones. */
  folders: z.array(z.string()),
  /** Paths within the backup. */
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});

export type Manifest = z.infer<typeof schema>;
export type FileSum = Manifest['files'][number];

export const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  replaceFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);

/** @throws StartupError where the folder holds no whole backup of a format that this release reads */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new StartupError(`${folder} holds no whole backup: it has no ${MANIFEST}.`);
  });
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new StartupError(`${join(folder, MANIFEST)} is not the list of a backup that this release reads.`);
  }
}
