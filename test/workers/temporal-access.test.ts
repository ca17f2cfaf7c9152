/** @long */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { temporal as temporalProto } from '@temporalio/proto';
import type { TemporalAccess } from '../../src/kernel/config/temporal-access';
import { createPayloadReader } from '../../src/kernel/temporal/codec';
import { createTemporalClient, type TemporalOptions } from '../../src/kernel/temporal/connection';
import { bundle } from '../../workers/bundle';
import { startWorkers, type Workers } from '../../workers/worker';
import { type TestAuthority, testAuthority } from '../support/outside/certificate';
import { type TemporalFront, temporalFront } from '../support/outside/temporal-front';
import { inTheClear, quiet, type RealTemporal, realTemporal } from '../support/temporal';

/** A real Temporal server behind TLS that demands a client certificate, and one that demands an API key. */

const SECRET = 'a-secret-that-nobody-may-read';
const API_KEY = 'the-key-of-this-installation';
const { EVENT_TYPE_WORKFLOW_TASK_FAILED } = temporalProto.api.enums.v1.EventType;

let folder: string;
let bundlePath: string;
let temporal: RealTemporal;
let authority: TestAuthority;
let certified: TemporalFront;
let keyed: TemporalFront;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardwright-access-'));
  bundlePath = join(folder, 'workflows.js');
  await writeFile(bundlePath, await bundle(true, join(__dirname, '../workflows/support-workflows.ts')));
  temporal = await realTemporal({ encrypt: true });
  authority = testAuthority();
  const { address: server } = temporal.options;
  const certificate = authority.issue('temporal');
  certified = await temporalFront({ server, certificate, clientAuthority: authority.cert });
  keyed = await temporalFront({ server, certificate, apiKey: API_KEY });
}, 1_200_000);
afterAll(async () => {
  await certified.close();
  await keyed.close();
  await temporal.close();
  await rm(folder, { recursive: true, force: true });
});

const trusted = () => ({ authority: Buffer.from(authority.cert) });
function clientPair(by = authority) {
  const { cert, key } = by.issue('cardwright');
  return { chain: Buffer.from(cert), key: Buffer.from(key) };
}

/** Settings of a live installation. */
const liveOptions = ({ address }: TemporalFront, access: TemporalAccess): TemporalOptions => ({
  address,
  namespace: 'default',
  encrypt: true,
  refusePlain: true,
  ...access,
});

function startEcho(options: TemporalOptions, echoed: string[] = []): Workers {
  const echo = async (text: string) => {
    echoed.push(text);
    return `${text}, echoed`;
  };
  const { keyring } = temporal;
  const parts = { temporal: options, keyring, activities: { echo }, log: quiet, bundlePath };
  return startWorkers({ ...parts, dataDir: folder, shutdownSeconds: 20 });
}

async function runEcho(options: TemporalOptions, workflowId: string): Promise<string> {
  const { client, close } = createTemporalClient(options, temporal.keyring);
  try {
    return await client.workflow.execute('echoes', { workflowId, taskQueue: 'processes', args: [SECRET] });
  } finally {
    await close();
  }
}

async function absenceOf(options: TemporalOptions): Promise<string | undefined> {
  const { absence, close } = createTemporalClient(options, temporal.keyring);
  try {
    return await absence();
  } finally {
    await close();
  }
}

/** Everything that Temporal tells about a workflow. */
async function historyOf(workflowId: string): Promise<string> {
  return inTheClear(await temporal.client.workflow.getHandle(workflowId).fetchHistory());
}

it('runs a workflow by client certificates, and nothing of its data is plain in Temporal', async () => {
  const options = liveOptions(certified, { tls: { ...trusted(), certificate: clientPair() } });
  const workers = startEcho(options);
  expect(await runEcho(options, 'certified')).toBe(`${SECRET}, echoed`);
  await workers.shutdown();
  const history = await historyOf('certified');
  expect(history).toContain('binary/encrypted');
  expect(history).not.toContain(SECRET);
  expect(history).not.toContain('json/plain');
});

it('runs a workflow by an API key', async () => {
  const options = liveOptions(keyed, { tls: trusted(), apiKey: API_KEY });
  const workers = startEcho(options);
  expect(await runEcho(options, 'keyed')).toBe(`${SECRET}, echoed`);
  await workers.shutdown();
});

