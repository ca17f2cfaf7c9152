import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { askToReconnect, closeServer, createApiServer, listen } from '../../src/startup/http-server';

const HOST = '127.0.0.1';

async function server(handle: Parameters<typeof createApiServer>[0]) {
  const created = createApiServer(handle);
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
