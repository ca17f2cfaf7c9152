import { hkdfSync, randomBytes } from 'node:crypto';
import { readMasterKeys } from '../../src/kernel/config/master-keys';
import { table } from '../../src/kernel/db/build';
import type { Sql } from '../../src/kernel/db/database';
import { keyIdOf, openKeyring } from '../../src/kernel/security/installation-keys';
import { constantKeyring, type Keyring } from '../../src/kernel/security/keyring';
import { createMasterKeys } from '../../src/kernel/security/master-keys/create';
import type { MasterKeys } from '../../src/kernel/security/master-keys/port';
import { KEY_PURPOSES, type KeyPurpose } from '../../src/kernel/security/purposes';
import type { SeedKeys } from '../../src/parties/signer/seed';

/** A keyring without a database: its keys are derived from one value. */
export interface TestKeyring extends Keyring {
  root: Buffer;
}

/** @param root 32 bytes; parts of a test that are given the same have the same keys */
export const testKeyring = (root: Buffer = randomBytes(32)): TestKeyring => ({
  ...constantKeyring((purpose) => derived(root, purpose)),
  root,
});

export const isTestKeyring = (keyring: Keyring): keyring is TestKeyring => 'root' in keyring;

const derived = (root: Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', root, '', `cardwright/${purpose}`, 32));

/** The value of MASTER_KEYS with one key. */
export const masterKeysText = (key: Buffer = randomBytes(32), id = 'test'): string =>
  `${id}:${key.toString('base64')}`;

/** The master keys that a value of MASTER_KEYS names. */
export function masterKeysOf(text: string): MasterKeys {
  const { masterKeys, wrong } = readMasterKeys(text);
  if (!masterKeys) throw new Error(wrong.join());
  return createMasterKeys(masterKeys);
}

/** The keyring of an installation whose only master key this is. Makes its keys if there are none. */
export const keyringIn = (sql: Sql, masterKey: Buffer): Promise<Keyring> =>
  openKeyring(sql, masterKeysOf(masterKeysText(masterKey)));

/** Master keys of tests' databases, by the names of the databases. */
const stored = new Map<string, Buffer>();

const nameOf = async (sql: Pick<Sql, 'query'>): Promise<string> =>
  (await sql.query<{ name: string }>('select current_database() as name'))[0]?.name ?? '';

/** The master key of a database to which {@link storeTestKeys} has given keys. */
export const storedMasterKey = async (sql: Pick<Sql, 'query'>): Promise<Buffer | undefined> =>
  stored.get(await nameOf(sql));

/** Stores the keys of a test's keyring, so that a process or a command with the master key `root` opens the same ones. */
export async function storeTestKeys(sql: Sql, { root }: TestKeyring): Promise<void> {
  stored.set(await nameOf(sql), root);
  const [masterKey] = masterKeysOf(masterKeysText(root));
  const rows = KEY_PURPOSES.map(async (purpose) => {
    const named = { purpose, number: 1 };
    const context = { purpose, keyId: keyIdOf(named) };
    return {
      ...named,
      sealed: await masterKey.seal(derived(root, purpose), context),
      sealedBy: masterKey.id,
    };
  });
  await sql.run(table('installation_keys').insert(await Promise.all(rows)));
}

/** The value of SIGNER_KEYS of commands and of signers in tests. */
export const SIGNER_KEYS_TEXT = masterKeysText(Buffer.alloc(32, 9), 'signer');

/** The keys that open the seed of a test's wallets. */
export const seedKeys = (keyring: Keyring): SeedKeys => ({
  keyring,
  signerKeys: masterKeysOf(SIGNER_KEYS_TEXT),
});
