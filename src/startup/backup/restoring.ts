import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { RestoreWanted } from '../../installation/commands/backup';
import type { Config } from '../../kernel/config/config';
import { makeFolder } from '../../kernel/folders';
import { StartupError } from '../../kernel/startup-error';
import { claimDataDir } from '../data-dir';
import { statePathOf } from '../embedded/kept-server';
import { walFrom } from '../embedded/postgres/base-backup';
import { forget, recover } from '../embedded/postgres/recover';
import { DATABASE, type EmbeddedPostgres, startPostgres } from '../embedded/postgres/server';
import { writeState } from '../embedded/state-file';
import { readKeyFile } from '../key-file';
import { copySummed } from './copy';
import { type Manifest, PLACES, readManifest } from './manifest';

/** DATA_DIR may hold these before a restore: the keys, which are not in a backup, the signing process's memory, and documents. */
const ALLOWED = new Set(['layout', 'master.key', 'signer.key', 'allow-list.json', 'cache', 'documents']);

type RestoreConfig = Pick<Config, 'dataDir' | 'documents' | 'masterKeys' | 'databaseUrl' | 'walFolder'>;

/**
 * Restores a backup into an empty DATA_DIR, recovers the database to the end of its WAL or to `until`, and starts it.
 * @throws StartupError that says what to do; DATA_DIR then has no database
 */
export async function restoreBackup(
  config: RestoreConfig,
  { from, until, wal: archive = config.walFolder }: RestoreWanted,
): Promise<{ manifest: Manifest; server: EmbeddedPostgres }> {
  const backup = resolve(from);
  const manifest = await readManifest(backup);
  await assertEmpty(config.dataDir);
  await assertKeys(config, manifest);
  assertReachable(manifest, until, archive);
  await claimDataDir(config);
  const dataDir = resolve(config.dataDir);
  const [fresh, wal] = [join(dataDir, 'postgres.restored'), join(dataDir, 'wal.restored')];
  const password = randomBytes(24).toString('hex');
  try {
    await layOut(backup, manifest, { fresh, wal, documents: config.documents });
    if (archive !== undefined) await addArchive(resolve(archive), wal, manifest);
    const { walFolder } = config;
    await recover({ pgdata: fresh, wal, until, walFolder, password, database: DATABASE });
    await rename(fresh, join(dataDir, 'postgres'));
  } finally {
    await Promise.all([forget(fresh), forget(wal)]);
  }
  await writeState(statePathOf(dataDir, 'postgres'), { port: 0, password });
  const quiet = { info: () => undefined, warn: () => undefined };
  return { manifest, server: await startPostgres({ dataDir, log: quiet, walFolder: config.walFolder }) };
}

async function assertEmpty(dataDir: string): Promise<void> {
  const found = await readdir(dataDir).catch(() => []);
  const taken = found.find((name) => !ALLOWED.has(name));
  if (taken !== undefined)
    throw new StartupError(
      `DATA_DIR: ${dataDir} is not empty (${taken}). A restore changes no installation: name a new folder, with the keys alone.`,
    );
}

async function assertKeys({ masterKeys, dataDir }: RestoreConfig, { masterKeys: needed }: Manifest) {
  const given = masterKeys ?? (await readKeyFile(dataDir, 'MASTER_KEYS')) ?? [];
  const missing = needed.filter((id) => !given.some((key) => key.id === id));
  if (missing.length > 0)
    throw new StartupError(
      `The backup needs the master key "${missing.join('", "')}": give it in MASTER_KEYS, or copy master.key to ${dataDir}.`,
    );
}

function assertReachable({ madeAt }: Manifest, until: Date | undefined, archive: string | undefined): void {
  if (until === undefined) return;
  if (until < new Date(madeAt))
    throw new StartupError(`--until: the backup is of ${madeAt}. Name a later time, or an earlier backup.`);
  if (archive === undefined)
    throw new StartupError('--until: needs the archived WAL. Name its folder in --wal, or in WAL_FOLDER.');
}

interface Targets {
  fresh: string;
  wal: string;
  documents: Config['documents'];
}

/** Copies each file of the backup to its place, and compares it with the manifest. */
async function layOut(backup: string, { folders, files }: Manifest, targets: Targets): Promise<void> {
  const { fresh, wal, documents } = targets;
  await Promise.all([forget(fresh), forget(wal)]);
  await mkdir(fresh, { mode: 0o700 });
  await mkdir(wal, { mode: 0o700 });
  if (documents.kind === 'folder') await makeFolder('DOCUMENTS_FOLDER', documents.folder);
  for (const path of folders) await mkdir(within(fresh, path), { recursive: true, mode: 0o700 });
  for (const file of files) {
    const [place = '', ...rest] = file.path.split('/');
    const path = rest.join('/');
    const source = within(backup, file.path);
    if (place === PLACES.documents) await layDocument(source, file, documents, path);
    else await copyVerified(source, within(place === PLACES.wal ? wal : fresh, path), file);
  }
}

type Listed = Manifest['files'][number];

async function copyVerified(source: string, target: string, { path, bytes, sha256 }: Listed): Promise<void> {
  const sum = await copySummed(source, target);
  if (!sum) throw new StartupError(`The backup is damaged: ${path} is missing.`);
  if (sum.bytes !== bytes || sum.sha256 !== sha256)
    throw new StartupError(`The backup is damaged: ${path} is not as it was written.`);
}

/** A document that has survived in its store stays, because the content of a name never changes. */
async function layDocument(
  source: string,
  file: Listed,
  documents: Config['documents'],
  path: string,
): Promise<void> {
  if (documents.kind === 's3')
    throw new StartupError(
      'The backup holds documents of a folder: restore with DOCUMENTS_FOLDER, and copy them to the bucket afterwards.',
    );
  const target = within(resolve(documents.folder), path);
  const known = await stat(target).catch(() => undefined);
  if (known?.size === file.bytes) return;
  const fresh = `${target}.tmp`;
  await copyVerified(source, fresh, file);
  await rename(fresh, target);
}

/** @throws StartupError where a path of the manifest leads out of its folder */
function within(folder: string, path: string): string {
  const target = join(folder, path);
  if (relative(folder, target).startsWith('..'))
    throw new StartupError(`The backup lists a path outside: ${path}.`);
  return target;
}

/** Adds the archived WAL from the backup's begin on. A link saves the copy on the same disk. */
async function addArchive(archive: string, wal: string, { postgres: { startWal } }: Manifest): Promise<void> {
  const names = await walFrom(archive, startWal).catch(() => {
    throw new StartupError(`--wal: ${archive} cannot be read.`);
  });
  for (const name of names) {
    const target = join(wal, name);
    if (existsSync(target)) continue;
    // As root the files change their owner, which a link would do to the archive.
    const isLinked =
      process.getuid?.() !== 0 &&
      (await link(join(archive, name), target).then(
        () => true,
        () => false,
      ));
    if (!isLinked) await copySummed(join(archive, name), target);
  }
}
