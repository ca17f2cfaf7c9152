import { readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchTenant, openServices, tenantWithCards } from './fixtures';
import { answerPlan, runInOwnProcess } from './own-process';
import { openBench, startCardApi } from './servers';

const UPLOADS = 20;
const FILE_BYTES = 10 * 1024 * 1024;
const ROUNDS = 3;
/** Between two requests of the other tenant, in milliseconds. */
const PAUSE_MS = 2;
const BOUNDARY = 'bench-uploads';

interface UploadPlan {
  port: number;
  tenant: Pick<BenchTenant, 'clientId' | 'clientSecret'>;
  /** Users who get an upload each. */
  users: string[];
}

interface UploadResult {
  seconds: number;
  statuses: Record<string, number>;
}

/**
 * Measures twenty uploads of 10 MiB at once: the resident memory of the API above its idle state, and the time of
 * another tenant's `GET /v1/accounts` meanwhile. The files come from a process of their own.
 */
export async function benchUploads(): Promise<void> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const [uploading, other] = [await tenantWithCards(services, 0), await tenantWithCards(services, 0)];
    const api = await startCardApi(bench, 'warn');
    const plan = { port: api.port, tenant: uploading, users: await usersOf(api.port, uploading) };
    const quiet = await askedUntil(api.port, other, sleep(3_000));
    await runUploads({ ...plan, users: plan.users.slice(0, 2) }); // warm-up
    await sleep(2_000);
    const idle = await memoryOf(api.pid, 'VmRSS'); // once, because a process gives little memory back
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await sleep(1_000);
      await writeFile(`/proc/${api.pid}/clear_refs`, '5'); // resets the peak
      const uploads = runUploads(plan);
      const asked = await askedUntil(api.port, other, uploads);
      const { seconds, statuses } = await uploads;
      const peak = await memoryOf(api.pid, 'VmHWM');
      rounds.push({
        uploads: JSON.stringify(statuses),
        seconds: seconds.toFixed(1),
        'idle MiB': idle,
        'peak above it MiB': peak - idle,
        ...asked,
      });
    }
    console.table([{ uploads: 'none', ...quiet }, ...rounds]);
    await api.stop();
    await services.database.close();
  } finally {
    await bench.close();
  }
}

const headersOf = ({ clientId, clientSecret }: UploadPlan['tenant']) => ({
  'x-client-id': clientId,
  'x-client-secret': clientSecret,
});

async function usersOf(port: number, tenant: BenchTenant): Promise<string[]> {
  const made = Array.from({ length: UPLOADS }, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/users`, {
      method: 'POST',
      headers: { ...headersOf(tenant), 'content-type': 'application/json' },
      body: '{}',
    });
    return ((await answer.json()) as { id: string }).id;
  });
  return Promise.all(made);
}

/** In MiB, of the process's state as Linux shows it. */
async function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024);
}

/** Asks for the tenant again and again, over one connection, until `end`. */
async function askedUntil(port: number, tenant: BenchTenant, end: Promise<unknown>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ended = end.then(() => true);
  const times: number[] = [];
  for (;;) {
    const began = performance.now();
    await answered(agent, port, tenant);
    times.push(performance.now() - began);
    if (await Promise.race([ended, sleep(PAUSE_MS, false)])) break;
  }
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(0);
  return { asked: times.length, 'p50 ms': at(0.5), 'p99 ms': at(0.99), 'max ms': at(0.999_999) };
}

function answered(agent: Agent, port: number, tenant: BenchTenant): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({
      agent,
      host: '127.0.0.1',
      port,
      path: '/v1/accounts',
      headers: headersOf(tenant),
    });
    sent.once('error', reject).once('response', (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`GET /v1/accounts: ${answer.statusCode}`));
      answer.once('end', resolve).resume();
    });
    sent.end();
  });
}

const runUploads = (plan: UploadPlan) => runInOwnProcess<UploadPlan, UploadResult>(__filename, plan);

/** A form with a JPEG of 10 MiB. */
function formBytes(): Buffer {
  const part = (name: string) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}`;
  const file = Buffer.alloc(FILE_BYTES, 7);
  Buffer.from([0xff, 0xd8, 0xff, 0xe0]).copy(file);
  return Buffer.concat([
    Buffer.from(`${part('slot"')}\r\n\r\nidFrontImg\r\n`),
    Buffer.from(`${part('file"; filename="a.jpg"')}\r\ncontent-type: image/jpeg\r\n\r\n`),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
}

async function uploadAll({ port, tenant, users }: UploadPlan): Promise<UploadResult> {
  const body = formBytes();
  const statuses: Record<string, number> = {};
  const began = performance.now();
  await Promise.all(
    users.map(async (user) => {
      const status = await uploaded(port, tenant, user, body);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
  );
  return { seconds: (performance.now() - began) / 1000, statuses };
}

function uploaded(port: number, tenant: UploadPlan['tenant'], user: string, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: `/v1/users/${user}/kyc/documents`,
      headers: {
        ...headersOf(tenant),
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': body.length,
      },
    });
    sent.once('error', reject).once('response', (answer) => {
      answer.once('end', () => resolve(answer.statusCode ?? 0)).resume();
    });
    sent.end(body);
  });
}

if (require.main === module) answerPlan(uploadAll);
