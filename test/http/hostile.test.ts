/** @long */
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { keyName } from '../../src/kernel/idempotency';
import { newId } from '../../src/kernel/ids';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, fund, masterAccount } from '../support/cards';
import { pastGuards } from '../support/database';

/** Attacks by other people’s tools over the real API. */

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterAll(() => api.close());

const credentials = () => ({ 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret });

/** The path exactly as written, because `fetch` would normalise it. */
function spelled(path: string, letter: string): string {
  const code = letter.charCodeAt(0).toString(16);
  return path.replace(letter, `%${code}`);
}

describe('an idempotency key names one operation for all spellings of its path', () => {
  it('of a card: one top-up', async () => {
    const card = await activeCard(api, client, '1.00');
    await fund(api, card.accountId, '100.00');
    const path = `/v1/cards/${card.id}/topup`;
    const spellings = [
      path,
      spelled(path, '_'),
      spelled(path, '_').replace('%5f', '%5F'),
      spelled(path, 'c'),
    ];
    const key = { 'x-idempotency-key': 'spelled-1' };
    const answers = [];
    for (const each of spellings) answers.push(await client.call('POST', each, { amount: '10.00' }, key));
    const done = answers.filter(({ status }) => status === 201);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    const now = await client.call('GET', `/v1/cards/${card.id}`);
    expect(now.body.balance.available).toBe('11.00');
  });

  it('of a transfer, whose path has no parameters', async () => {
    const from = await masterAccount(client);
    await fund(api, from, '10.00');
    const user = await client.call('POST', '/v1/users', {});
    const to = await client.call('POST', `/v1/users/${user.body.id}/accounts`, { currency: 'USD' });
    const key = { 'x-idempotency-key': 'spelled-2' };
    const body = { fromAccountId: from, toAccountId: to.body.id, amount: '1.00' };
    for (const path of ['/v1/users/transfer', '/v1/users/trans%66er', '/v1/%75sers/transfer'])
      await client.call('POST', path, body, key);
    const balance = await client.call('GET', `/v2/accounts/${to.body.id}/balance`);
    expect(balance.body.available).toBe('1.00');
  });
});

describe('a required key stays with its operation', () => {
  async function payment(by: Client, account: string, key: string) {
    const at = `/v2/accounts/${account}`;
    const body = { amount: '5.00', paymentMethodToken: 'tok_visa' };
    return by.call('POST', `${at}/withdraw/card`, body, { 'x-idempotency-key': key });
  }

  it('after its stored answer is gone', async () => {
    const account = await masterAccount(client);
    await fund(api, account, '20.00');
    const first = await payment(client, account, 'own-1');
    expect(first.status).toBe(202);
    const name = keyName(client.clientId, `POST /v2/accounts/${account}/withdraw/card`, 'own-1');
    await pastGuards(api.database, `delete from idempotency_keys where name = '${name}'`);
    const second = await payment(client, account, 'own-1');
    expect(second).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    const held = await api.database.query('select 1 from transfers where account_id = $1', [account]);
    expect(held.length).toBe(1);
  });

  it('within the caller’s tenant, so an operator’s key is another one', async () => {
    const own = await api.client();
    const admin = await api.client('admin');
    const account = await masterAccount(own);
    await fund(api, account, '20.00');
    const [mine, theirs] = [await payment(own, account, 'own-2'), await payment(admin, account, 'own-2')];
    expect([mine.status, theirs.status]).toEqual([202, 202]);
    expect(mine.body.txId).not.toBe(theirs.body.txId);
  });
});

