import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MasterKeySettings, readMasterKeys } from '../kernel/config/master-keys';
import { StartupError } from '../kernel/startup-error';

const BYTES = 32;
/** Id of the key that the embedded sandbox makes. */
const ID = 'sandbox';

/** A list of keys, and the file of DATA_DIR that holds it where the embedded sandbox makes it. */
const FILES = { MASTER_KEYS: 'master.key', SIGNER_KEYS: 'signer.key' } as const;
export type KeyList = keyof typeof FILES;

export const keyPath = (dataDir: string, list: KeyList): string => join(dataDir, FILES[list]);

/**
 * The embedded sandbox's keys, if they exist. The file holds what the variable of the environment would.
 * @throws StartupError when the file has other content
 */
export async function readKeyFile(dataDir: string, list: KeyList): Promise<MasterKeySettings | undefined> {
  const path = keyPath(dataDir, list);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartupError(`${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  const { masterKeys, wrong } = readMasterKeys(text);
  if (!masterKeys) throw new StartupError(`${path} ${wrong.join(', and ')}. Restore it.`);
  return masterKeys;
}

/**
 * The embedded sandbox's keys. One is created at the first start, readable by its owner only.
 * @throws StartupError when data exists without its key, because a new key could not open its secrets
 */
export async function ensureKeyFile(dataDir: string, list: KeyList): Promise<MasterKeySettings> {
  const known = await readKeyFile(dataDir, list);
  if (known) return known;
  const path = keyPath(dataDir, list);
  if (existsSync(join(dataDir, 'postgres'))) {
    throw new StartupError(
      `${path} is missing, and without it the secrets in the database cannot be opened. Restore it, give the key in ` +
        `${list}, or remove ${dataDir} to start anew (all data is lost).`,
    );
  }
  const key = randomBytes(BYTES);
  await writeFile(path, `${ID}:${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  return [{ kind: 'given', id: ID, key }];
}
