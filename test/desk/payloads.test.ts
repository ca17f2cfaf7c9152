import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { createPayloadCodec } from '../../src/kernel/temporal/codec';
import { type TestApi, testApi } from '../support/api';
import { type TestDesk, testDesk } from '../support/desk';
import { testKeyring } from '../support/keyring';
import { type Ask, asOperator, calling, operators, type Person, permit } from './support';

const UI = 'https://temporal.example.com';
const DECODE = 'temporal/decode';

let api: TestApi;
let desk: TestDesk;
let ida: Person;
let bob: Person;
let ask: Ask;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services, { temporalUi: `${UI}/some/path` });
  [ida, bob] = (await operators(api, 'ida', 'bob')) as [Person, Person];
  ask = await asOperator(desk.url, ida);
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

interface Wire {
  metadata: Record<string, string>;
  data: string;
}

/** A payload as Temporal's UI sends it. */
async function sealed(value: unknown, keyring = api.services.keyring): Promise<Wire> {
  const codec = createPayloadCodec(keyring, { encrypt: true });
  const owner = { type: 'workflow', namespace: 'cardwright', workflowId: 'payout-pay_1' } as const;
  const [payload] = await codec.encode([defaultPayloadConverter.toPayload(value)], owner);
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const metadata = Object.entries(payload?.metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)]);
  return { metadata: Object.fromEntries(metadata), data: base64(payload?.data ?? Buffer.alloc(0)) };
}
const plain = (value: unknown): Wire => ({
  metadata: { encoding: Buffer.from('json/plain').toString('base64') },
  data: Buffer.from(JSON.stringify(value)).toString('base64'),
});

/** The cookie of a browser that is signed in. */
async function cookieOf(person: Person): Promise<string> {
  const { headers } = await calling(desk.url)('POST', 'sessions', { ...person, transport: 'cookie' });
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

it('opens payloads for an operator who is signed in, and leaves plain ones as they are', async () => {
  const payloads = [await sealed({ id: 'pay_1' }), plain('plain')];
  const { status, body } = await ask('POST', DECODE, { payloads });
  expect([status, body]).toEqual([200, { payloads: [plain({ id: 'pay_1' }), plain('plain')] }]);
});

it('answers 401 without a session and 403 without the permission to look', async () => {
  const given = { payloads: [await sealed('x')] };
  const { status, text } = await calling(desk.url)('POST', DECODE, given);
  expect(status).toBe(401);
  expect(text).not.toContain(plain('x').data);
  const wrong = calling(desk.url, { authorization: `Bearer ${randomBytes(32).toString('base64url')}` });
  expect((await wrong('POST', DECODE, given)).status).toBe(401);
  const blind = await asOperator(desk.url, bob);
  await permit(api, 'bob', ['money']);
  expect((await blind('POST', DECODE, given)).status).toBe(403);
});

it('refuses a payload that was changed, renamed or sealed by another installation', async () => {
  const mine = await sealed('x');
  const bytes = Buffer.from(mine.data, 'base64');
  bytes[bytes.length - 1]! ^= 1;
  const renamed = { ...mine.metadata, 'workflow-id': Buffer.from('payout-pay_2').toString('base64') };
  const refused = [
    { ...mine, data: bytes.toString('base64') },
    { ...mine, metadata: renamed },
    await sealed('x', testKeyring()),
  ];
  for (const payload of refused) {
    const { status, body } = await ask('POST', DECODE, { payloads: [plain(1), payload] });
    expect([status, body.field]).toEqual([400, 'payloads[1]']);
  }
});

describe('a browser', () => {
  const head = (cookie: string, origin = UI) => ({ cookie, origin });

  it("of an operator lets Temporal's UI call by the session's cookie, without a CSRF token", async () => {
    const call = calling(desk.url, head(await cookieOf(ida)));
    const { status, headers, body } = await call('POST', DECODE, { payloads: [await sealed('x')] });
    expect([status, body]).toEqual([200, { payloads: [plain('x')] }]);
    expect(headers).toMatchObject({
      'access-control-allow-origin': UI,
      'access-control-allow-credentials': 'true',
      vary: expect.stringMatching(/origin/i),
    });
  });

  it("asks before the request, and is told what Temporal's UI may send", async () => {
    const { status, headers } = await calling(desk.url, { origin: UI })('OPTIONS', DECODE);
    expect([status, headers['access-control-allow-methods']]).toEqual([204, 'POST']);
    expect(headers['access-control-allow-headers']).toBe('content-type, x-namespace, authorization');
    expect(headers['access-control-allow-origin']).toBe(UI);
  });

  it('is refused for pages of any other origin, and for any other path', async () => {
    const cookie = await cookieOf(ida);
    const payloads = [await sealed('x')];
    for (const origin of ['https://evil.example.com', 'null', 'http://temporal.example.com']) {
      const { status, headers } = await calling(desk.url, head(cookie, origin))('POST', DECODE, { payloads });
      expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined]);
    }
    const elsewhere = await calling(desk.url, head(cookie))('GET', 'catalogue');
    expect([elsewhere.status, elsewhere.headers['access-control-allow-origin']]).toEqual([200, undefined]);
    const out = await calling(desk.url, head(cookie))('DELETE', 'sessions/current');
    expect(out.status).toBe(403);
  });

  it('gets the refusal of a session that has ended, so that the UI can show it', async () => {
    const call = calling(desk.url, head('cardwright_desk=ended'));
    const { status, headers } = await call('POST', DECODE, { payloads: [] });
    expect([status, headers['access-control-allow-origin']]).toEqual([401, UI]);
  });
});

it("opens nothing for a browser's page where Temporal's UI has no address", async () => {
  const alone = await testDesk(api.services);
  const call = calling(alone.url, { cookie: await cookieOf(ida), origin: UI });
  expect((await call('POST', DECODE, { payloads: [] })).status).toBe(403);
  await alone.close();
});
