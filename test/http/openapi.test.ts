import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { version } from '../../package.json';
import { walletSettings } from '../../src/chain/wallets/settings';
import { apiRoutes } from '../../src/composition';
import { openApiDocument } from '../../src/http/openapi';
import { PROBLEM_CODES } from '../../src/http/problem-codes';
import { type Route, route } from '../../src/http/route';
import { amount } from '../../src/kernel/wire/schemas';
import { type TestApi, testApi } from '../support/api';
import { resolvedIn } from '../support/documented';

let api: TestApi;
let document: any;
let routes: Route[];
beforeAll(async () => {
  api = await testApi();
  routes = apiRoutes(api.services);
  document = (await api.call('GET', '/openapi.json')).body;
});
afterAll(() => api.close());

it('names the limit of wallets that applies', () => {
  const { openAllocations } = walletSettings.parse({});
  const { description } = document.paths['/v1/wallets/allocate'].post;
  expect(description).toContain(`(${openAllocations.toLocaleString('en')} by default)`);
});

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function operations(of: any = document): { path: string; method: string; operation: any }[] {
  return Object.entries<any>(of.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

it('contains every route and nothing else', () => {
  const documented = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
  expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
});

it('describes every operation beyond its summary', () => {
  const bare = operations().filter(
    ({ operation: { description = '' } }) => description.replace('For the operator only.', '').trim() === '',
  );
  expect(bare.map(({ path, method }) => `${method.toUpperCase()} ${path}`)).toEqual([]);
});

it('describes each operation of the crypto groups, marks the operator’s, and documents 404s', () => {
  const crypto = operations().filter(({ operation }) =>
    ['Wallets', 'Gas station', 'Networks'].includes(operation.tags[0]),
  );
  expect(crypto.length).toBeGreaterThan(30);
  for (const { path, method, operation } of crypto) {
    const { summary, description = '' } = operation;
    const isAdmins = operation['x-role'] === 'admin';
    const said = description.replace('For the operator only.', '').trim();
    expect([method, path, summary.split('(Admin)').length - 1, said === '']).toEqual([
      ...[method, path, isAdmins ? 1 : 0, false],
    ]);
    const fields = Object.keys(operation.requestBody?.content['application/json']?.schema.properties ?? {});
    if (fields.includes('chain'))
      expect([path, Object.keys(operation.responses)]).toEqual([path, expect.arrayContaining(['404'])]);
  }
});

it('describes every URL in a request by the same rule', () => {
  const given = operations().flatMap(({ path, operation }) =>
    Object.entries<any>(operation.requestBody?.content['application/json']?.schema.properties ?? {}).flatMap(
      ([name, schema]) => (/url$/i.test(name) ? [{ path, name, schema }] : []),
    ),
  );
  expect(given.map(({ path, name }) => `${path} ${name}`)).toEqual(
    expect.arrayContaining([
      '/v1/webhooks url',
      '/v2/accounts/{accountId}/deposits returnUrl',
      '/v2/accounts/{id}/topup/card returnUrl',
    ]),
  );
  const unlessNull = ({ anyOf, ...schema }: any) => anyOf?.find(({ type }: any) => type !== 'null') ?? schema;
  for (const { path, schema } of given)
    expect([path, unlessNull(schema)]).toEqual([
      path,
      expect.objectContaining({
        type: 'string',
        format: 'uri',
        maxLength: 2_048,
        description: expect.stringContaining('https URL'),
      }),
    ]);
});

it('is valid OpenAPI 3.1', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d$/);
  expect(document.info).toMatchObject({ title: expect.any(String), version });
  expect(document['x-interface-version']).toBe('1.0.0');
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, method, operation } of operations()) {
    expect(METHODS).toContain(method);
    expect(operation.operationId).toMatch(/^[a-z]\w+$/);
    expect(operation.tags).toHaveLength(1);
    assertParameters(path, operation);
    assertResponses(operation);
  }
  expect(document.tags.map((tag: any) => tag.name)).toEqual(
    expect.arrayContaining(operations().flatMap(({ operation }) => operation.tags)),
  );
});

