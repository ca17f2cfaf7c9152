/** @long */
import { rm } from 'node:fs/promises';
import { type ApiDocument, documentWith, LEFT_OUT } from '../../scripts/attack/deviations';
import { loopbackUrl } from '../../scripts/attack/options';
import { runSections } from '../../scripts/attack/run-sections';
import { SECTION_NAMES } from '../../scripts/attack/sections/all';
import { LINES } from '../../scripts/attack/sections/parties';
import { reportOf } from '../../scripts/attack/trials';
import { createWorld, type World } from '../../scripts/attack/world';
import { pythonWith, SCHEMATHESIS } from '../../scripts/support/python';
import { outsideRoutes } from '../../src/composition';
import { checkLedger } from '../../src/kernel/ledger/check';
import { partySecret } from '../../src/parties/sandbox/mount';
import { operators, type Person } from '../desk/support';
import { DECIDED_AT_ONCE, type TestApi, testApi } from '../support/api';
import { type TestDesk, testDesk } from '../support/desk';
import { temporaryFolder } from '../support/servers';
import { recordsOf } from './records';

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

describe('the sections', () => {
  let attacked: TestApi;
  let desk: TestDesk;
  let world: World;
  beforeAll(async () => {
    attacked = await testApi(DECIDED_AT_ONCE);
    desk = await testDesk(attacked.services);
    const [chief, deputy] = (await operators(attacked, 'ida', 'bob')) as [Person, Person];
    const records = recordsOf(attacked, await attacked.client(), 'Ada');
    world = await createWorld({
      api: attacked.url,
      desk: desk.url,
      database: attacked.database,
      partySecret: (party) => partySecret(attacked.services.keyring, party),
      people: { chief, deputy },
      records,
      isWhole: false,
    });
  });
  afterAll(async () => {
    await desk.close();
    await attacked.close();
  });

  // `npm run attack` tries all cases. Here each table has at most 150, others by each seed.
  it.each(SECTION_NAMES)('%s', async (name) => {
    const seed = Number(process.env['FC_SEED'] ?? 20_261_126);
    const [tried] = await runSections(world, [name], { seed, most: 150, show: () => undefined });
    expect(reportOf(tried ? [tried] : [], seed).slice(2)).toEqual([]);
    expect(tried?.cases).toBeGreaterThan(20);
  });

  it('leave correct books', async () => expect(await checkLedger(attacked.database)).toEqual([]));

  it('find the input of a decision demanded where it has required fields', () => {
    const requiredOf = (name: string): string[] =>
      (world.documents.desk as any).paths[`/desk/v1/decisions/${name}`].post.requestBody.content[
        'application/json'
      ].schema.required;
    expect(requiredOf('client.settings')).toContain('input');
    expect(requiredOf('client.revoke')).not.toContain('input');
  });

  it('forge every message that a party may send', () => {
    const signed = outsideRoutes(attacked.services).filter(
      ({ method, tag }) => method === 'POST' && tag === 'Callbacks',
    );
    expect(LINES.map(({ path }) => path).sort()).toEqual(signed.map(({ path }) => path).sort());
  });
});

it('skips only operations that would end the attack', () => {
  const names = (document: ApiDocument) =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  const attacked = names(documentWith(served, {}));
  const ofApi = Object.keys(LEFT_OUT).filter((name) => !name.includes(' /desk/'));
  expect(names(served).filter((name) => !attacked.includes(name))).toEqual(ofApi);
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
    delete rest.paths[path]?.[method.toLowerCase()];
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
