import { randomBytes } from 'node:crypto';
import { raw, table } from '../db/build';
import type { Sql } from '../db/database';
import type { Sign, SignValue } from '../db/lookout';
import { conflict, unavailable } from '../errors';
import { StartupError } from '../startup-error';
import { createKeyring, type Keyring, type PurposeKeys, purposeKeys } from './keyring';
import type { KeyContext, MasterKey, MasterKeys } from './master-keys/port';
import { KEY_BYTES, KEY_PURPOSES, type KeyPurpose } from './purposes';
import { markOf } from './sealer';

/** A key of the installation as the database keeps it. */
export interface InstallationKey {
  purpose: string;
  /** 1 for the first key of its purpose. */
  number: number;
  sealed: Buffer;
  /** Id of the master key that seals it. */
  sealedBy: string;
  sealedAt: Date;
  /** From then on the processes seal with it. Until then they only open with it. */
  sealingFrom: Date;
  /** Whether that time has come, by the database's clock. */
  isInForce: boolean;
  createdAt: Date;
}

const MACHINE_NOW = raw(`date_trunc('milliseconds', clock_timestamp())`);
const SEALED_AT = raw('coalesce(sealed_at, created_at) as sealed_at');
const SEALING_FROM = raw('coalesce(sealing_from, created_at) as sealing_from');
const IS_IN_FORCE = 'coalesce(sealing_from <= clock_timestamp(), true)';
const IN_FORCE = raw(`${IS_IN_FORCE} as is_in_force`);
const keys = () => table('installation_keys');

/** A process that has not read the keys for this time seals nothing, because it may have missed a renewal. */
export const LEASE_MS = 30_000;

/** Which keys there are, and which of them are in force. A keyring tells its own keys in the same form ({@link keyReader}). */
export const KEYS_SIGN: Sign = {
  name: 'keys',
  sql: `select string_agg(purpose || '/' || number || ' ' || ${IS_IN_FORCE}::text, ',' order by purpose, number) from installation_keys`,
};

/** In the order of their purposes. */
export const installationKeys = (sql: Sql): Promise<InstallationKey[]> =>
  sql.run<InstallationKey>(
    keys()
      .select('purpose', 'number', 'sealed', 'sealedBy', 'createdAt', SEALED_AT, SEALING_FROM, IN_FORCE)
      .orderBy(['purpose', 'number']),
  );

/** The name of a key, in the audit log and in what its sealing is bound to: `documents/1`. */
export const keyIdOf = ({ purpose, number }: Pick<InstallationKey, 'purpose' | 'number'>): string =>
  `${purpose}/${number}`;

/** The keyring of a process, which follows renewals. */
export interface OpenedKeyring extends Keyring {
  /** Reads the keys again. Opens new keys, and drops destroyed ones. */
  refresh(): Promise<void>;
  /**
   * Compares the installation's keys with those of the keyring. Equal keys count as read at that moment.
   * @param keys value of {@link KEYS_SIGN}
   * @param at milliseconds, by the clock of {@link openKeyring}
   * @returns false when they must be read again
   */
  confirm(keys: SignValue, at: number): boolean;
  /** From now on, nothing is sealed unless the keys were read within the last {@link LEASE_MS}. */
  demandFresh(): void;
}

/**
 * Opens the installation's keys. Makes missing keys: all at the first start, and after an upgrade those of new purposes.
 * Processes that start together end with the same keys.
 * @param now milliseconds, monotonic
 * @throws StartupError naming the master key that is missing, wrong or cannot be reached
 */
