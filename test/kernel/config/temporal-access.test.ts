import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/kernel/config/config';
import { testAuthority, testCertificate } from '../../support/outside/certificate';

const folder = mkdtempSync(join(tmpdir(), 'cardwright-access-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const authority = testAuthority();
const mine = authority.issue('cardwright');
const ca = file('ca.pem', authority.cert);
const cert = file('cert.pem', mine.cert);
const key = file('key.pem', mine.key);
const otherKey = file('other-key.pem', authority.issue('other').key);
const expired = file('expired.pem', testCertificate(Date.now() - 10 * 24 * 3_600_000).cert);
const apiKey = file('api-key', 'k-123\n');
const empty = file('empty', '\n');

const accessOf = (given: NodeJS.ProcessEnv) =>
  readConfig({ TEMPORAL_ADDRESS: 'temporal:7233', ...given }).temporal.access;

it('needs neither TLS nor credentials by default', () => {
  expect(accessOf({})).toEqual({});
  expect(readConfig({}).temporal.access).toEqual({});
});

it('reads certificates and keys from files', () => {
  const given = {
    TEMPORAL_TLS_CA_FILE: ca,
    TEMPORAL_TLS_CERT_FILE: cert,
    TEMPORAL_TLS_KEY_FILE: key,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
  };
  expect(accessOf(given)).toEqual({
    tls: {
      authority: Buffer.from(authority.cert),
      certificate: { chain: Buffer.from(mine.cert), key: Buffer.from(mine.key) },
      serverName: 'temporal.internal',
    },
    apiKey: undefined,
  });
});

it.each([
  ['TEMPORAL_TLS alone', { TEMPORAL_TLS: 'on' }, undefined],
  ['an API key', { TEMPORAL_API_KEY: 'k-123' }, 'k-123'],
  ['the file of an API key', { TEMPORAL_API_KEY_FILE: apiKey }, 'k-123'],
])('turns TLS on by %s', (_, given, told) => {
  expect(accessOf(given)).toEqual({ tls: {}, apiKey: told });
});

it.each([
  [{ TEMPORAL_TLS_CA_FILE: '/no/such/file' }, 'TEMPORAL_TLS_CA_FILE: /no/such/file cannot be read (ENOENT).'],
  [{ TEMPORAL_TLS_CA_FILE: key }, 'TEMPORAL_TLS_CA_FILE: must hold a certificate in PEM.'],
  [
    { TEMPORAL_TLS_CERT_FILE: cert },
    'TEMPORAL_TLS_KEY_FILE: the client certificate and its key must be given together.',
  ],
  [
    { TEMPORAL_TLS_KEY_FILE: key },
    'TEMPORAL_TLS_CERT_FILE: the client certificate and its key must be given together.',
  ],
  [
    { TEMPORAL_TLS_CERT_FILE: cert, TEMPORAL_TLS_KEY_FILE: otherKey },
    'TEMPORAL_TLS_KEY_FILE: is not the key of TEMPORAL_TLS_CERT_FILE.',
  ],
  [
    { TEMPORAL_TLS_CERT_FILE: cert, TEMPORAL_TLS_KEY_FILE: ca },
    'TEMPORAL_TLS_KEY_FILE: must hold a private key in PEM without a passphrase.',
  ],
  [{ TEMPORAL_TLS_CA_FILE: expired }, 'TEMPORAL_TLS_CA_FILE: the certificate has expired ('],
  [
    { TEMPORAL_API_KEY: 'k-123', TEMPORAL_API_KEY_FILE: apiKey },
    'TEMPORAL_API_KEY: must not be given together with TEMPORAL_API_KEY_FILE.',
  ],
  [{ TEMPORAL_API_KEY_FILE: empty }, `TEMPORAL_API_KEY_FILE: ${empty} is empty.`],
  [
    { TEMPORAL_TLS: 'off', TEMPORAL_API_KEY: 'k-123' },
    'TEMPORAL_API_KEY: must not be given with TEMPORAL_TLS=off.',
  ],
])('refuses %j by a line that names the variable', (given, line) => {
  expect(() => accessOf(given)).toThrow(line);
});

it('refuses credentials for the embedded server, and quotes no secret', () => {
  expect(() => readConfig({ TEMPORAL_API_KEY: 'k-123' })).toThrow(
    'TEMPORAL_ADDRESS: must be given with TLS.',
  );
  expect(() => readConfig({ TEMPORAL_API_KEY: 'k-123' })).not.toThrow('k-123');
});

it('refuses a live installation that does not encrypt what Temporal stores', () => {
  const live = { MODE: 'live', MASTER_KEYS: `a:${Buffer.alloc(32).toString('base64')}` };
  expect(readConfig(live).temporal.encrypt).toBe(true);
  expect(() => readConfig({ ...live, TEMPORAL_ENCRYPTION: 'off' })).toThrow(
    'TEMPORAL_ENCRYPTION: must be on with MODE=live.',
  );
});
