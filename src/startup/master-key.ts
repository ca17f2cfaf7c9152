import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../kernel/startup-error';

const BYTES = 32;

const keyPath = (dataDir: string) => join(dataDir, 'master.key');

/** The embedded sandbox's key, if it exists. @throws StartupError when the file has other content */
export async function readMasterKey(dataDir: string): Promise<Buffer | undefined> {
  const path = keyPath(dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartupError(`${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== BYTES) throw new StartupError(`${path} must hold ${BYTES} bytes in base64. Restore it.`);
  return key;
}

/**
 * The embedded sandbox's key. Created at the first start, readable by its owner only.
 * @throws StartupError when data exists without its key, because a new key could not open its secrets
 */
export async function ensureMasterKey(dataDir: string): Promise<Buffer> {
  const known = await readMasterKey(dataDir);
  if (known) return known;
  const path = keyPath(dataDir);
  if (existsSync(join(dataDir, 'postgres'))) {
    throw new StartupError(
      `${path} is missing, and without it the secrets in the database cannot be opened. Restore it, give the key in ` +
        `MASTER_KEY, or remove ${dataDir} to start anew (all data is lost).`,
    );
  }
  const key = randomBytes(BYTES);
  await writeFile(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}
