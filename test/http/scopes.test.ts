import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiRoutes } from '../../src/composition';
import type { Route } from '../../src/http/route';
import { SCOPE_MEANINGS, SCOPES, type Scope } from '../../src/kernel/scopes';
import { type TestApi, testApi } from '../support/api';
import { narrowedHeaders } from '../support/secrets';

let api: TestApi;
let routes: Route[];
beforeAll(async () => {
  api = await testApi();
  routes = apiRoutes(api.services);
});
afterAll(() => api.close());

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

const needing = (scope: Scope): string[] =>
  routes.filter((route) => route.scope === scope && route.method !== 'GET').map(nameOf);

it('asks for a scope at every operation that needs a credential', () => {
  expect(routes.filter(({ scope }) => scope === null).map(nameOf)).toEqual([
    'GET /health',
    'GET /health/ready',
  ]);
  expect(routes.filter((route) => route.method !== 'GET' && route.scope === 'read')).toEqual([]);
});

it('reads under the scope read, except for what is sensitive or opens something else', () => {
  const others = routes.filter(({ method, scope }) => method === 'GET' && scope !== 'read' && scope !== null);
  expect(others.map((route) => `${nameOf(route)}: ${route.scope}`)).toEqual([
    'GET /v1/users/{id}/kyc/documents/{docId}/content: sensitive',
    'GET /v1/cards/{id}/sensitive: sensitive',
    'GET /v1/webhooks/signing-key: manage',
  ]);
});

it('changes webhooks, secrets and the installation under the scope manage alone', () => {
  const elsewhere = /gas-station|networks|webhooks|client\/|events|sandbox\/clock|gas-balance|maintenance/;
  for (const name of needing('manage')) expect(name).toMatch(elsewhere);
  for (const scope of ['cards', 'money'] as const)
    for (const name of needing(scope)) expect(name).not.toMatch(elsewhere);
});

it('opens the operations of each scope to a secret of several, and all to a secret without scopes', async () => {
  const { clientId, call } = await api.client();
  const both = await narrowedHeaders(api, clientId, { scopes: ['read', 'money'] });
  const all = await narrowedHeaders(api, clientId, {});
  const statuses = (headers?: Record<string, string>) =>
    Promise.all(
      [
        call('GET', '/v1/accounts', undefined, headers),
        call('POST', '/v1/users/transfer', {}, headers),
        call('POST', '/v1/users', {}, headers),
      ].map(async (answer) => (await answer).status),
    );
  expect(await statuses(both)).toEqual([200, 400, 403]);
  expect(await statuses(all)).toEqual([200, 400, 201]);
  expect(await statuses()).toEqual([200, 400, 201]);
});

it('checks the scope after the path and the role, and before the body', async () => {
  const { clientId } = await api.client();
  const headers = await narrowedHeaders(api, clientId, { scopes: ['read'] });
  const code = async (method: string, path: string, body?: unknown) =>
    (await api.call(method, path, body, headers)).body.code;
  expect(await code('POST', '/v1/nothing', {})).toBe('not_found');
  expect(await code('PUT', '/v1/cards', {})).toBe('method_not_allowed');
  expect(await code('POST', '/v1/accounts/admin-deposit', {})).toBe('forbidden');
  expect(await code('POST', '/v1/cards', 'no JSON')).toBe('scope_missing');
});

it('says the scope of each operation in the document, and what a scope is in the guide', async () => {
  const document = (await api.call('GET', '/openapi.json')).body;
  for (const { method, path, scope } of routes) {
    const operation = document.paths[path][method.toLowerCase()];
    expect(operation['x-scope']).toBe(scope ?? undefined);
    if (scope !== null) expect(operation.description).toMatch(new RegExp(`Scope: \`${scope}\`\\.$`));
  }
  const guide = readFileSync(join(__dirname, '../../docs/api/credentials.md'), 'utf8');
  for (const scope of SCOPES) expect(guide).toContain(`| \`${scope}\` | ${SCOPE_MEANINGS[scope]} |`);
});