it.each([
  [
    'no client certificate',
    () => ({ tls: trusted() }),
    /^TEMPORAL_TLS_CERT_FILE: .* fails \(.*certificate required\)\.$/,
  ],
  [
    "a stranger's client certificate",
    () => ({ tls: { ...trusted(), certificate: clientPair(testAuthority()) } }),
    / It may refuse the certificate of TEMPORAL_TLS_CERT_FILE\.$/,
  ],
  [
    "another authority for Temporal's certificate",
    () => ({ tls: { authority: Buffer.from(testAuthority().cert), certificate: clientPair() } }),
    /^TEMPORAL_TLS_CA_FILE: .* fails \(certificate signature failure\)\.$/,
  ],
  [
    'another name',
    () => ({ tls: { ...trusted(), certificate: clientPair(), serverName: 'elsewhere.example' } }),
    /^TEMPORAL_TLS_SERVER_NAME: the TLS connection/,
  ],
  ['no TLS', () => ({}), / It may demand TLS \(TEMPORAL_TLS\)\.$/],
])('names the setting for %s', async (_, access, told) => {
  expect(await absenceOf(liveOptions(certified, access()))).toMatch(told);
});

it('names the setting for a wrong API key, and for TLS with a server that has none', async () => {
  const wrong = liveOptions(keyed, { tls: trusted(), apiKey: 'wrong' });
  expect(await absenceOf(wrong)).toMatch(/^TEMPORAL_API_KEY: Temporal at .* does not admit/);
  const plain = { address: temporal.options.address };
  const options = liveOptions(plain as TemporalFront, { tls: trusted() });
  expect(await absenceOf(options)).toMatch(/^TEMPORAL_TLS: .* fails \(wrong version number\)\.$/);
});

describe('a live installation', () => {
  let workers: Workers;
  const echoed: string[] = [];
  const options = () => liveOptions(keyed, { tls: trusted(), apiKey: API_KEY });

  beforeAll(() => {
    workers = startEcho(options(), echoed);
  });
  afterAll(() => workers.shutdown());
  beforeEach(() => {
    echoed.length = 0;
  });

  /** Starts a workflow as somebody who reaches Temporal, and waits until a worker has refused it. */
  async function refusalOf(workflowId: string, payload: object): Promise<string> {
    const connection = await Connection.connect({ address: temporal.options.address });
    const { workflow } = new Client({ connection });
    await connection.workflowService.startWorkflowExecution({
      namespace: 'default',
      workflowId,
      requestId: workflowId,
      workflowType: { name: 'echoes' },
      taskQueue: { name: 'processes' },
      input: { payloads: [payload] },
    });
    const handle = workflow.getHandle(workflowId);
    for (;;) {
      const { events } = await handle.fetchHistory();
      const failed = events?.find(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_FAILED);
      if (failed) {
        await handle.terminate();
        await connection.close();
        const { encodedAttributes } = failed.workflowTaskFailedEventAttributes?.failure ?? {};
        return openedBy(encodedAttributes ?? {});
      }
      await sleep(20);
    }
  }

  /** The words of a failure, as an operator reads them in Temporal's UI. */
  function openedBy({ metadata, data }: Payload): string {
    const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
    const named = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)]);
    const wire = { metadata: Object.fromEntries(named) as Record<string, string>, data: base64(data) };
    const [opened] = createPayloadReader(temporal.keyring)([wire]);
    return Buffer.from(opened?.data ?? '', 'base64').toString();
  }

  it('refuses a payload that was moved to another workflow', async () => {
    expect(await runEcho(options(), 'origin')).toBe(`${SECRET}, echoed`);
    echoed.length = 0;
    const { events } = await temporal.client.workflow.getHandle('origin').fetchHistory();
    const [sealed] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const told = await refusalOf('moved', sealed ?? {});
    expect(echoed).toEqual([]);
    expect(told).toContain('Temporal holds a payload of another workflow.');
    expect(await historyOf('moved')).not.toContain(SECRET);
  });

  it('refuses a plain payload', async () => {
    const metadata = { encoding: Buffer.from('json/plain') };
    const told = await refusalOf('plain', { metadata, data: Buffer.from('"forged"') });
    expect(echoed).toEqual([]);
    expect(told).toContain('Temporal holds a payload that is not encrypted.');
  });
});