describe('text that the database cannot store', () => {
  const LONE = '"\\ud800"';
  const NUL = '"a\\u0000b"';
  const card = newId('card');

  it.each([
    [
      'a merchant’s name',
      `{"cardId":"${card}","type":"decline","merchant":{"name":${LONE}}}`,
      400,
      'merchant.name',
    ],
    [
      'a merchant’s city',
      `{"cardId":"${card}","type":"decline","merchant":{"city":${NUL}}}`,
      400,
      'merchant.city',
    ],
    ['a card’s id', `{"cardId":${NUL},"type":"decline"}`, 404, 'cardId'],
    ['a card’s id, halved', `{"cardId":${LONE},"type":"decline"}`, 404, 'cardId'],
    [
      'a reference',
      `{"cardId":"${card}","type":"settle","amount":"1.00","referenceId":${NUL}}`,
      404,
      'referenceId',
    ],
  ])('in %s of a card event is refused before it fails a batch', async (_, body, status, field) => {
    const answer = await client.call('POST', '/sandbox/transactions', body);
    expect([answer.status, answer.body.field]).toEqual([status, field]);
  });

  it.each([['externalId', `{"externalId":${LONE},"meta":{}}`, 'externalId']])(
    'in %s is a 400 naming the field',
    async (_, body, field) => {
      expect(await client.call('POST', '/v1/users', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', field },
      });
    },
  );

  it('in every text of every endpoint', async () => {
    const document = (await api.call('GET', '/openapi.json')).body;
    const admin = await api.client('admin');
    let tried = 0;
    for (const [path, methods] of Object.entries<Record<string, any>>(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const schema = operation.requestBody?.content['application/json']?.schema;
        for (const name of Object.keys(schema?.properties ?? {})) {
          for (const text of [LONE, NUL]) {
            const at = path.replace(/\{\w+\}/g, 'acc_01h455vb4pex5vsknk084sn02q');
            const answer = await admin.call(method.toUpperCase(), at, `{${JSON.stringify(name)}:${text}}`, {
              'x-idempotency-key': `odd-${tried}`,
            });
            expect([method, path, name, answer.status < 500]).toEqual([method, path, name, true]);
            tried += 1;
          }
        }
      }
    }
    expect(tried).toBeGreaterThan(60);
  });
});

