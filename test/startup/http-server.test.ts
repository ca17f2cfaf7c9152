import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressList } from '../../src/kernel/security/address-lists';
import { askToReconnect, closeServer, createApiServer, listen } from '../../src/startup/http-server';

const HOST = '127.0.0.1';

async function server(...given: Parameters<typeof createApiServer>) {
  const created = createApiServer(...given);
  return { created, port: await listen(created, HOST, 0, 'PORT') };
}

/** Sends the bytes and returns everything that arrives until the connection is closed. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

it.each([
  ['nonsense', 'hello\r\n\r\n', 'well-formed'],
  ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n', 'well-formed'],
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, '16 KiB'],
  [
    'two contradicting lengths',
    'POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    'well-formed',
  ],
])('answers %s with a 400 in the error shape, and closes', async (_, bytes, message) => {
  const { created, port } = await server((_request, response) => response.end('reached'));
  const answer = await exchange(port, bytes);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(head).toMatch(/connection: close/);
  const told = JSON.parse(body) as Record<string, string>;
  expect(told).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(message) });
  expect(head).toContain(`x-request-id: ${told['requestId']}`);
  await closeServer(created, 1);
});

it('says which setting to change when the port is taken', async () => {
  const { created, port } = await server(() => undefined);
  const second = createApiServer(() => undefined);
  await expect(listen(second, HOST, port, 'PORT')).rejects.toThrow(
    `PORT: another program listens on ${HOST}:${port}. Stop it, or choose another port: PORT=${port + 1}`,
  );
  await closeServer(created, 1);
});

it('ends a kept connection with its next answer before it closes, and still accepts new ones', async () => {
  const { created, port } = await server((_request, response) => response.end('served'));
  const agent = new Agent({ keepAlive: true });
  const connectionAfter = async () => {
    const [answer] = (await once(get({ port, host: HOST, agent }), 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    return [answer.statusCode, answer.headers.connection];
  };
  const kept = await connectionAfter();
  askToReconnect(created);
  const ended = [await connectionAfter(), await connectionAfter()];
  agent.destroy();
  await closeServer(created, 1);
  expect([kept, ...ended]).toEqual([
    [200, 'keep-alive'],
    [200, 'close'],
    [200, 'close'],
  ]);
});

it('finishes requests in progress when it closes, and accepts no more', async () => {
  let finish = (): void => undefined;
  let arrived = (): void => undefined;
  const inFlight = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { created, port } = await server((_request, response) => {
    finish = () => response.end('done');
    arrived();
  });
  const answer = exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await inFlight;
  const closed = closeServer(created, 30);
  await expect(exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).rejects.toThrow('ECONNREFUSED');
  finish();
  expect(await answer).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close[\s\S]*done/);
  await closed;
});

it('aborts requests that do not end in time', async () => {
  let arrived = (): void => undefined;
  const inFlight = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { created, port } = await server(() => arrived());
  const answer = exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n').catch(() => '');
  await inFlight;
  await closeServer(created, 0.05);
  expect(await answer).toBe('');
});

describe('slow and many connections', () => {
  const HURRIED = {
    limits: { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 },
  };

  /** Sends the head at once and the bytes one by one, and returns everything that arrived when the connection was closed. */
  async function trickle(port: number, head: string, bytes: string) {
    const begun = performance.now();
    const socket = connect(port, HOST);
    let [text, closed, unsent] = ['', false, bytes.length];
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('close', () => (closed = true));
    socket.on('error', () => undefined);
    if (head !== '') socket.write(head);
    for (const byte of bytes) {
      if (closed) break;
      socket.write(byte);
      unsent -= 1;
      await sleep(20);
    }
    while (!closed) await sleep(10);
    return { text, unsent, ms: performance.now() - begun };
  }

  it.each([
    ['head', '', `GET / HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(500)}`, 300],
    ['body', 'POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 500\r\n\r\n', 'a'.repeat(400), 600],
  ])('cuts off a %s that comes byte by byte, and serves others meanwhile', async (_, head, bytes, limit) => {
    const { created, port } = await server((request, response) => {
      request.resume().once('end', () => response.end('served'));
    }, HURRIED);
    const slow = Promise.all(Array.from({ length: 20 }, () => trickle(port, head, bytes)));
    await sleep(100);
    const quick = 'GET / HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n';
    expect(await exchange(port, quick)).toMatch(/^HTTP\/1\.1 200/);
    for (const { text, ms, unsent } of await slow) {
      expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout[^]*"invalid_request"/);
      expect(ms).toBeGreaterThanOrEqual(limit - 50);
      // A byte takes 20 ms or more, so this is three seconds at the most, on a busy machine too.
      expect(unsent).toBeGreaterThan(bytes.length - (limit + 3_000) / 20);
    }
    await closeServer(created, 1);
  });

  const opened = async (port: number, count: number): Promise<Socket[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(port, HOST);
        await once(socket, 'connect');
        return socket;
      }),
    );
  const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n';

  it('refuses a connection of an address that has its share, until one is closed', async () => {
    const { created, port } = await server((_request, response) => response.end('served'), {
      maxConnectionsOfAddress: 5,
    });
    const held = await opened(port, 5);
    await sleep(50);
    const refused = await exchange(port, '');
    expect(refused).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1[^]*"code":"rate_limited"/);
    held[0]?.destroy();
    await sleep(50);
    expect(await exchange(port, REQUEST)).toMatch(/^HTTP\/1\.1 200/);
    for (const socket of held) socket.destroy();
    await closeServer(created, 1);
  });

  it('does not count the connections of a trusted proxy', async () => {
    const { created, port } = await server((_request, response) => response.end('served'), {
      maxConnectionsOfAddress: 5,
      trustedProxies: addressList(['127.0.0.0/8']),
    });
    const held = await opened(port, 10);
    expect(await exchange(port, REQUEST)).toMatch(/^HTTP\/1\.1 200/);
    for (const socket of held) socket.destroy();
    await closeServer(created, 1);
  });
});