/** Each name in braces is a required string parameter. Each parameter is listed once with a schema. */
function assertParameters(path: string, { parameters = [] }: any): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const inPath = parameters.filter((parameter: any) => parameter.in === 'path');
  expect(inPath.map((parameter: any) => parameter.name).sort()).toEqual(names.sort());
  for (const parameter of inPath)
    expect(parameter).toMatchObject({ required: true, schema: { type: 'string' } });
  for (const parameter of parameters) {
    expect(['path', 'query', 'header']).toContain(parameter.in);
    expect(parameter.schema).toBeDefined();
  }
  const places = parameters.map((parameter: any) => `${parameter.in} ${parameter.name}`);
  expect(new Set(places).size).toBe(places.length);
}

/** A schema with further fields beside those of an error counts as an error. */
const isError = (schema: any): boolean =>
  schema.$ref === '#/components/schemas/Error' ||
  Object.keys(document.components.schemas.Error.properties).every((field) => field in schema.properties);

function assertResponses({ responses }: any): void {
  expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
  for (const [status, given] of Object.entries<any>(responses)) {
    const response = resolvedIn(document, given);
    expect(status).toMatch(/^[2-5]\d\d$/);
    expect(response.description).not.toBe('');
    if (Number(status) >= 400) expect(isError(response.content['application/json'].schema)).toBe(true);
  }
}

it('has a body other than the error only for a process that is not ready', () => {
  const others = operations().flatMap(({ path, operation }) =>
    Object.entries<any>(operation.responses).flatMap(([status, response]) => {
      if (Number(status) < 400) return [];
      const { content } = resolvedIn(document, response);
      return content['application/json'].schema.$ref === undefined ? [`${path} ${status}`] : [];
    }),
  );
  expect(others).toEqual(['/health/ready 503']);
});

it('has no broken references', () => {
  const references: string[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === '$ref') references.push(value);
    return value;
  });
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    const found = reference
      .slice(2)
      .split('/')
      .reduce<any>((at, part) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document);
    expect([reference, typeof found]).toEqual([reference, 'object']);
  }
});

it('knows every code that a route names', () => {
  const named = routes.flatMap((each) => each.problems ?? []);
  expect(named.filter((code) => !PROBLEM_CODES[code])).toEqual([]);
});

it('knows every code that the source throws', () => {
  const source = readFileSync(join(__dirname, '../../src/kernel/errors.ts'), 'utf8');
  const codes = [...source.matchAll(/'([a-z]+_[a-z_]+|ErrAlreadyExists|unauthorized|forbidden)'/g)].map(
    ([, code]) => code!,
  );
  expect(codes.length).toBeGreaterThan(20);
  expect(codes.filter((code) => !PROBLEM_CODES[code])).toEqual([]);
});

describe('of a route', () => {
  const made = openApiDocument([
    route({
      method: 'POST',
      path: '/v2/things/{thingId}/payouts',
      scope: 'money',
      tag: 'Payouts',
      summary: 'Pay',
      query: z.object({ currency: z.string().optional() }),
      body: z.strictObject({ amount: amount(), note: z.string().max(5).optional() }),
      response: z.object({ id: z.string() }),
      status: 201,
      role: 'admin',
      deprecated: new Date(0),
      idempotency: 'required',
      problems: ['insufficient_funds', 'kyc_not_completed'],
      settling: { read: async () => ({ id: '' }), settled: () => true },
      write: async () => ({ id: '' }),
    }),
  ]);
  const operation: any = made.paths!['/v2/things/{thingId}/payouts']!.post;

  it('shows the constraints of the schema', () => {
    const { schema } = operation.requestBody.content['application/json'];
    expect(operation.requestBody.required).toBe(true);
    expect(schema).toMatchObject({ type: 'object', required: ['amount'], additionalProperties: false });
    expect(schema.properties.amount).toMatchObject({ type: 'string', pattern: expect.any(String) });
    expect(schema.properties.note).toMatchObject({ type: 'string', maxLength: 5 });
  });

  it('shows role, deprecation, key and preference', () => {
    expect(operation).toMatchObject({ 'x-role': 'admin', deprecated: true, tags: ['Payouts'] });
    expect(operation.parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ in: 'header', name: 'x-idempotency-key', required: true }),
        expect.objectContaining({ in: 'header', name: 'prefer' }),
        expect.objectContaining({ in: 'query', name: 'currency' }),
      ]),
    );
  });

  it('shows one response per status, with its codes', () => {
    expect(Object.keys(operation.responses).map(Number)).toEqual([
      201, 400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503,
    ]);
    expect(operation.responses[409].description).toContain('insufficient_funds');
    expect(operation.responses[400].description).toContain('idempotency_key_required');
    expect(resolvedIn(made, operation.responses[503]).headers).toHaveProperty('Retry-After');
  });
});

