import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createLogger } from '../../src/kernel/logging';
import { type TestApi, testApi } from '../support/api';

function collector() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  return { lines, log: createLogger({ level: 'trace', role: 'api', destination }) };
}

it('writes JSON lines with level, time and role', () => {
  const { log, lines } = collector();
  log.info({ cardId: 'card_1', ms: 3 }, 'request');
  const line = JSON.parse(lines[0]!) as Record<string, unknown>;
  expect(line).toMatchObject({ level: 'info', role: 'api', cardId: 'card_1', ms: 3, msg: 'request' });
  expect(Number.isNaN(Date.parse(String(line['time'])))).toBe(false);
});

it('hides secrets and personal data at any depth', () => {
  const { log, lines } = collector();
  log.info({
    'x-client-secret': 'hush-1',
    deep: [{ client_secret: 'hush-2', meta: { firstName: 'hush-3' } }],
    headers: { authorization: 'hush-4' },
    card: { cardNumber: 'hush-5', CVV: 'hush-6', last4: '4242' },
    user: { Email: 'hush-7' },
    bytes: Buffer.from('hush-8'),
    kept: { cardId: 'card_1', amount: '10.00' },
  });
  expect(lines.join('')).not.toContain('hush');
  expect(lines.join('')).not.toContain('104,117,115,104');
  expect(JSON.parse(lines[0]!)).toMatchObject({
    card: { last4: '4242', cardNumber: '[hidden]' },
    kept: { cardId: 'card_1', amount: '10.00' },
  });
});

it('writes nothing that an object would say of itself', () => {
  const { log, lines } = collector();
  const at = new URL('https://me:hush-1@example.com/?token=hush-2');
  log.info({ at, toJSON: () => 'hush-3' });
  log.info(Object.assign(Object.create({ toJSON: () => 'hush-4' }) as object, { cardId: 'card_1' }));
  expect(lines.join('')).not.toContain('hush');
  expect(lines[1]).toContain('card_1');
});

it('logs an error by type, code and place, without values', () => {
  const { log, lines } = collector();
  const cause = Object.assign(new Error('connect ECONNREFUSED postgres://me:hush-1@db/x?password=hush-2'), {
    code: 'ECONNREFUSED',
  });
  const error = Object.assign(
    new Error('invalid input for "hush-3": maria@hush-4.example 4111 1111 1111 1111', { cause }),
    {
      code: '22P02',
      constraint: 'cards_pkey',
      detail: 'Key (email)=(hush-5) exists',
      parameters: ['hush-6'],
      query: 'select hush-7',
    },
  );
  log.error({ err: error }, 'a fault of ours');
  log.error({ err: error });
  log.error(error);
  log.warn(`could not: ${error.message}`);
  expect(lines).toHaveLength(4);
  expect(lines.join('')).not.toMatch(/hush|4111/);
  const { err } = JSON.parse(lines[0]!) as { err: Record<string, unknown> };
  expect(err).toMatchObject({ type: 'Error', code: '22P02', constraint: 'cards_pkey' });
  expect(err['stack']).toContain('logging.test');
  expect(err['cause']).toMatchObject({ code: 'ECONNREFUSED' });
});

it('hides a caller’s text with any quotes and of any length', () => {
  const { log, lines } = collector();
  const texts = [
    `invalid input syntax for type timestamp with time zone: ""hush"${'hush '.repeat(2_000)}"`,
    // Cut off within the text: the number of quotation marks before the cut does not matter.
    `invalid input syntax for type bigint: "${'hush"hush '.repeat(2_000)}`,
    `invalid input syntax for type bigint: "x${'hush"hush '.repeat(2_000)}`,
    `invalid input syntax for type bigint: "hush"${'hush'.repeat(2_000)}"`,
    `relation "hush" and column "hush`,
    `${'x'.repeat(500)}${'hush'.repeat(100_000)}`,
  ];
  for (const text of texts) {
    log.error({ err: new Error(text) }, 'a fault of ours');
    log.error(new Error(text));
    log.error(text);
  }
  expect(lines.filter((line) => line.includes('hush')).length).toBe(0);
  for (const line of lines) expect((JSON.parse(line) as { msg: string }).msg.length).toBeLessThanOrEqual(501);
});

it('survives a value that refers to itself', () => {
  const { log, lines } = collector();
  const round: Record<string, unknown> = { name: 'round' };
  round['self'] = round;
  const error = new Error('round');
  error.cause = error;
  log.info({ round, err: error });
  expect(lines).toHaveLength(1);
});

describe('of the API', () => {
  const { log, lines } = collector();
  let api: TestApi;
  beforeAll(async () => {
    api = await testApi({ log });
  });
  afterAll(() => api.close());

  it('never contains values of requests', async () => {
    const client = await api.client();
    const meta = { firstName: 'Hushmaria', email: 'hush@example.com', idNo: 'HUSH12345' };
    await client.call('POST', '/v1/users', { meta, externalId: 5 });
    await client.call('POST', '/v1/users', { meta });
    await client.call('POST', `/v1/client/secret/rotate?email=hush@example.com`, {
      email: 'hush@example.com',
    });
    await client.call('POST', '/v1/client/secret/rotate', '{"email": "hush@example.com"');
    await api.call('GET', '/v1/accounts', undefined, {
      'x-client-id': client.clientId,
      'x-client-secret': 'hush-secret',
      authorization: 'Bearer hush',
    });
    expect(lines.length).toBeGreaterThanOrEqual(5);
    expect(lines.join('')).not.toMatch(/hush/i);
    expect(lines.join('')).not.toContain(client.clientSecret);
    expect(lines.join('')).toContain(client.clientId);
  });
});

describe('on standard output', () => {
  const run = (code: string) => {
    const logging = join(__dirname, '../../src/kernel/logging');
    const script = `const { createLogger } = require(${JSON.stringify(logging)});
      const log = createLogger({ level: 'info' }); ${code}`;
    return spawn(process.execPath, ['--require', './scripts/typescript.cjs', '--eval', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  };
  const messages = (output: string) =>
    output
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg);

  it.each(['process.exit(3)', 'throw new Error()', ''])(
    'writes each gathered line before `%s`',
    async (end) => {
      const child = run(`log.info('first'); log.warn('second'); log.info('third'); ${end}`);
      expect(messages(await text(child.stdout))).toEqual(['first', 'second', 'third']);
    },
  );

  it('writes a warning at once, with the lines before it', async () => {
    const child = run(`log.info('first'); log.warn('second'); process.kill(process.pid, 'SIGKILL')`);
    const ended = once(child, 'exit');
    expect(messages(await text(child.stdout))).toEqual(['first', 'second']);
    expect((await ended)[1]).toBe('SIGKILL');
  });
});
