/** @long */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { judgedTerms } from '../../../src/chain/networks/changes/update';
import { warnOfFewHosts } from '../../../src/chain/networks/nodes/hosts';
import { findOpened, type OpenedNetwork } from '../../../src/chain/networks/operations';
import { type Client, type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';
import { testKeyring } from '../../support/keyring';
import { chainDoor, withLocalNetwork } from '../../support/networks';
import { operatorOf, setLimits, type TestOperator } from '../../support/operator';
import { ownPort } from '../../support/own-port';

const masterKey = randomBytes(32);
let api: TestApi;
let chain: TestChain;
let [admin, client] = [] as unknown as [Client, Client];
let [ida, bob] = [] as unknown as [TestOperator, TestOperator];
let token: string;
let door: Awaited<ReturnType<typeof chainDoor>>;

beforeAll(async () => {
  [api, chain] = await Promise.all([testApi({ keyring: testKeyring(masterKey) }), startTestChain()]);
  [admin, client] = await Promise.all([api.client('admin'), api.client()]);
  ida = await operatorOf(api, masterKey, {}, 'ida');
  bob = await operatorOf(api, masterKey, {}, 'bob');
  token = (await withLocalNetwork(api, chain)).token;
  door = await chainDoor(chain.url);
  await setLimits(api.database, { dualControl: 'on' });
});
afterAll(() => Promise.all([api.close(), chain.stop(), door.close()]));

const PATH = '/v1/networks/local';
const read = async (path = PATH) => (await admin.call('GET', path)).body;
const put = async (body: object, path = PATH) => {
  const { version = 0 } = await read(path);
  return admin.call('PUT', path, { version, ...body });
};
const stored = () => findOpened(api.services, api.database, 'local');
const approveBoth = async (id: string) => {
  expect((await ida('approval', 'approve', id)).code).toBe(0);
  return bob('approval', 'approve', id);
};
const reject = async (id: string) =>
  expect((await ida('approval', 'reject', id, '--reason', 'a thief')).code).toBe(0);

describe('one admin secret', () => {
  const usdt = (contract: string) => ({ symbol: 'USDT', contract, decimals: 6, minDeposit: '1' });
  test.each<[string, () => object | Promise<object>]>([
    ['rpcUrls', () => ({ rpcUrls: [door.as(31_337)] })],
    ['confirmations', () => ({ confirmations: 1 })],
    ['finality', () => ({ finality: 'safe' })],
    ['assets', async () => ({ assets: [usdt(await chain.token({ decimals: 6 })), ...(await eth())] })],
  ])('does not change %s', async (field, change) => {
    const before = await read();
    const opened = await stored();
    const { status, body } = await put(await change());
    expect([status, body]).toEqual([
      202,
      { ...before, approvalId: expect.stringMatching(/^apr_/), pending: expect.any(Array) },
    ]);
    expect(body.pending).toMatchObject([
      { approvalId: body.approvalId, requestedBy: admin.clientId, needs: 2, changes: [{ field }] },
    ]);
    expect(await stored()).toEqual(opened);
    expect((await read()).pending).toEqual(body.pending);
    expect((await client.call('GET', PATH)).body).not.toHaveProperty('pending');
    await reject(body.approvalId);
    expect(await read()).toEqual(before);
  });

  const eth = async () => [(await read()).assets[1]];

  test('creates no network', async () => {
    const given = {
      name: 'Another',
      kind: 'evm',
      chainId: 50_001,
      rpcUrls: [door.as(50_001)],
      confirmations: 5,
      enabled: true,
      assets: [usdt(token)],
    };
    const { status, body } = await put(given, '/v1/networks/another');
    expect([status, body]).toMatchObject([202, { approvalId: expect.any(String), pending: [{}] }]);
    expect((await admin.call('GET', '/v1/networks/another')).status).toBe(404);
    expect((await approveBoth(body.approvalId)).code).toBe(0);
    expect(await read('/v1/networks/another')).toMatchObject({ version: 1, enabled: true, confirmations: 5 });
  });

  test('changes a name, and disables a network, at once', async () => {
    expect(await put({ name: 'Renamed' })).toMatchObject({ status: 200, body: { name: 'Renamed' } });
    expect(await put({ enabled: false })).toMatchObject({ status: 200, body: { enabled: false } });
    expect((await put({ enabled: true })).status).toBe(200);
  });
});

test('saves what two operators approve, with the requested node addresses', async () => {
  const rpcUrls = [door.as(31_337), `${chain.url}/`];
  const { body } = await put({ rpcUrls });
  const listed = await ida('approval', 'list');
  expect(listed.text).toMatch(/rpcUrls: http:\S+ -> \S+\*\*\* \(new\)/);
  const [row] = await api.database.query<{ terms: object }>('select terms from approvals where id = $1', [
    body.approvalId,
  ]);
  expect(JSON.stringify(row)).not.toContain('127.0.0.1');
  const { version } = await read();
  expect((await approveBoth(body.approvalId)).code).toBe(0);
  expect((await stored())?.rpcUrls).toEqual(rpcUrls);
  expect((await read()).version).toBe(version + 1);
});

test('is asked for at the desk by one operator, and saved when another approves it', async () => {
  const rpcUrls = [door.as(31_337), `${chain.url}/`];
  const before = await stored();
  const change = [
    'network',
    'config',
    'local',
    '--rpc-urls',
    ...rpcUrls.toReversed(),
    '--confirmations',
    '4',
  ];
  const preview = await ida(...change, '--preview');
  expect(preview.text).toMatch(/rpcUrls .*\nconfirmations +3 +4\n\nIt takes two operators/);
  const asked = (await ida(...change, '--reason', 'nearer nodes', '--json')).json();
  const [row] = await api.database.query<{ terms: object }>('select terms from approvals where id = $1', [
    asked.approval.id,
  ]);
  expect(JSON.stringify(row)).not.toContain('127.0.0.1');
  expect(await stored()).toEqual(before);
  expect((await bob('approval', 'approve', asked.approval.id)).code).toBe(0);
  expect(await stored()).toMatchObject({ network: { confirmations: 4 }, rpcUrls: rpcUrls.toReversed() });
  const renamed = await ida(
    'network',
    'config',
    'local',
    '--name',
    'At once',
    '--reason',
    'a name',
    '--json',
  );
  expect(renamed.json()).toMatchObject({ name: 'At once', confirmations: 4 });
});

test('asks the nodes again at the approval', async () => {
  const [other, port] = [await chainDoor(chain.url), await ownPort()];
  const { body } = await put({ rpcUrls: [other.as(31_337), `http://127.0.0.1:${port}/`] });
  await other.close();
  const { err, code } = await ida('approval', 'approve', body.approvalId);
  expect([code, err]).toEqual([1, expect.stringContaining('cannot be reached')]);
  await reject(body.approvalId);
});

describe('live mode', () => {
  const judged = async (change: object, leastNodeHosts = 2) => {
    const { version } = await read();
    const services = { ...api.services, mode: 'live' as const, leastNodeHosts };
    const given = { version, enabled: true, ...change };
    return judgedTerms(services, 'local', given, async () => ['93.184.216.34']).then(
      () => 'taken',
      ({ field }: { field?: string }) => field ?? 'asked',
    );
  };
  const [one, other] = ['https://one.node.example/a', 'https://two.node.example/'];

  test.each([
    ['one node', [one]],
    ['two nodes of a host', [one, 'https://one.node.example/b']],
    ['a host in two spellings', [one, 'https://ONE.node.example./c']],
    ['a host at two ports', [one, 'https://one.node.example:8443/']],
  ])('refuses an enabled network with %s', async (_, rpcUrls) => {
    expect(await judged({ rpcUrls })).toBe('rpcUrls');
    expect(await judged({ rpcUrls }, 1)).toBe('asked'); // with the setting for tests
  });

  test('accepts two hosts, and any number for a disabled network', async () => {
    expect(await judged({ rpcUrls: [one, other] })).toBe('asked');
    expect(await judged({ rpcUrls: [one], enabled: false })).toBe('taken');
  });

  test.each([
    ['two hosts', [one, other], {}, 1],
    ['three nodes of two hosts', [one, other, `${other}b`], {}, 1],
    ['three hosts', [one, other, 'https://three.node.example/'], {}, 0],
    ['two hosts, disabled', [one, other], { enabled: false }, 0],
  ])('warns of fewer than three hosts: %s', async (_, rpcUrls, more, warnings) => {
    const { network } = (await stored()) as OpenedNetwork;
    const warned: object[] = [];
    const log = { warn: (about: object) => warned.push(about) } as unknown as Logger;
    warnOfFewHosts({ log, mode: 'live' }, { network: { ...network, enabled: true, ...more }, rpcUrls });
    expect(warned).toEqual(warnings === 0 ? [] : [{ chain: 'local', hosts: 2 }]);
    warnOfFewHosts({ log, mode: 'sandbox' }, { network: { ...network, enabled: true }, rpcUrls });
    expect(warned).toHaveLength(warnings);
  });

  test('requires two hosts unless the setting for tests allows one', async () => {
    const { parties } = api.services;
    const live = await testApi({ mode: 'live', parties });
    const tests = await testApi({ mode: 'live', parties, singleNodeForTests: true });
    expect([live, tests].map(({ services }) => services.leastNodeHosts)).toEqual([2, 1]);
    await Promise.all([live.close(), tests.close()]);
  });
});
