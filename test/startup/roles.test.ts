/** @long @isolated launches the product. */
import { randomBytes } from 'node:crypto';
import { createDatabase } from '../../src/kernel/db/database';
import { onServer, urlOf } from '../support/database';
import { masterKeysText } from '../support/keyring';
import { anotherOperator, command } from '../support/operator';
import { shareBundles } from '../support/product';
import { startTestTemporal } from '../support/servers';
import { until } from '../support/until';
import { killAll, START_MS, start } from './process';

/** Runs the services of docker-compose.yml by their own commands. */

const name = `roles_${randomBytes(6).toString('hex')}`;
let temporal: Awaited<ReturnType<typeof startTestTemporal>>;
let temporalRuns = false;
let environment: Record<string, string>;
/** Environment with the first operator's secret, once a schema exists. */
let decides: Record<string, string> | undefined;
beforeAll(async () => {
  await onServer(`create database ${name}`);
  temporal = await startTestTemporal();
  await shareBundles(temporal.dataDir);
  temporalRuns = true;
  environment = {
    NODE_ENV: 'production',
    MODE: 'sandbox',
    MASTER_KEYS: masterKeysText(),
    DATABASE_URL: urlOf(name),
    TEMPORAL_ADDRESS: temporal.address,
    DATA_DIR: temporal.dataDir, // has only the bundle
    DRAIN_SECONDS: '3',
    SHUTDOWN_SECONDS: '5',
  };
}, START_MS);
afterAll(async () => {
  killAll();
  await stopTemporal();
  await onServer(`drop database ${name} with (force)`);
}, START_MS);

async function stopTemporal(): Promise<void> {
  if (temporalRuns) await temporal.stop();
  temporalRuns = false;
}

async function newClient(role: 'client' | 'admin'): Promise<Record<string, string>> {
  const argv = ['client', 'create', '--name', 'Acme', '--role', role, '--json'];
  decides ??= await anotherOperator(environment, 'ida');
  const { out, err } = await command(decides, ...argv);
  expect(err).toBe('');
  const { clientId, clientSecret } = JSON.parse(out) as Record<string, string>;
  return {
    'x-client-id': clientId ?? '',
    'x-client-secret': clientSecret ?? '',
    'content-type': 'application/json',
  };
}

it(
  'migrate, api and worker do their parts, and the API continues while Temporal is down',
  async () => {
    const api = start(['--role', 'api'], environment);
    await api.until(/waiting for the schema/);
    // A migration opens no key.
    const { MASTER_KEYS: _masterKeys, ...keyless } = environment;
    const migrate = start(['--role', 'migrate'], keyless);
    expect(await migrate.ended).toBe(0);
    expect(migrate.text()).toContain('0001_kernel.sql');
    const worker = start(['--role', 'worker'], { ...environment, ADMIN_LIMIT: '10.00' });
    const [, apiPort] = await api.until(/"port":(\d+).*"started"/);
    const [, probePort] = await worker.until(/"metricsPort":(\d+).*"started"/);
    const base = `http://127.0.0.1:${apiPort}`;
    const probe = async (url: string) => {
      const response = await fetch(`${url}/health/ready`);
      return { status: response.status, body: (await response.json()) as Record<string, any> };
    };
    const workerBase = `http://127.0.0.1:${probePort}`;
    const ready = (checks: object) => ({ status: 200, body: { status: 'ok', checks } });
    expect(await probe(base)).toEqual(ready({ postgres: 'up', temporal: 'up' }));
    expect(await probe(workerBase)).toEqual(ready({ postgres: 'up', temporal: 'up', workers: 'up' }));
    expect(api.text()).not.toContain('Cardwright is ready');

    await stopTemporal();
    const admin = await newClient('admin');
    const client = await newClient('client');
    const accounts = await (await fetch(`${base}/v1/accounts`, { headers: client })).json();
    const { data } = accounts as { data: { id: string; currency: string }[] };
    const accountId = data.find(({ currency }) => currency === 'USD')?.id;
    const deposit = async (amount: string) => {
      const body = JSON.stringify({ accountId, amount, reason: 'opening' });
      const answer = await fetch(`${base}/v1/accounts/admin-deposit`, {
        method: 'POST',
        headers: admin,
        body,
      });
      return [answer.status, await answer.json()];
    };
    expect(await deposit('10.00')).toEqual([201, expect.objectContaining({ amount: '10.00' })]);
    // A setting of one process applies to all.
    expect(await deposit('0.01')).toEqual([202, { approvalId: expect.any(String) }]);
    // A balancer keeps the API, which serves without Temporal. The worker is not ready.
    await until(async () => (await probe(workerBase)).status === 503);
    expect(await probe(workerBase)).toEqual({
      status: 503,
      body: {
        code: 'unavailable',
        message: expect.stringContaining('temporal'),
        requestId: expect.any(String),
        checks: { postgres: 'up', temporal: 'down', workers: expect.any(String) },
      },
    });
    await until(async () => (await probe(base)).body.checks.temporal === 'down');
    expect(await probe(base)).toEqual(ready({ postgres: 'up', temporal: 'down' }));

    api.child.kill('SIGTERM');
    worker.child.kill('SIGTERM');
    // The API is not ready at first and still serves, so that a balancer can notice.
    await until(async () => (await probe(base)).status === 503);
    expect((await probe(base)).body.message).toBe('The process is stopping.');
    expect((await fetch(`${base}/v1/accounts`, { headers: client })).status).toBe(200);
    expect([await api.ended, await worker.ended]).toEqual([0, 0]);
    const database = createDatabase({ url: urlOf(name), poolSize: 1, name: 'test' });
    expect(await database.query('select count(*) from demo_tenants')).toEqual([{ count: '0' }]);
    await database.close();
  },
  2 * START_MS,
);
