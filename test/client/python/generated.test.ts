/** @long installs a generator of Python clients from the package registry. */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '../../../scripts/support/python';
import { type TestApi, testApi } from '../../support/api';
import { temporaryFolder, toolContext } from '../../support/servers';

/** The document serves generators of other languages: a client that openapi-python-client makes of it calls the API. */

const GENERATOR = { name: 'openapi-python-client', requirements: join(__dirname, 'requirements.txt') };
const INSTALL_MS = 300_000;

let api: TestApi;
let python: string;
let folder: string;
beforeAll(async () => {
  [api, python] = await Promise.all([testApi(), pythonWith(GENERATOR, toolContext())]);
  folder = temporaryFolder('python');
}, INSTALL_MS);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api.close();
});

it('gives a Python client without a warning, which creates a user and is told an error', async () => {
  const document = join(folder, 'openapi.json');
  writeFileSync(document, (await api.call('GET', '/openapi.json')).text);
  const { stdout, stderr } = await promisify(execFile)(python, [
    ...['-m', 'openapi_python_client', 'generate', '--fail-on-warning', '--path', document],
    ...['--config', join(__dirname, 'config.yml')],
    ...['--meta', 'none', '--output-path', join(folder, 'cardwright_client')],
  ]);
  expect(stdout + stderr).not.toMatch(/warning|error/i);

  const { clientId: ID, clientSecret: SECRET } = await api.client();
  const environment = { ...process.env, PYTHONPATH: folder, BASE_URL: api.url, ID, SECRET };
  const called = await promisify(execFile)(python, [join(__dirname, 'call.py')], { env: environment });
  expect(JSON.parse(called.stdout)).toEqual([
    expect.objectContaining({ externalId: 'ada', status: 'active' }),
    expect.objectContaining({ code: 'not_found', requestId: expect.any(String) }),
  ]);
});