export async function openKeyring(
  sql: Sql,
  masterKeys: MasterKeys,
  now: () => number = () => performance.now(),
): Promise<OpenedKeyring> {
  const { read, told } = keyReader(sql, masterKeys);
  let readAt = now();
  let current = await read();
  const missing = KEY_PURPOSES.filter((purpose) => !current.has(purpose));
  if (missing.length > 0) {
    // The keys that exist have been opened, so these master keys are the installation's.
    const made = missing.map((purpose) => newKey({ purpose, number: 1 }, masterKeys));
    await sql.run(
      keys()
        .insert(await Promise.all(made))
        .onConflict(['purpose', 'number'])
        .ignore(),
    );
    current = await read();
  }
  let demandsFresh = false;
  const keysOf = (purpose: KeyPurpose): PurposeKeys => {
    const found = current.get(purpose);
    if (!found) throw new Error(`there is no key of the purpose ${purpose}`);
    return found;
  };
  const keyring = createKeyring(keysOf, () => {
    if (demandsFresh && now() - readAt > LEASE_MS) throw unavailable();
  });
  return {
    ...keyring,
    async refresh() {
      const at = now();
      current = await read();
      readAt = at;
    },
    confirm(keys, at) {
      const isSame = keys === told();
      if (isSame) readAt = at;
      return isSame;
    },
    demandFresh: () => void (demandsFresh = true),
  };
}

/** Reads all keys. Opens each once, so that a master key at a KMS is not asked again. */
function keyReader(sql: Sql, masterKeys: MasterKeys) {
  let opened = new Map<string, Buffer>();
  let before = { told: '', keys: new Map<string, PurposeKeys>() };
  async function read(): Promise<Map<string, PurposeKeys>> {
    const stored = await installationKeys(sql);
    const told = stored.map((key) => `${keyIdOf(key)} ${key.isInForce}`).join();
    if (told === before.told) return before.keys;
    const each = stored.map(async (key): Promise<[string, Buffer]> => {
      const id = keyIdOf(key);
      return [id, opened.get(id) ?? (await openKey(key, masterKeys))];
    });
    opened = new Map(await Promise.all(each));
    const found = new Map<string, PurposeKeys>();
    for (const purpose of new Set(stored.map((key) => key.purpose))) {
      const versions = stored.filter((key) => key.purpose === purpose).reverse();
      const [newest, ...others] = versions.map((key) => ({
        key: opened.get(keyIdOf(key)) as Buffer,
        since: key.sealingFrom,
        isInForce: key.isInForce,
      }));
      if (newest) found.set(purpose, purposeKeys([newest, ...others]));
    }
    before = { told, keys: found };
    return found;
  }
  return { read, told: () => before.told };
}

/** A new random key, sealed by the first master key. */
async function newKey(named: { purpose: KeyPurpose; number: number }, [masterKey]: MasterKeys) {
  const key = randomBytes(KEY_BYTES);
  const sealed = await sealedBy(masterKey, key, contextOf(named));
  const row = { ...named, sealed, sealedBy: masterKey.id };
  key.fill(0);
  return row;
}

/**
 * Adds the next version of a purpose's key.
 * @param leadMs until the processes seal with it
 * @throws Problem 409 when another command has added it
 */
export async function addVersion(
  tx: Sql,
  masterKeys: MasterKeys,
  { purpose, number, leadMs }: { purpose: KeyPurpose; number: number; leadMs: number },
): Promise<void> {
  const sealingFrom = raw(`date_trunc('milliseconds', clock_timestamp()) + ? * interval '1 ms'`, [leadMs]);
  const row = { ...(await newKey({ purpose, number }, masterKeys)), sealingFrom };
  const added = await tx.run(
    keys().insert(row).onConflict(['purpose', 'number']).ignore().returning('number'),
  );
  if (added.length === 0) throw anotherCommand();
}

/** Destroys the versions of a purpose's key before this one. @returns their numbers */
export async function dropVersionsBefore(
  tx: Sql,
  { purpose, number }: { purpose: KeyPurpose; number: number },
): Promise<number[]> {
  const gone = await tx.run<{ number: number }>(
    keys().where({ purpose }).where('number', '<', number).delete().returning('number'),
  );
  return gone.map((key) => key.number).sort((one, other) => one - other);
}

/** The mark of a stored key, which its values begin with. */
export async function markOfKey(key: InstallationKey, masterKeys: MasterKeys): Promise<Buffer> {
  const opened = await openKey(key, masterKeys);
  const mark = Buffer.from(markOf(opened));
  opened.fill(0);
  return mark;
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
  if (stored.length === 0) throw anotherCommand();
}

const anotherCommand = () =>
  conflict(
    'version_conflict',
    'Another command changes the keys at this moment. Repeat yours when it has ended.',
  );
