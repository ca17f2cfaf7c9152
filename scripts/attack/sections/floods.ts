import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { asking } from '../../../test/support/ask';
import type { Trials } from '../trials';
import { made, type World } from '../world';

const READ = '/v1/accounts';
/** A quiet tenant's answer takes milliseconds. Far beyond that, the flood has reached it. */
const QUIET_MS = 1_500;

/** A tenant, or an address, that takes all it can get, beside a quiet tenant. */
export async function floods(world: World, trials: Trials): Promise<void> {
  await sensitive(world, trials);
  await requests(world, trials);
  await waiting(world, trials);
  await bodies(world, trials);
  if (world.isWhole) await connections(world, trials);
}

/** The quiet tenant's longest answer while the work goes on. */
async function beside(world: World, work: Promise<unknown>): Promise<number> {
  const quiet = asking(world.api, (await world.tenant()).headers);
  let [isDone, longest] = [false, 0];
  void work.finally(() => (isDone = true)).catch(() => undefined);
  do {
    const begun = performance.now();
    const { status } = await quiet('GET', READ);
    longest = status === 200 ? Math.max(longest, performance.now() - begun) : Infinity;
    await sleep(20);
  } while (!isDone);
  await work;
  return longest;
}

async function sensitive(world: World, trials: Trials): Promise<void> {
  const [client, other] = [await world.tenant(), await world.tenant()];
  const sensitives = world.operations.filter(({ scope }) => scope === 'sensitive');
  const paths = sensitives.map(({ path }) => path.replaceAll(/\{\w+\}/g, 'nobody'));
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) => client.ask('GET', paths[at % paths.length] ?? '')),
  );
  const refused = answers.filter(({ status }) => status === 429);
  trials.holds(
    'of sixty requests for sensitive data about thirty are refused',
    [28, 29, 30].includes(refused.length),
    true,
  );
  for (const answer of refused) {
    trials.answered('sensitive data beyond the limit', answer, { status: 429, code: 'rate_limited' });
    trials.holds('sensitive data says when', Number(answer.headers['retry-after']) > 0, true);
  }
  trials.answered('another read of that tenant', await client.ask('GET', READ), { status: 200 });
  trials.answered('another tenant', await other.ask('GET', paths[0] ?? ''), { status: 404 });
}

async function requests(world: World, trials: Trials): Promise<void> {
  const client = await world.tenant();
  const set = ['rateLimit.perSecond=10', 'rateLimit.burst=20'];
  made(await world.decide(world.chief, 'client.settings', { subject: client.clientId, input: { set } }));
  await sleep(1_200);
  const flood = Promise.all(Array.from({ length: 400 }, () => client.ask('GET', READ)));
  const longest = await beside(world, flood);
  const answers = await flood;
  const passed = answers.filter(({ status }) => status === 200).length;
  // The burst, and the tokens that are added during the flood.
  trials.holds('a flood gets its limit', passed >= 20 && passed <= 80, true);
  for (const answer of answers)
    trials.answered(
      'a request of a flood',
      answer,
      answer.status === 200 ? { status: 200 } : { status: 429, code: 'rate_limited' },
    );
  trials.holds('a quiet tenant goes on beside a flood', longest < QUIET_MS, true);
}

/** Answers that wait take a place each, of which a tenant has few. */
async function waiting(world: World, trials: Trials): Promise<void> {
  const { records } = world;
  const accountId = await records.id('account');
  const body = { amount: '1.00', paymentMethodToken: 'tok_visa' };
  const wait = () =>
    records.client.call('POST', `/v2/accounts/${accountId}/topup/card`, body, {
      'x-idempotency-key': randomUUID(),
      prefer: 'wait=2',
    });
  const begun = performance.now();
  const flood = Promise.all(Array.from({ length: 40 }, wait));
  const longest = await beside(world, flood);
  for (const { status } of await flood) trials.holds('an answer that waits', status, 202);
  trials.holds('answers that wait end', performance.now() - begun < 10_000, true);
  trials.holds('a quiet tenant goes on beside answers that wait', longest < QUIET_MS, true);
}

