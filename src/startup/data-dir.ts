import { access, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Config } from '../kernel/config/config';
import { closeFolder, makeFolder } from '../kernel/folders';
import { PARTIES } from '../kernel/parties';
import { StartupError } from '../kernel/startup-error';
import type { StartRole } from './arguments';

/** Version of DATA_DIR's layout since 1.0.0, stored in its file `layout`. */
const LAYOUT = '1\n';

/**
 * Whether the process needs DATA_DIR. The signing process remembers the last allow-list there. An API or a worker with a database
 * and a key of its own writes only documents there. A worker's memory of commits is kept there where it can be (commit-watch.ts).
 */
function needsDataDir(role: StartRole, config: Config): boolean {
  const { dataDir, databaseUrl, masterKeys, documents, partySecrets } = config;
  if (role === 'parties')
    return !databaseUrl || !masterKeys || PARTIES.some((party) => partySecrets[party] === undefined);
  if (role === 'signer') return true;
  if (role === 'dispatcher') return false;
  return role === 'all' || (documents.kind === 'folder' && isWithin(dataDir, documents.folder));
}

const isWithin = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..');

/** Creates the folders that the process writes to. @throws StartupError for a folder that cannot be used */
export async function claimFolders(role: StartRole, config: Config): Promise<void> {
  const { dataDir, documents } = config;
  if (needsDataDir(role, config)) await claimDataDir(config);
  if (
    role !== 'parties' &&
    role !== 'signer' &&
    role !== 'dispatcher' &&
    documents.kind === 'folder' &&
    !isWithin(dataDir, documents.folder)
  )
    await makeFolder('DOCUMENTS_FOLDER', documents.folder);
}

/**
 * Marks DATA_DIR with its layout and closes it to other users, before anything is written, because it holds keys and
 * credentials. A folder that also holds other files stays open, because other users may need them.
 * @throws StartupError for a folder whose Postgres was created before 1.0.0, which stays unchanged, and for one that
 *   cannot be used
 */
export async function claimDataDir({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<void> {
  const layout = join(dataDir, 'layout');
  const claimed = await exists(layout);
  if (!claimed && databaseUrl === undefined && (await exists(join(dataDir, 'postgres'))))
    throw new StartupError(
      `${dataDir} was made by a release before 1.0.0, which this release does not read: name an empty folder in DATA_DIR.`,
    );
  await makeFolder('DATA_DIR', dataDir);
  if (claimed || (await readdir(dataDir)).length === 0) await closeFolder(dataDir);
  if (claimed) return;
  await writeFile(layout, LAYOUT).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(
      `DATA_DIR: ${dataDir} cannot be written to (${error.code}). Name a folder that this user may write to.`,
    );
  });
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