it('shows that a record may exist already', () => {
  const open = route({
    method: 'POST',
    path: '/v1/things',
    scope: 'money',
    tag: 'Things',
    summary: 'Open',
    status: 201,
    mayExist: true,
    response: z.object({ id: z.string() }),
    write: async () => ({ id: '' }),
  });
  const { responses } = openApiDocument([open]).paths!['/v1/things']!.post!;
  expect(responses![200]).toMatchObject({
    content: responses![201]!.content,
    description: expect.any(String),
  });
});

it('requires a body when an empty one would be refused', () => {
  const required = (body: z.ZodType) =>
    openApiDocument([
      route({
        method: 'POST',
        path: '/v1/things',
        scope: 'money',
        tag: 'Things',
        summary: 'Make',
        body,
        write: async () => ({}),
      }),
    ]).paths!['/v1/things']!.post!.requestBody;
  const note = z.string().optional();
  expect(required(z.strictObject({ note }))).toMatchObject({ required: false });
  expect(required(z.strictObject({ note: z.string() }))).toMatchObject({ required: true });
  expect(required(z.strictObject({ note }).meta({ minProperties: 1 }))).toMatchObject({
    required: true,
    content: { 'application/json': { schema: { minProperties: 1 } } },
  });
});

it('shows a 404 when the body names a record', () => {
  const routeWith = (name: string) =>
    route({
      method: 'POST',
      path: '/v1/things',
      scope: 'money',
      tag: 'Things',
      summary: 'Make',
      body: z.strictObject({ [name]: z.string() }),
      write: async () => ({}),
    });
  const has404 = (name: string) =>
    '404' in (openApiDocument([routeWith(name)]).paths?.['/v1/things']?.post?.responses ?? {});
  expect(['accountId', 'bin', 'externalId', 'label'].map(has404)).toEqual([true, true, false, false]);
});

it('is public and cached, as the docs page is', async () => {
  for (const path of ['/openapi.json', '/docs', '/docs/reader/standalone.esm.js', '/docs/start.js']) {
    const first = await api.call('GET', path);
    expect([path, first.status]).toEqual([path, 200]);
    expect(first.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    const again = await api.call('GET', path, undefined, { 'if-none-match': first.headers.get('etag')! });
    expect([path, again.status, again.text]).toEqual([path, 304, '']);
    const head = await api.call('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
  }
});

it('redirects the root and a trailing slash to the page', async () => {
  for (const [path, location] of [
    ['/', 'docs'],
    ['/docs/', '../docs'],
  ] as const) {
    const { status, headers } = await fetch(api.url + path, { redirect: 'manual' });
    expect([path, status, headers.get('location')]).toEqual([path, 302, location]);
  }
  const icon = await api.call('GET', '/favicon.ico');
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect((await api.call('POST', '/')).status).toBe(404);
});

it('serves a page that loads nothing from other hosts, and no other file', async () => {
  const { text, headers } = await api.call('GET', '/docs');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  for (const path of [
    '/docs/package.json',
    '/docs/..%2fpackage.json',
    '/docs/index.html',
    '/docs/constructor',
  ])
    expect((await api.call('GET', path)).status).toBe(404);
  expect((await api.call('POST', '/docs')).status).toBe(404);
});
