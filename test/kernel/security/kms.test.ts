/** @long */
import { openKeyring } from '../../../src/kernel/security/installation-keys';
import { createMasterKeys } from '../../../src/kernel/security/master-keys/create';
import type { MasterKey } from '../../../src/kernel/security/master-keys/port';
import { KEY_PURPOSES } from '../../../src/kernel/security/purposes';
import { testDatabase } from '../../support/database';
import { type KmsDouble, startKmsDouble } from '../../support/outside/kms-server';

let kms: KmsDouble;
const before = { ...process.env };
beforeEach(async () => {
  kms = await startKmsDouble();
  Object.assign(process.env, kms.environment);
});
afterEach(async () => {
  for (const name of Object.keys(kms.environment)) delete process.env[name];
  Object.assign(process.env, before);
  await kms.close();
});

const masterKey = (keyName = kms.keyArn): MasterKey =>
  createMasterKeys([{ kind: 'kms', id: `kms:${keyName}`, keyName }])[0];
const context = { purpose: 'documents', keyId: 'documents/1' };

it('seals and opens by AWS KMS, in signed requests that name the purpose', async () => {
  const key = Buffer.alloc(32, 1);
  const sealed = await masterKey().seal(key, context);
  expect(sealed.includes(key)).toBe(false);
  expect(await masterKey().open(sealed, context)).toEqual(key);
  const told = { application: 'cardwright', purpose: 'documents', key: 'documents/1' };
  expect(kms.calls).toEqual([
    { action: 'Encrypt', keyId: kms.keyArn, context: told },
    { action: 'Decrypt', keyId: kms.keyArn, context: told },
  ]);
});

it('opens a key only for the purpose that it was sealed for', async () => {
  const sealed = await masterKey().seal(Buffer.alloc(32, 1), context);
  await expect(masterKey().open(sealed, { ...context, purpose: 'search' })).rejects.toThrow();
});

it('opens the keys of an installation once for a process, and none for a request', async () => {
  const test = await testDatabase();
  const first = await openKeyring(test.database, [masterKey()]);
  kms.calls.splice(0);
  const second = await openKeyring(test.database, [masterKey()]);
  expect(kms.calls.map(({ action }) => action)).toEqual(KEY_PURPOSES.map(() => 'Decrypt'));
  kms.calls.splice(0);
  expect(second.hashSecret('hush', 'owner')).toEqual(first.hashSecret('hush', 'owner'));
  const sealed = first.sealer('documents').seal(Buffer.from('hush'), 'doc_1');
  expect(second.sealer('documents').open(sealed, 'doc_1').toString()).toBe('hush');
  expect(kms.calls).toEqual([]);
  await test.drop();
});

it('stops a start with the reason when KMS refuses', async () => {
  const test = await testDatabase();
  await openKeyring(test.database, [masterKey()]);
  kms.faults.push('AccessDeniedException');
  await expect(openKeyring(test.database, [masterKey()])).rejects.toThrow(
    /^The master key "kms:arn:[^"]+" does not open the installation's key [a-z-]+\/1: AccessDeniedException by the double\.$/,
  );
  const stranger = masterKey(kms.keyArn.replace(/.$/, 'x'));
  await expect(stranger.seal(Buffer.alloc(32), context)).rejects.toThrow('NotFoundException');
  await test.drop();
});

it('asks again where KMS does not answer in time', async () => {
  kms.faults.push('silent');
  expect(await masterKey().seal(Buffer.alloc(32, 1), context)).toBeInstanceOf(Buffer);
}, 20_000);

it('waits for KMS where it asks for patience', async () => {
  kms.faults.push('ThrottlingException');
  const sealed = await masterKey().seal(Buffer.alloc(32, 1), context);
  expect(await masterKey().open(sealed, context)).toEqual(Buffer.alloc(32, 1));
});
