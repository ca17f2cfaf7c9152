/** @long */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard } from '../support/cards';

/** Large answers of reads are compressed for a caller that takes it. Writes never are. */

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterAll(() => api.close());

/** An answer as its bytes came. */
async function raw(
  path: string,
  encoding?: string,
  { method = 'GET', body }: { method?: string; body?: object } = {},
) {
  const answer = await request(api.url + path, {
    method: method as 'GET',
    reset: true, // a stalled machine closes an idle connection under the next request
    headers: {
      'x-client-id': client.clientId,
      'x-client-secret': client.clientSecret,
      'content-type': 'application/json',
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

const CITIES = '/v1/cardholders/cities?region=GB';

it('compresses a large list, and the same bytes come out', async () => {
  const plain = await raw(CITIES);
  expect(plain.headers['content-encoding']).toBeUndefined();
  const [br, gzip] = [await raw(CITIES, 'br, gzip'), await raw(CITIES, 'gzip')];
  expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
  expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
  expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
  expect(br.bytes.length * 3).toBeLessThan(plain.bytes.length);
  expect(br.headers['vary']).toBe('Accept-Encoding');
  expect(plain.headers['etag']).toMatch(/^W\//);
  expect(br.headers['etag']).toBe(plain.headers['etag']);
});

it('leaves a small answer as it is', async () => {
  const { headers } = await raw('/v1/accounts?limit=1', 'br');
  expect([headers['content-encoding'], Number(headers['content-length'])]).toEqual([
    undefined,
    expect.any(Number),
  ]);
});

it('never compresses an authorization or another write, whatever its length', async () => {
  const meta = { note: 'x'.repeat(8_000) };
  const long = await raw('/v1/users', 'br', { method: 'POST', body: { meta } });
  expect([long.status, long.headers['content-encoding'], long.bytes.length > 8_000]).toEqual([
    201,
    undefined,
    true,
  ]);
  const { id: cardId } = await activeCard(api, client, '50.00');
  const body = { cardId, type: 'authorization', amount: '1.00' };
  const paid = await raw('/sandbox/transactions', 'br', { method: 'POST', body });
  expect([paid.status, paid.headers['content-encoding'], paid.headers['vary']]).toEqual([
    201,
    undefined,
    undefined,
  ]);
});

it.each(['/openapi.json', '/docs', '/docs/reader/standalone.esm.js'])('sends %s compressed', async (path) => {
  const [plain, br] = [await raw(path), await raw(path, 'br')];
  expect(br.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
});
