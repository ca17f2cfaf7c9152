import { randomBytes } from 'node:crypto';
import { raw, table } from '../db/build';
import type { Sql } from '../db/database';
import { conflict } from '../errors';
import { StartupError } from '../startup-error';
import { createKeyring, type Keyring } from './keyring';
import type { KeyContext, MasterKey, MasterKeys } from './master-keys/port';
import { KEY_BYTES, KEY_PURPOSES, type KeyPurpose } from './purposes';

/** A key of the installation as the database keeps it. */
export interface InstallationKey {
  purpose: string;
  /** 1 for the first key of its purpose. */
  number: number;
  sealed: Buffer;
  /** Id of the master key that seals it. */
  sealedBy: string;
  sealedAt: Date;
  createdAt: Date;
}

const MACHINE_NOW = raw(`date_trunc('milliseconds', clock_timestamp())`);
const SEALED_AT = raw('coalesce(sealed_at, created_at) as sealed_at');
const keys = () => table('installation_keys');

/** In the order of their purposes. */
export const installationKeys = (sql: Sql): Promise<InstallationKey[]> =>
  sql.run<InstallationKey>(
    keys()
      .select('purpose', 'number', 'sealed', 'sealedBy', 'createdAt', SEALED_AT)
      .orderBy(['purpose', 'number']),
  );

/** The name of a key, in the audit log and in what its sealing is bound to: `documents/1`. */
export const keyIdOf = ({ purpose, number }: Pick<InstallationKey, 'purpose' | 'number'>): string =>
  `${purpose}/${number}`;

/**
 * Opens the installation's keys, once for the life of a process. Makes missing keys: all at the first start, and
 * after an upgrade those of new purposes. Processes that start together end with the same keys.
 * @throws StartupError naming the master key that is missing, wrong or cannot be reached
 */
export async function openKeyring(sql: Sql, masterKeys: MasterKeys): Promise<Keyring> {
  const opened = await openAll(sql, masterKeys);
  const missing = KEY_PURPOSES.filter((purpose) => !opened.has(purpose));
  if (missing.length === 0) return createKeyring(keysIn(opened));
  // The keys that exist have been opened, so these master keys are the installation's.
  await sql.run(
    keys()
      .insert(await Promise.all(missing.map((purpose) => made(purpose, masterKeys[0]))))
      .onConflict(['purpose', 'number'])
      .ignore(),
  );
  return createKeyring(keysIn(await openAll(sql, masterKeys)));
}

function keysIn(opened: ReadonlyMap<string, Buffer>) {
  return (purpose: KeyPurpose): Buffer => {
    const key = opened.get(purpose);
    if (!key) throw new Error(`there is no key of the purpose ${purpose}`);
    return key;
  };
}

async function openAll(sql: Sql, masterKeys: MasterKeys): Promise<Map<string, Buffer>> {
  const stored = await installationKeys(sql);
  return new Map(
    await Promise.all(
      stored.map(async (key): Promise<[string, Buffer]> => [key.purpose, await openKey(key, masterKeys)]),
    ),
  );
}

async function made(purpose: KeyPurpose, masterKey: MasterKey) {
  const named = { purpose, number: 1 };
  const key = randomBytes(KEY_BYTES);
  const sealed = await sealedBy(masterKey, key, contextOf(named));
  key.fill(0);
  return { ...named, sealed, sealedBy: masterKey.id };
}

async function openKey(key: InstallationKey, masterKeys: MasterKeys): Promise<Buffer> {
  const masterKey = masterKeys.find(({ id }) => id === key.sealedBy);
  if (!masterKey)
    throw new StartupError(
      `MASTER_KEYS lacks "${key.sealedBy}", which seals the installation's key ${keyIdOf(key)}. Give it after the first one.`,
    );
  return masterKey.open(key.sealed, contextOf(key)).catch((error: Error) => {
    throw new StartupError(
      `The master key "${masterKey.id}" does not open the installation's key ${keyIdOf(key)}: ${error.message}.`,
    );
  });
}

const sealedBy = (masterKey: MasterKey, key: Buffer, context: KeyContext): Promise<Buffer> =>
  masterKey.seal(key, context).catch((error: Error) => {
    throw new StartupError(`The master key "${masterKey.id}" does not seal: ${error.message}.`);
  });

const contextOf = (key: Pick<InstallationKey, 'purpose' | 'number'>): KeyContext => ({
  purpose: key.purpose,
  keyId: keyIdOf(key),
});

/**
 * Seals a key under the first master key. The key's value stays. So nothing that was sealed, hashed or linked under
 * it changes, and running processes need no restart.
 * @returns the value to store by {@link keepSealed}; undefined when the first master key seals the key already
 * @throws StartupError as {@link openKeyring}; and when the first master key cannot open what it has sealed
 */
export async function sealAnew(
  key: InstallationKey,
  masterKeys: MasterKeys,
): Promise<InstallationKey | undefined> {
  const [first] = masterKeys;
  if (key.sealedBy === first.id) return undefined;
  const opened = await openKey(key, masterKeys);
  const fresh = { ...key, sealed: await sealedBy(first, opened, contextOf(key)), sealedBy: first.id };
  const again = await openKey(fresh, masterKeys);
  const same = again.equals(opened);
  for (const copy of [opened, again]) copy.fill(0);
  if (!same) throw new StartupError(`The master key "${first.id}" opens another value than it has sealed.`);
  return fresh;
}

/** Stores a key that was sealed anew. @throws Problem 409 when another process has sealed it in the meantime */
export async function keepSealed(
  tx: Sql,
  before: InstallationKey,
  { sealed, sealedBy }: InstallationKey,
): Promise<void> {
  const stored = await tx.run<{ number: number }>(
    keys()
      .where({ purpose: before.purpose, number: before.number, sealedBy: before.sealedBy })
      .update({ sealed, sealedBy, sealedAt: MACHINE_NOW })
      .returning('number'),
  );
  if (stored.length === 0)
    throw conflict(
      'version_conflict',
      'Another command seals the keys at this moment. Repeat yours when it has ended.',
    );
}
