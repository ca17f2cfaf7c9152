import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { version } from '../../../package.json';
import type { BackupMade } from '../../installation/commands/backup';
import type { InstallationPlace } from '../../installation/session';
import { presentHead } from '../../kernel/audit/log';
import type { Config } from '../../kernel/config/config';
import { createDatabase, type Database } from '../../kernel/db/database';
import { DatabaseAway } from '../../kernel/db/faults';
import { makeFolder } from '../../kernel/folders';
import { installationKeys } from '../../kernel/security/installation-keys';
import { StartupError } from '../../kernel/startup-error';
import { filesBelow } from '../../parties/documents/folder';
import { dataFolder, inBackupMode, walFrom } from '../embedded/postgres/base-backup';
import { copySummed, sumOf } from './copy';
import { type FileSum, type Manifest, PLACES, writeManifest } from './manifest';

/**
 * Backs up the embedded Postgres and the folder of documents while the product runs.
 * @param ownerUrl address of the superuser
 * @param to folder that does not exist or is empty, outside of DATA_DIR
 * @throws StartupError that says what to do
 */
export async function backUp(
  config: Pick<Config, 'dataDir' | 'documents'>,
  { ownerUrl, away }: { ownerUrl: string } & Pick<InstallationPlace, 'away'>,
  to: string,
): Promise<BackupMade> {
  const folder = resolve(to);
  await claimEmpty(folder, config.dataDir);
  const known = await notesOf(ownerUrl).catch((error: unknown) => {
    throw error instanceof DatabaseAway ? away : error;
  });
  const files = new Map<string, FileSum>();
  const copyFile = createCopier(folder, files);
  const documents = createDocumentsCopier(config.documents, copyFile);
  const pgdata = join(resolve(config.dataDir), 'postgres');
  let folders: string[] = [];
  let madeAt = new Date();
  // Documents are copied before and after the database. A document of the copied database was stored before, and one that is
  // deleted meanwhile was copied first.
  await documents.copy();
  const postgres = await inBackupMode(
    ownerUrl,
    async () => {
      const data = await dataFolder(pgdata);
      folders = data.folders;
      for (const path of folders)
        await mkdir(join(folder, PLACES.postgres, path), { recursive: true, mode: 0o700 });
      for (const path of data.files) await copyFile(join(pgdata, path), `${PLACES.postgres}/${path}`);
    },
    async ({ startWal, stopWal }, label) => {
      madeAt = new Date();
      const wal = join(pgdata, 'pg_wal');
      for (const name of await walFrom(wal, startWal, stopWal))
        await copyFile(join(wal, name), `${PLACES.wal}/${name}`);
      const path = `${PLACES.postgres}/backup_label`;
      await writeFile(join(folder, path), label, { mode: 0o600 });
      files.set(path, { path, ...sumOf(label) });
    },
  );
  await documents.copy();
  const manifest: Manifest = {
    format: 1,
    release: version,
    madeAt: madeAt.toISOString(),
    postgres,
    ...known,
    documents: config.documents.kind === 's3' ? 'bucket' : 'folder',
    folders,
    files: [...files.values()],
  };
  await writeManifest(folder, manifest);
  return {
    folder,
    madeAt: manifest.madeAt,
    files: files.size,
    bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
    documents: config.documents.kind === 's3' ? null : documents.count(),
    masterKeys: manifest.masterKeys,
  };
}

async function claimEmpty(folder: string, dataDir: string): Promise<void> {
  if (!relative(resolve(dataDir), folder).startsWith('..'))
    throw new StartupError(`--to: ${folder} is within DATA_DIR. Name a folder on another disk.`);
  await makeFolder('--to', folder);
  if ((await readdir(folder)).length > 0)
    throw new StartupError(`--to: ${folder} is not empty. Name a new folder for each backup.`);
}

/** The manifest's notes about the installation. */
async function notesOf(url: string): Promise<Pick<Manifest, 'masterKeys' | 'auditHead'>> {
  const database = createDatabase({ url, poolSize: 1, name: 'cardwright backup' });
  try {
    return { masterKeys: await masterKeysOf(database), auditHead: await presentHead(database) };
  } finally {
    await database.close();
  }
}

const masterKeysOf = async (database: Database): Promise<string[]> => [
  ...new Set((await installationKeys(database)).map(({ sealedBy }) => sealedBy)),
];

type CopyFile = (from: string, path: string) => Promise<void>;

const createCopier =
  (folder: string, files: Map<string, FileSum>): CopyFile =>
  async (from, path) => {
    const sum = await copySummed(from, join(folder, path));
    if (sum) files.set(path, { path, ...sum });
  };

/** Copies the documents that are new since the last call. The content of a name never changes. */
function createDocumentsCopier(settings: Config['documents'], copyFile: CopyFile) {
  const copied = new Set<string>();
  return {
    count: () => copied.size,
    async copy(): Promise<void> {
      if (settings.kind === 's3') return;
      const folder = resolve(settings.folder);
      for (const path of (await filesBelow(folder)).keys()) {
        if (copied.has(path)) continue;
        await copyFile(join(folder, path), `${PLACES.documents}/${path}`);
        copied.add(path);
      }
    },
  };
}
