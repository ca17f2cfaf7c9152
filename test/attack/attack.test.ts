import { rm } from 'node:fs/promises';
import { type ApiDocument, documentWith, LEFT_OUT } from '../../scripts/attack/deviations';
import { loopbackUrl } from '../../scripts/attack/options';
import { pythonWith, SCHEMATHESIS } from '../../scripts/support/python';
import { type TestApi, testApi } from '../support/api';
import { temporaryFolder } from '../support/servers';

let api: TestApi;
let served: ApiDocument;
beforeAll(async () => {
  api = await testApi();
  served = (await api.call('GET', '/openapi.json')).body;
});
afterAll(() => api.close());

it('attacks only this machine', () => {
  for (const url of ['http://127.0.0.1:8080', 'http://localhost:1', 'http://[::1]:8080', 'https://127.8.9.1'])
    expect(loopbackUrl(`${url}/`)).toBe(url);
  for (const url of [
    ...['http://cards.example', 'http://10.0.0.1:8080', 'http://127.0.0.1.example', 'http://0.0.0.0:8080'],
    ...['ftp://127.0.0.1', 'file:///etc', 'localhost', '', 'http://127.0.0.1@cards.example'],
    ...['http://user@127.0.0.1', 'http://127.0.0.1/v1', 'http://127.0.0.1/?x=1'],
  ])
    expect(() => loopbackUrl(url)).toThrow();
});

it('skips only operations that would end the attack', () => {
  const names = (document: ApiDocument) =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  const attacked = names(documentWith(served, {}));
  expect(names(served).filter((name) => !attacked.includes(name))).toEqual(Object.keys(LEFT_OUT));
});

it('adds real ids and deviations as examples without changing which requests are valid', () => {
  const ids = { card: 'card_real', account: 'acc_real', masterAccount: 'acc_master' };
  const { paths }: any = documentWith(served, ids);
  expect(paths['/v1/cards/{id}'].get.parameters[0].schema.examples).toEqual(['card_real', 'a\0b']);
  const { properties } = paths['/v1/users/transfer'].post.requestBody.content['application/json'].schema;
  expect([properties.fromAccountId, properties.toAccountId].map(({ examples }) => examples)).toEqual([
    ['acc_real', 'a\0b'],
    ['acc_master', 'a\0b'],
  ]);
  const rate = paths['/v1/cards/{id}/decline-rate'].get.parameters;
  expect(rate.find(({ name }: { name: string }) => name === 'to').schema.examples).toContain(
    '9999-12-31T23:59:59.999Z',
  );
  const without = (document: object) =>
    JSON.parse(JSON.stringify(document, (key, value) => (key === 'examples' ? undefined : value)));
  const rest = without(served);
  for (const name of Object.keys(LEFT_OUT)) {
    const [method = '', path = ''] = name.split(' ');
    delete rest.paths[path][method.toLowerCase()];
  }
  expect(without(documentWith(served, ids))).toEqual(rest);
});

it('says what to install where there is no Python', async () => {
  const cacheDir = temporaryFolder();
  try {
    const context = { cacheDir, environment: { PATH: cacheDir } };
    await expect(pythonWith(SCHEMATHESIS, context)).rejects.toThrow(
      /needs Python 3\.11 or newer[^]*python3: [^]*python: /,
    );
  } finally {
    await rm(cacheDir, { recursive: true });
  }
});
