import { json, type Kit, testKit } from './kit';

/** The header `Accept` of a browser that opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

let kit: Kit;
beforeAll(async () => {
  kit = await testKit();
});
afterAll(() => kit.close());

const opened = (path: string, accept?: string, method = 'GET') =>
  kit.call(path, { method, headers: { 'x-request-id': 'r-1', ...(accept === undefined ? {} : { accept }) } });

it.each([
  undefined,
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/json, text/html;q=0.9',
])('answers the same JSON to a caller that accepts %s', async (accept) => {
  const unknown = await opened('/nothing', accept);
  expect([unknown.status, unknown.headers['content-type'], unknown.text]).toEqual([
    404,
    'application/json; charset=utf-8',
    '{"code":"not_found","message":"The path does not exist.","requestId":"r-1"}',
  ]);
  expect(unknown.headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
  expect((await opened('/things', accept)).body.code).toBe('unauthorized');
});

it.each([
  ['/nothing', 'GET', 404, 'Nothing is here'],
  ['/things', 'GET', 401, 'This address is for programs'],
  ['/things', 'PATCH', 405, 'Nothing is here'],
])('shows a page to a browser that opens %s by %s', async (path, method, status, title) => {
  const { headers, text, ...answer } = await opened(path, BROWSER, method);
  expect([answer.status, headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
  expect(text).toContain(`<h1>${title}</h1>`);
  expect(text).toContain('<footer>Request r-1</footer>');
  expect(text).not.toMatch(/<script|<link|\b(src|href)=/);
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(headers['cache-control']).toBe('no-store');
});

it('answers JSON to a browser whose request succeeds', async () => {
  const client = await kit.client();
  const read = await kit.call('/things', { headers: { ...client, accept: BROWSER } });
  expect([read.status, read.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  const refused = await kit.call('/things', json({ amount: 5 }, client));
  expect([refused.status, refused.body.field]).toEqual([400, 'amount']);
});