/** Bodies without an end, in one piece and in chunks. */
async function bodies(world: World, trials: Trials): Promise<void> {
  const { headers } = await world.tenant();
  const form = 'multipart/form-data; boundary=x';
  const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n\xff\xd8\xff\xe0';
  const targets: [path: string, type: string, start: string][] = [
    ['/v1/users', 'application/json', '{"meta":{"a":"'],
    ['/v1/cardholders/files', form, part],
    ['/callbacks/bank', 'application/json', '{"a":"'],
  ];
  for (const [path, type, start] of targets) {
    const told = await endless(world.api, { path, type, start, headers });
    trials.holds(`an endless body of ${path} is refused`, REFUSALS.has(told.status) || told.status, true);
    trials.holds(`an endless body of ${path} is cut off`, told.isCut, true);
  }
}

const REFUSALS = new Set([400, 401, 413]);
const CHUNK = Buffer.alloc(64 * 1024, 'x');
/** Above every limit, and above what a server reads of a refused body. */
const ENOUGH = 64 * 1024 * 1024;

interface Endless {
  path: string;
  type: string;
  start: string;
  headers: Record<string, string>;
}

/** Sends chunks until the server ends the connection, or has read far too much. */
async function endless(url: string, { path, type, start, headers }: Endless) {
  const socket = opened(url);
  let [text, isCut, sent] = ['', false, 0];
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (isCut = true));
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${own.join('')}transfer-encoding: chunked\r\n\r\n`,
  );
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  socket.write(chunk(Buffer.from(start, 'latin1')));
  while (!isCut && sent < ENOUGH) {
    const isWritten = socket.write(chunk(CHUNK));
    sent += CHUNK.length;
    // The answer is read meanwhile, because a connection that is cut loses unread bytes.
    if (isWritten) await sleep(1);
    else await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), sleep(500)]);
  }
  for (const end = Date.now() + 8_000; !isCut && Date.now() < end; ) await sleep(20);
  socket.destroy();
  return { status: Number(/HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), isCut };
}

const opened = (url: string, localAddress?: string): Socket => {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port), ...(localAddress ? { localAddress } : {}) });
};

/** More than an address may have. */
const CONNECTIONS = 1_100;
/** Beyond the time for a head. */
const SLOW_HEAD_MS = 30_000;

/** Connections of one address that send a head slowly. They must not hold up another address. */
async function connections(world: World, trials: Trials): Promise<void> {
  for (const [what, url] of [
    ['API', world.api],
    ['desk', world.desk],
  ] as const) {
    const begun = Date.now();
    const sockets = Array.from({ length: CONNECTIONS }, () => slowHead(url));
    await sleep(2_000);
    const refused = sockets.filter(({ text }) => text().includes(' 429 ')).length;
    trials.holds(`the ${what} refuses connections beyond those of an address`, refused >= 50, true);
    const other = await elsewhere(url);
    trials.holds(`another address goes on at the ${what}`, other, 200);
    while (Date.now() - begun < SLOW_HEAD_MS && sockets.some(({ isOpen }) => isOpen())) await sleep(250);
    trials.holds(`slow heads at the ${what} are cut off`, sockets.filter(({ isOpen }) => isOpen()).length, 0);
    for (const { end } of sockets) end();
  }
}

function slowHead(url: string) {
  const socket = opened(url);
  let [text, open] = ['', true];
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (open = false));
  socket.write('GET /health HTTP/1.1\r\nhost: x\r\n');
  const slow = setInterval(() => socket.write('x: x\r\n'), 3_000);
  const end = () => {
    clearInterval(slow);
    socket.destroy();
  };
  return { text: () => text, isOpen: () => open, end };
}

/** The status that a caller from another address of this machine gets; 0 where there is none within two seconds. */
async function elsewhere(url: string): Promise<number> {
  const socket = opened(url, '127.0.0.2');
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  for (const end = Date.now() + 2_000; !text.includes('\r\n') && Date.now() < end; ) await sleep(20);
  socket.destroy();
  return Number(/HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
}
