import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorOf } from '../../src/desk/operators/operations';
import { type DemoCredentials, ensureDemoCredentials } from '../../src/startup/demo-credentials';
import { ensureKeyFile, readKeyFile } from '../../src/startup/key-file';
import { createAuthenticator } from '../../src/tenants/clients/authenticate';
import { findTenant } from '../../src/tenants/clients/store';
import { type TestDatabase, testDatabase } from '../support/database';
import { testKeyring } from '../support/keyring';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cardwright-startup-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const mode = (name: string) => statSync(join(dataDir, name)).mode & 0o777;

describe('the master key', () => {
  it('is created once, readable only by its owner', async () => {
    expect(await readKeyFile(dataDir, 'MASTER_KEYS')).toBeUndefined();
    const made = await ensureKeyFile(dataDir, 'MASTER_KEYS');
    expect(made).toEqual([{ kind: 'given', id: 'sandbox', key: expect.any(Buffer) }]);
    expect(mode('master.key')).toBe(0o600);
    expect(await ensureKeyFile(dataDir, 'MASTER_KEYS')).toEqual(made);
    expect(await readKeyFile(dataDir, 'MASTER_KEYS')).toEqual(made);
  });

  it('is another one for the wallets, in a file of its own', async () => {
    const signer = await ensureKeyFile(dataDir, 'SIGNER_KEYS');
    expect(mode('signer.key')).toBe(0o600);
    expect(await ensureKeyFile(dataDir, 'MASTER_KEYS')).not.toEqual(signer);
  });

  it('is not created for data with secrets that another key has sealed', async () => {
    mkdirSync(join(dataDir, 'postgres'));
    await expect(ensureKeyFile(dataDir, 'MASTER_KEYS')).rejects.toThrow(/master\.key is missing.*Restore it/);
  });

  it('is refused when it is invalid', async () => {
    writeFileSync(join(dataDir, 'master.key'), 'short');
    await expect(ensureKeyFile(dataDir, 'MASTER_KEYS')).rejects.toThrow(
      /master\.key must be a list.*Restore it/,
    );
  });
});

describe('the demo credentials', () => {
  const keyring = testKeyring();
  let test: TestDatabase;
  beforeEach(async () => {
    test = await testDatabase();
  });
  afterEach(() => test.drop());

  const ensure = (baseUrl = 'http://127.0.0.1:8080') =>
    ensureDemoCredentials({
      database: test.database,
      keyring,
      dataDir,
      baseUrl,
      temporalUi: 'http://127.0.0.1:8233',
    });
  const onDisk = () => JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as DemoCredentials;
  const works = async ({ clientId, clientSecret }: DemoCredentials['client']) =>
    typeof (await createAuthenticator(test.database, keyring)(clientId, clientSecret)) === 'object';

  it('are readable only by their owner, and authenticate a client and an operator', async () => {
    const made = await ensure();
    expect(mode('credentials.json')).toBe(0o600);
    expect(onDisk()).toEqual(made);
    expect(Object.keys(made)).toEqual(['baseUrl', 'temporalUi', 'client', 'admin', 'operator']);
    expect(await works(made.client)).toBe(true);
    expect(await works(made.admin)).toBe(true);
    expect((await findTenant(test.database, made.client.clientId))?.role).toBe('client');
    expect((await findTenant(test.database, made.admin.clientId))?.role).toBe('admin');
  });

  it('have an operator for the command line, who is audited once and renewed with the file', async () => {
    const decides = async ({ operator }: DemoCredentials) =>
      (await operatorOf(test.database, keyring, operator.operatorSecret))?.id;
    const made = await ensure();
    expect(await decides(made)).toBe(made.operator.operatorId);
    expect((await ensure()).operator).toEqual(made.operator);
    rmSync(join(dataDir, 'credentials.json'));
    const renewed = await ensure();
    expect([await decides(made), await decides(renewed)]).toEqual([undefined, made.operator.operatorId]);
    const written = await test.database.query(`select actor, action, subject from audit_log`);
    expect(written).toEqual([
      { actor: 'installation', action: 'operator.add', subject: made.operator.operatorId },
    ]);
  });

  it('are kept over restarts, with the address of the last start', async () => {
    const first = await ensure();
    const second = await ensure('http://127.0.0.1:9090');
    expect(second).toEqual({ ...first, baseUrl: 'http://127.0.0.1:9090' });
  });

  it.each([
    ['lost', () => rmSync(join(dataDir, 'credentials.json'))],
    ['invalid', () => writeFileSync(join(dataDir, 'credentials.json'), '{"client": 5')],
    [
      'of another database',
      () => writeFileSync(join(dataDir, 'credentials.json'), '{"client": {"clientId": "x"}}'),
    ],
  ])('become new secrets of the same tenants when the file is %s', async (_, damage) => {
    const first = await ensure();
    damage();
    const second = await ensure();
    expect(second.client.clientId).toBe(first.client.clientId);
    expect(second.admin.clientId).toBe(first.admin.clientId);
    expect([await works(first.client), await works(second.client)]).toEqual([false, true]);
  });

  it('are created once by processes that start together', async () => {
    const [one, other] = await Promise.all([ensure(), ensure()]);
    expect(one.client.clientId).toBe(other.client.clientId);
    const tenants = await test.database.query('select id from tenants');
    expect(tenants).toHaveLength(2);
  });
});
