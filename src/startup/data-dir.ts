import { access, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Config } from '../kernel/config';
import { closeFolder, makeFolder } from '../kernel/folders';
import { PARTIES } from '../kernel/parties';
import { StartupError } from '../kernel/startup-error';
import type { StartRole } from './arguments';

/** The layout of DATA_DIR since 1.0.0, named by its file `layout`. */
const LAYOUT = '1\n';

/** An API and a worker write nothing there but documents; their bundle of workflows is kept where it can be. */
function needsDataDir(role: StartRole, config: Config): boolean {
  const { dataDir, databaseUrl, masterKey, documents, partySecrets } = config;
  if (role === 'parties')
    return !databaseUrl || !masterKey || PARTIES.some((party) => partySecrets[party] === undefined);
  return role === 'all' || (documents.kind === 'folder' && isWithin(dataDir, documents.folder));
}

const isWithin = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..');

/** Makes what the process writes to, before it writes. @throws StartupError for a folder that cannot be used */
export async function claimFolders(role: StartRole, config: Config): Promise<void> {
  const { dataDir, documents } = config;
  if (needsDataDir(role, config)) await claimDataDir(config);
  if (role !== 'parties' && documents.kind === 'folder' && !isWithin(dataDir, documents.folder))
    await makeFolder('DOCUMENTS_FOLDER', documents.folder);
}

/**
 * Marks DATA_DIR as one of this layout, before anything else writes to it, and closes it to others: it holds keys and credentials.
 * A folder that holds something else stays open, because others may have to reach that.
 * @throws StartupError for a folder whose Postgres was made before 1.0.0, which stays as it is, and for one that cannot be used
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
