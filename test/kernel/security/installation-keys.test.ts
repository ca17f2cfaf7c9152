import { randomBytes } from 'node:crypto';
import { installationKeys, openKeyring } from '../../../src/kernel/security/installation-keys';
import { KEY_PURPOSES } from '../../../src/kernel/security/purposes';
import { type TestDatabase, testDatabase } from '../../support/database';
import { masterKeysOf, masterKeysText } from '../../support/keyring';
import { command } from '../../support/operator';

let test: TestDatabase;
beforeEach(async () => {
  test = await testDatabase();
});
afterEach(() => test.drop());

const [old, fresh] = [randomBytes(32), randomBytes(32)];
const OLD = masterKeysText(old, 'old');
const FRESH = masterKeysText(fresh, 'fresh');
const BOTH = `${FRESH},${OLD}`;
const open = (text: string) => openKeyring(test.database, masterKeysOf(text));
const installation = (MASTER_KEYS: string, ...argv: string[]) =>
  command({ DATABASE_URL: test.url, MASTER_KEYS }, ...argv);
const sealedBy = async () => (await installationKeys(test.database)).map(({ sealedBy: id }) => id);

it('makes one key for each purpose, whichever process starts first', async () => {
  const opened = await Promise.all(Array.from({ length: 6 }, () => open(OLD)));
  expect(new Set(opened.map((keyring) => keyring.hashSecret('hush', 'owner').toString('hex'))).size).toBe(1);
  const stored = await installationKeys(test.database);
  expect(stored.map(({ purpose }) => purpose)).toEqual([...KEY_PURPOSES]);
});

it('has a key of its own for each purpose and each installation, and stores none of them open', async () => {
  const keyring = await open(OLD);
  const keys = KEY_PURPOSES.map((purpose) => keyring.secretFor(purpose as 'search').toString('hex'));
  expect(new Set(keys).size).toBe(KEY_PURPOSES.length);
  const stored = (await installationKeys(test.database)).map(({ sealed }) => sealed.toString('hex')).join();
  for (const key of [...keys, old.toString('hex')]) expect(stored).not.toContain(key);
  const other = await testDatabase();
  const elsewhere = await openKeyring(other.database, masterKeysOf(OLD));
  expect(elsewhere.hashSecret('hush', 'owner')).not.toEqual(keyring.hashSecret('hush', 'owner'));
  await other.drop();
});

it('opens nothing that was sealed for another purpose, and nothing that was moved in the database', async () => {
  const keyring = await open(OLD);
  const sealed = keyring.sealer('documents').seal(Buffer.from('hush'), 'doc_1');
  expect(() => keyring.sealer('callbacks').open(sealed, 'doc_1')).toThrow();
  expect(() => keyring.sealer('documents').open(sealed, 'doc_2')).toThrow();
  await test.database.query(
    `update installation_keys k set sealed = other.sealed from installation_keys other
      where k.purpose = 'search' and other.purpose = 'documents'`,
  );
  await expect(open(OLD)).rejects.toThrow(
    /^The master key "old" does not open the installation's key search\/1/,
  );
});

it('makes the key of a new purpose beside those that exist', async () => {
  const before = await open(OLD);
  await test.database.query(`delete from installation_keys where purpose = 'search'`);
  const after = await open(OLD);
  expect(after.secretFor('search')).not.toEqual(before.secretFor('search'));
  expect(after.hashSecret('hush', 'owner')).toEqual(before.hashSecret('hush', 'owner'));
});

it('stops the start that lacks a master key, or has another of its name, and makes no keys then', async () => {
  await open(OLD);
  await test.database.query(`delete from installation_keys where purpose = 'search'`);
  await expect(open(FRESH)).rejects.toThrow(
    /^MASTER_KEYS lacks "old", which seals .*Give it after the first one\.$/,
  );
  await expect(open(masterKeysText(fresh, 'old'))).rejects.toThrow(/^The master key "old" does not open/);
  expect(await sealedBy()).toEqual(KEY_PURPOSES.slice(1).map(() => 'old'));
});

it('seals the keys under the first master key; what was hashed and sealed under them stays', async () => {
  const before = await open(OLD);
  const sealed = before.sealer('documents').seal(Buffer.from('hush'), 'doc_1');
  const listed = await installation(BOTH, 'keys', 'list');
  expect(listed.out).toContain(`"fresh" seals 0 of ${KEY_PURPOSES.length} keys.`);
  const done = JSON.parse((await installation(BOTH, 'keys', 'rotate', '--json')).out);
  expect(done).toMatchObject({ masterKey: 'fresh', before: 0 });
  expect(done.sealed).toHaveLength(KEY_PURPOSES.length);
  const after = await open(FRESH);
  expect(after.hashSecret('hush', 'owner')).toEqual(before.hashSecret('hush', 'owner'));
  expect(after.sealer('documents').open(sealed, 'doc_1').toString()).toBe('hush');
  await expect(open(OLD)).rejects.toThrow('MASTER_KEYS lacks "fresh"');
  const told = await installation(BOTH, 'keys', 'list');
  expect(told.out).toContain('"old" may be left out of MASTER_KEYS.');
  const again = JSON.parse((await installation(FRESH, 'keys', 'rotate', '--json')).out);
  expect(again).toEqual({ masterKey: 'fresh', sealed: [], before: KEY_PURPOSES.length });
});

it('audits each key, with the names of both master keys and no value', async () => {
  await open(OLD);
  await installation(BOTH, 'keys', 'rotate');
  const audited = await test.database.query(
    `select actor, subject, after from audit_log where action = 'keys.rotate' order by subject collate "C"`,
  );
  expect(audited).toEqual(
    KEY_PURPOSES.map((purpose) => ({
      actor: 'installation',
      subject: `${purpose}/1`,
      after: { from: 'old', to: 'fresh' },
    })),
  );
});

it('goes on where a rotation was broken off', async () => {
  await open(OLD);
  await test.database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$;
     create trigger refuse before update on installation_keys for each row when (old.purpose = 'event-ids') execute function refuse()`,
  );
  const broken = await installation(BOTH, 'keys', 'rotate');
  expect(broken.code).toBe(1);
  const between = await sealedBy();
  expect([between.includes('old'), between.includes('fresh')]).toEqual([true, true]);
  await open(BOTH);
  await test.database.query('drop trigger refuse on installation_keys');
  expect((await installation(BOTH, 'keys', 'rotate')).code).toBe(0);
  expect(new Set(await sealedBy())).toEqual(new Set(['fresh']));
});

it('refuses the second of two rotations at once, and loses no key', async () => {
  await open(OLD);
  const both = await Promise.all([1, 2].map(() => installation(BOTH, 'keys', 'rotate')));
  expect(both.map(({ code }) => code).sort()).toEqual(expect.arrayContaining([0]));
  for (const { code } of both) expect([0, 4]).toContain(code);
  await open(FRESH);
});