describe('a cursor', () => {
  const cursorOf = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

  it('of a card’s history must be one that the list returned', async () => {
    const card = await activeCard(api, client, '5.00');
    for (let each = 0; each < 2; each += 1)
      await client.call('POST', '/sandbox/transactions', {
        cardId: card.id,
        type: 'decline',
        amount: '1.00',
      });
    const path = `/v1/cards/${card.id}/transactions`;
    const page = await client.call('GET', `${path}?limit=1`);
    const [at, number] = JSON.parse(Buffer.from(page.body.nextCursor, 'base64url').toString()) as string[];
    const bad = [
      cursorOf(`"${'a'.repeat(10_000)}`, '1', 'x'),
      cursorOf('now', '1', card.id),
      cursorOf('infinity', '1', card.id),
      cursorOf('2026-02-30T00:00:00.000Z', '1', card.id),
      cursorOf('2026-02-30', '1', card.id),
      cursorOf(at!, '99999999999999999999', card.id),
      cursorOf(at!, '-1', card.id),
      cursorOf(at!, number!, 'card_x'),
      cursorOf(at!, number!, newId('card')),
      cursorOf(at!, number!),
      cursorOf(at!, newId('account'), number!),
    ];
    for (const cursor of bad)
      expect(await client.call('GET', `${path}?cursor=${cursor}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', field: 'cursor' },
      });
    const good = await client.call('GET', `${path}?limit=1&cursor=${page.body.nextCursor}`);
    expect([good.status, good.body.data.length]).toEqual([200, 1]);
  });

  it('of another list is a 400', async () => {
    await client.call('POST', '/v1/users', {});
    await client.call('POST', '/v1/users', {});
    const users = await client.call('GET', '/v1/users?limit=1');
    const account = await masterAccount(client);
    await fund(api, account, '1.00');
    await fund(api, account, '1.00');
    const history = await client.call('GET', `/v1/accounts/${account}/transactions?limit=1`);
    const other = await api.client();
    const others = await masterAccount(other);
    const refusals = [
      `/v1/cards?cursor=${users.body.nextCursor}`,
      `/v1/users?cursor=${history.body.nextCursor}`,
      `/v1/accounts/${account}/transactions?cursor=${users.body.nextCursor}`,
    ];
    for (const path of refusals)
      expect(await client.call('GET', path)).toMatchObject({ status: 400, body: { field: 'cursor' } });
    expect(
      await other.call('GET', `/v1/accounts/${others}/transactions?cursor=${history.body.nextCursor}`),
    ).toMatchObject({ status: 400, body: { field: 'cursor' } });
  });
});

describe('a query string', () => {
  it('with thousands of parameters is refused without being parsed', async () => {
    const answer = await client.call('GET', `/v1/users?${'a&'.repeat(7_000)}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await client.call('GET', `/v1/users?${'a&'.repeat(99)}a`)).status).toBe(200);
  });

  it.each(['0x10', '1e1', ' 5', '5 ', '+5', '007', '5.0', '%F0%9D%9F%9D', ''])(
    'does not accept limit=%s',
    async (limit) => {
      const answer = await client.call(
        'GET',
        `/v1/users?limit=${limit.includes('%') ? limit : encodeURIComponent(limit)}`,
      );
      expect(answer).toMatchObject({ status: 400, body: { field: 'limit' } });
    },
  );

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-02-30',
    'now',
    'infinity',
    '2026-01-01T00:00:00+99:99',
    '2026-01-01T25:00:00Z',
  ])('does not accept the time %s', async (moment) => {
    const path = `/v1/accounts/${await masterAccount(client)}/transactions?from=${encodeURIComponent(moment)}`;
    expect(await client.call('GET', path)).toMatchObject({ status: 400, body: { field: 'from' } });
  });

  it.each(['0000-01-01', '0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-23:59'])(
    'does not accept the time %s, which no answer could show, in any operation',
    async (moment) => {
      const { paths } = (await api.call('GET', '/openapi.json')).body;
      const admin = await api.client('admin');
      let tried = 0;
      for (const [path, methods] of Object.entries<Record<string, any>>(paths))
        for (const [method, { parameters = [] }] of Object.entries(methods))
          for (const { in: at, name, schema } of parameters) {
            if (at !== 'query' || !JSON.stringify(schema).includes('date-time')) continue;
            const needed = new URLSearchParams({
              fromDate: '2026-01-01',
              from: '2026-01-01',
              to: '2026-02-01',
              chain: 'local',
              [name]: moment,
            });
            const target = `${path.replace(/\{\w+\}/g, newId('account'))}?${needed.toString()}`;
            const { status, body } = await admin.call(method.toUpperCase(), target);
            expect([method, path, status, body.field]).toEqual([method, path, 400, name]);
            tried += 1;
          }
      expect(tried).toBeGreaterThan(40);
    },
  );

  it.each(['0001-01-01', '9999-12-31T23:59:59.999Z'])('reads the time %s', async (moment) => {
    const card = await activeCard(api, client, '1.00');
    const account = await masterAccount(client);
    for (const path of [`/v1/cards/${card.id}/decline-rate?to`, `/v2/accounts/${account}/balance?at`])
      expect([path, (await client.call('GET', `${path}=${moment}`)).status]).toEqual([path, 200]);
  });
});

describe('a body of JSON', () => {
  const user = (body: string, headers: Record<string, string> = {}) =>
    client.call('POST', '/v1/users', body, headers);

  it('has at most 32 levels', async () => {
    const nested = (levels: number) => `{"meta":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    expect((await user(nested(30))).status).toBe(201);
    expect((await user(nested(31))).status).toBe(400);
    expect((await user(nested(500_000))).status).toBe(400);
  });

  it('has at most 1,000 fields per object', async () => {
    const fields = (count: number) =>
      `{"meta":{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}}`;
    expect((await user(fields(1_000))).status).toBe(201);
    expect((await user(fields(1_001))).status).toBe(400);
    const names = '{"note":":,{[\\"' + ':'.repeat(2_000) + '"}';
    expect((await user(`{"meta":${names}}`)).status).toBe(201);
  });

  it('has at most 20,000 values', async () => {
    const answer = await user(`{"meta":{"a":[${'1,'.repeat(300_000)}1]}}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it.each([
    'application/json; charset=utf-16',
    'application/json;charset="latin1"',
    'application/json; charset=',
  ])('of type %s is a 415', async (type) =>
    expect((await user('{}', { 'content-type': type })).status).toBe(415),
  );

  it.each(['application/json; charset=UTF-8', 'application/json;charset="utf-8"', 'application/json; v=1'])(
    'of type %s is read',
    async (type) => expect((await user('{}', { 'content-type': type })).status).toBe(201),
  );
});

describe('an amount of zero', () => {
  it.each(['0', '0.00', '000000000000000.000'])('%s is a 400, as the document says', async (amount) => {
    const account = await masterAccount(client);
    const path = `/v2/accounts/${account}/payout-quote`;
    const answer = await client.call('POST', path, { method: 'sepa', amount });
    expect(answer).toMatchObject({ status: 400, body: { field: 'amount' } });
    const document = (await api.call('GET', '/openapi.json')).body;
    const operation = document.paths['/v2/accounts/{accountId}/payout-quote'].post;
    const { pattern } = operation.requestBody.content['application/json'].schema.properties.amount;
    expect(new RegExp(pattern as string).test(amount)).toBe(false);
    expect(new RegExp(pattern as string).test('0.01')).toBe(true);
  });
});

/** Sends raw bytes on one kept-alive connection and returns the status of each answer. */
async function conversation(requests: (string | Buffer)[][]): Promise<number[]> {
  const { hostname, port } = new URL(api.url);
  const socket: Socket = connect(Number(port), hostname);
  let text = '';
  const statuses: number[] = [];
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  for (const parts of requests) {
    for (const part of parts) socket.write(part);
    const wanted = statuses.length + 1;
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        const found = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
        if (found.length < wanted && !socket.destroyed) return;
        statuses.splice(0, statuses.length, ...found);
        clearInterval(look);
        resolve();
      }, 10);
    });
  }
  socket.end();
  await closed;
  return statuses;
}

describe('a connection with a body that is too large', () => {
  const head = (path: string, length: number, more = '') =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${more}\r\n`;
  const health = ['GET /health HTTP/1.1\r\nhost: x\r\n\r\n'];

  it.each([
    ['with its length declared', head('/callbacks/bank', 2_000_000), Buffer.alloc(2_000_000, 'x')],
    [
      'in chunks',
      'POST /callbacks/bank HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n',
      Buffer.concat([Buffer.from('1e8480\r\n'), Buffer.alloc(2_000_000, 'x'), Buffer.from('\r\n0\r\n\r\n')]),
    ],
  ])('answers 413 and the next request: %s', async (_, start, body) => {
    expect(await conversation([[start, body], health])).toEqual([413, 200]);
  });

  it('answers the next request after a refusal before the body was read', async () => {
    const unknown = [head('/v1/users', 300_000), Buffer.alloc(300_000, ' ')];
    expect(await conversation([unknown, health])).toEqual([401, 200]);
  });

  it('is closed when more bytes arrive than are read', async () => {
    const endless = [head('/callbacks/bank', 4_000_000_000), Buffer.alloc(40_000_000, 'x')];
    expect(await conversation([endless])).toEqual([413]);
  });
});

it('refuses a compressed body without reading it', async () => {
  const body = gzipSync('{}');
  const answer = await fetch(`${api.url}/v1/users`, {
    method: 'POST',
    body,
    headers: { ...credentials(), 'content-type': 'application/json', 'content-encoding': 'gzip' },
  });
  expect(answer.status).toBe(415);
});
