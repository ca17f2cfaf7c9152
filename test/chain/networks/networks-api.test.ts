import { findOpened } from '../../../src/chain/networks/operations';
import { deriveWallets } from '../../../src/chain/wallets/operations';
import { type Client, type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';
import { chainDoor, withLocalNetwork } from '../../support/networks';
import { ownPort } from '../../support/own-port';

let api: TestApi;
let chain: TestChain;
let [admin, client] = [] as unknown as [Client, Client];
let token: string;
let gone: string;
let door: Awaited<ReturnType<typeof chainDoor>>;

beforeAll(async () => {
  [api, chain] = await Promise.all([testApi(), startTestChain()]);
  admin = await api.client('admin');
  client = await api.client();
  token = (await withLocalNetwork(api, chain)).token;
  door = await chainDoor(chain.url);
  gone = `http://127.0.0.1:${await ownPort()}/`;
});
afterAll(() => Promise.all([api.close(), chain.stop(), door.close()]));

const stored = () => api.database.query('select * from networks order by chain');
const read = async (name = 'local') => (await admin.call('GET', `/v1/networks/${name}`)).body;
const put = (body: object, name = 'local', headers = {}) =>
  admin.call('PUT', `/v1/networks/${name}`, body, headers);
const told = ({ status, body }: Awaited<ReturnType<typeof put>>) => [status, body.code, body.field];

let chainIds = 50_000;

/** A new network on a chain id of its own. */
const fresh = (change: object = {}) => {
  const chainId = ++chainIds;
  return {
    name: 'Another',
    kind: 'evm',
    chainId,
    rpcUrls: [door.as(chainId)],
    explorerUrl: null,
    confirmations: 5,
    enabled: true,
    version: 0,
    assets: [{ symbol: 'USDT', contract: token, decimals: 6, minDeposit: '1' }],
    ...change,
  };
};

describe('reading networks', () => {
  test('returns whole networks; only an admin sees the nodes', async () => {
    const { body } = await admin.call('GET', '/v1/networks');
    expect(body).toEqual({ data: expect.any(Array), hasMore: false, nextCursor: null });
    const local = {
      chain: 'local',
      name: 'Local chain',
      kind: 'evm',
      chainId: 31_337,
      explorerUrl: null,
      confirmations: 3,
      enabled: true,
      finality: 'confirmations',
      requestsPerSecond: null,
      feeModel: 'evm',
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      assets: [
        { symbol: 'USDT', contract: token, decimals: 6, minDeposit: '1.000000' },
        { symbol: 'ETH', decimals: 18, minDeposit: '0.001000000000000000' },
      ],
    };
    expect(body.data).toEqual([{ ...local, rpcUrls: [`${chain.url}/`] }]);
    expect(await read()).toEqual(body.data[0]);
    expect((await client.call('GET', '/v1/networks')).body.data).toEqual([local]);
    expect((await client.call('GET', '/v1/networks/local')).body).toEqual(local);
  });

  test.each(['ethereum', 'LOCAL', '%00', '..', 'x'.repeat(300)])('answers 404 for %s', async (name) => {
    expect(told(await client.call('GET', `/v1/networks/${encodeURIComponent(name)}`))).toEqual([
      ...[404, 'not_found', undefined],
    ]);
  });

  test('refuses clients that write', async () => {
    expect(told(await client.call('PUT', '/v1/networks/local', await read()))).toEqual([
      403,
      'forbidden',
      undefined,
    ]);
  });
});

describe('writing networks', () => {
  test('replaces a network by what was read, changed and sent back; a version counts once', async () => {
    const before = await read();
    const sent = { ...before, name: 'Renamed', confirmations: 4 };
    const { status, body } = await put(sent);
    expect([status, body]).toEqual([
      200,
      { ...sent, version: before.version + 1, updatedAt: expect.any(String) },
    ]);
    expect(await read()).toEqual(body);
    expect(told(await put(sent))).toEqual([409, 'version_conflict', 'version']);
    // Invalid fields are reported before an outdated version.
    const wrong: [string, object][] = [
      ['rpcUrls[0]', { rpcUrls: ['ftp://node.example/'] }],
      ['chainId', { chainId: 1 }],
    ];
    for (const [field, change] of wrong)
      expect(told(await put({ ...sent, ...change }))).toEqual([400, 'invalid_request', field]);
    for (const rpcUrls of [[gone], ['https://elsewhere.example/***']])
      expect(told(await put({ ...sent, rpcUrls }))).toEqual([409, 'version_conflict', 'version']);
    for (const field of ['createdAt', 'updatedAt'])
      expect(told(await put({ ...body, [field]: '2026-01-01T00:00:00.000Z' }))).toEqual([
        ...[400, 'invalid_request', field],
      ]);
    const [line] = await api.database.query<{ action: string; before: object; after: object }>(
      "select action, before, after from audit_log where subject = 'local' order by id desc limit 1",
    );
    expect(line).toEqual({ action: 'networks.update', before, after: { ...body, rpcUrlsChanged: false } });
  });

  test('one of many changes with one version takes effect; a repeated key gets its answer', async () => {
    const before = await read();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        put({ ...before, name: `Turn ${turn}` }, 'local', { 'x-idempotency-key': `turn-${turn}` }),
      ),
    );
    const won = answers.findIndex(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    const repeated = await put({ ...before, name: `Turn ${won}` }, 'local', {
      'x-idempotency-key': `turn-${won}`,
    });
    expect([repeated.text, repeated.headers.get('x-idempotent-replayed')]).toEqual([
      answers[won]!.text,
      'true',
    ]);
  });

  test('version 0 creates a network and its accounts, and only a new one', async () => {
    expect(told(await put(fresh({ version: 1 }), 'second'))).toEqual([404, 'not_found', undefined]);
    expect((await put(fresh(), 'second')).body).toMatchObject({ chain: 'second', version: 1 });
    expect(told(await put(fresh(), 'second'))).toEqual([409, 'version_conflict', 'version']);
    const [{ count }] = (await api.database.query<{ count: string }>(
      "select count(*) from ledger_accounts where id like '%@second:USDT'",
    )) as [{ count: string }];
    expect(count).toBe('4');
    expect(told(await put(fresh(), 'Bad_Name'))).toEqual([400, 'invalid_request', 'chain']);
  });

  test('a chain has one network, however many requests create it at once', async () => {
    expect(told(await put(fresh({ chainId: 31_337, rpcUrls: [chain.url] }), 'doubled'))).toEqual([
      ...[400, 'invalid_request', 'chainId'],
    ]);
    const given = fresh({ rpcUrls: [gone], enabled: false });
    const answers = await Promise.all(['one', 'two', 'three'].map((name) => put(given, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  test('refuses a new kind, and a new chainId once the network was enabled or has a wallet', async () => {
    const { body } = await put(fresh(), 'stays');
    expect(told(await put({ ...body, kind: 'tron' }, 'stays'))).toEqual([400, 'invalid_request', 'kind']);
    const off = await put({ ...body, kind: undefined, rpcUrls: [gone], enabled: false }, 'stays');
    expect(off.body).toMatchObject({ kind: 'evm', enabled: false });
    const another = { ...off.body, chainId: 60_001 };
    expect(told(await put(another, 'stays'))).toEqual([400, 'invalid_request', 'chainId']);

    const planned = (await put(fresh({ rpcUrls: [gone], enabled: false }), 'planned')).body;
    const corrected = (await put({ ...planned, chainId: 60_002 }, 'planned')).body;
    expect(corrected).toMatchObject({ chainId: 60_002, version: 2 });
    const derivation = { chain: 'planned', kind: 'evm', count: 1, purpose: 'pool' } as const;
    await api.database.transaction((tx) => deriveWallets(api.services, tx, derivation));
    expect(told(await put({ ...corrected, chainId: 60_003 }, 'planned'))).toEqual([
      ...[400, 'invalid_request', 'chainId'],
    ]);
  });

  test('reads the blocks that come after a network is enabled', async () => {
    const place = () =>
      api.database.query<{ number: string }>(
        "select block_number::text as number from chain_places where chain = 'begins'",
      );
    const head = async () => [{ number: String(await chain.client.getBlockNumber()) }];
    const off = (await put(fresh({ enabled: false }), 'begins')).body;
    expect(await place()).toEqual([]);
    const rpcUrls = [door.as(off.chainId)];
    const on = (await put({ ...off, rpcUrls, enabled: true }, 'begins')).body;
    const first = await head();
    expect(await place()).toEqual(first);
    await chain.client.mine({ blocks: 1 });
    const paused = (await put({ ...on, rpcUrls, enabled: false }, 'begins')).body;
    expect((await put({ ...paused, rpcUrls, enabled: true }, 'begins')).status).toBe(200);
    expect(await place()).toEqual(first); // blocks of the pause are read, too
  });

  test('keeps absent fields, and clears null fields', async () => {
    const made = (await put(fresh({ explorerUrl: 'https://explorer.example' }), 'kept')).body;
    const rpcUrls = (await findOpened(api.services, api.database, 'kept'))?.rpcUrls;
    const renamed = await put({ name: 'Renamed', version: 1 }, 'kept');
    expect([renamed.status, renamed.body]).toEqual([
      200,
      { ...made, name: 'Renamed', version: 2, updatedAt: expect.any(String) },
    ]);
    expect((await findOpened(api.services, api.database, 'kept'))?.rpcUrls).toEqual(rpcUrls);
    const cleared = await put({ explorerUrl: null, assets: null, version: 2 }, 'kept');
    expect([cleared.status, cleared.body]).toEqual([
      200,
      { ...renamed.body, explorerUrl: null, assets: [], version: 3, updatedAt: expect.any(String) },
    ]);
    for (const field of ['name', 'kind', 'chainId', 'rpcUrls', 'confirmations', 'enabled'])
      expect(told(await put({ [field]: null, version: 3 }, 'kept'))).toEqual([400, 'invalid_request', field]);
  });

  const asset = (change: object) => ({
    assets: [{ symbol: 'USDT', contract: token, decimals: 6, minDeposit: '1', ...change }],
  });
  const ETH = { symbol: 'ETH', decimals: 18, minDeposit: '0.01' };
  test.each<[string, object | (() => object), string]>([
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['another chain', { chain: 'other' }, 'chain'],
    ['no name', { name: '' }, 'name'],
    ['no kind', { kind: undefined }, 'kind'],
    ['no chain id', { chainId: undefined }, 'chainId'],
    ['another kind', { kind: 'tron' }, 'kind'],
    ['a wrong chain id', { chainId: 1 }, 'chainId'],
    ['no node', { rpcUrls: [] }, 'rpcUrls'],
    ['http elsewhere', { rpcUrls: ['http://node.example/'] }, 'rpcUrls[0]'],
    ['a private address', { rpcUrls: ['https://10.0.0.1/'] }, 'rpcUrls[0]'],
    ['a link-local address', { rpcUrls: ['https://169.254.169.254/'] }, 'rpcUrls[0]'],
    ['malformed credentials', { rpcUrls: ['https://a%zz:b@node.example/'] }, 'rpcUrls[0]'],
    ['a mask of nothing', { rpcUrls: ['https://node.example/***'] }, 'rpcUrls[0]'],
    ['a node twice', { rpcUrls: ['http://127.0.0.1:1/', 'http://127.0.0.1:1'] }, 'rpcUrls'],
    ['an explorer by http', { explorerUrl: 'http://explorer.example' }, 'explorerUrl'],
    ['no confirmation', { confirmations: 0 }, 'confirmations'],
    ['no version', { version: undefined }, 'version'],
    ['a symbol that the ledger has not', () => asset({ symbol: 'TRX' }), 'assets[0].symbol'],
    ['a native coin of other decimals', () => asset({ contract: undefined }), 'assets[0].decimals'],
    ['a coin that the ledger has otherwise', { assets: [{ ...ETH, symbol: 'USDT' }] }, 'assets[0].decimals'],
    ['a coin with a symbol of ISO 4217', { assets: [{ ...ETH, symbol: 'MNT' }] }, 'assets[0].symbol'],
    ['a coin with the symbol of a metal', { assets: [{ ...ETH, symbol: 'XAU' }] }, 'assets[0].symbol'],
    ['a coin in lower case', { assets: [{ ...ETH, symbol: 'bnb' }] }, 'assets[0].symbol'],
    ['fees of a chain below that there is none of', { feeModel: 'op' }, 'feeModel'],
    ['fees of another family of chains', { feeModel: 'arbitrum' }, 'feeModel'],
    [
      'a wrong checksum',
      asset({ contract: '0x52908400098527886E0F7030069857D2E4169Ee7' }),
      'assets[0].contract',
    ],
    ['no contract there', () => asset({ contract: `0x${'12'.repeat(20)}` }), 'assets[0].contract'],
    ['other decimals', () => asset({ decimals: 18 }), 'assets[0].decimals'],
    ['decimals beyond bounds', () => asset({ decimals: 37 }), 'assets[0].decimals'],
    ['an amount too fine', () => asset({ minDeposit: '0.0000001' }), 'assets[0].minDeposit'],
    ['a number for an amount', () => asset({ minDeposit: 1 }), 'assets[0].minDeposit'],
    ['a coin of other decimals', { assets: [{ ...ETH, decimals: 6 }] }, 'assets[0].decimals'],
    ['a symbol twice', { assets: [ETH, { ...ETH, contract: undefined }] }, 'assets[1].symbol'],
  ])('answers 400 naming the field and changes nothing for %s', async (_, change, field) => {
    const before = await stored();
    const answer = await put(fresh(typeof change === 'function' ? change() : change), 'refused');
    expect(told(answer)).toEqual([400, 'invalid_request', field]);
    expect(await stored()).toEqual(before);
  });

  test('stores a contract with its checksum, whatever its case', async () => {
    const { body } = await put(fresh(asset({ contract: token.toLowerCase() })), 'lower');
    expect(body.assets[0].contract).toBe(token);
  });
});

describe('nodes of a network', () => {
  test('answers 503 while no node of an enabled network answers, and asks the next node', async () => {
    const before = await stored();
    expect(told(await put(fresh({ rpcUrls: [gone] }), 'away'))).toEqual([503, 'unavailable', undefined]);
    expect(await stored()).toEqual(before);
    expect((await put(fresh({ rpcUrls: [gone], enabled: false }), 'away')).status).toBe(200);
    const { chainId } = await read('away');
    const both = fresh({ chainId, rpcUrls: [gone, door.as(chainId)], version: 1 });
    expect((await put(both, 'away')).body).toMatchObject({ enabled: true, version: 2 });
  });

  test('refuses a node of another chain', async () => {
    const { rpcUrls, ...rest } = fresh({ enabled: false });
    const answer = await put({ ...rest, rpcUrls: [...rpcUrls, door.as(1)] }, 'lies');
    expect(told(answer)).toEqual([400, 'invalid_request', 'chainId']);
  });

  test('accepts unrelated changes while the nodes are away', async () => {
    await put(fresh({ rpcUrls: [`${gone}key`], enabled: false }), 'quiet');
    await api.database.query("update networks set enabled = true where chain = 'quiet'");
    const quiet = await read('quiet');
    expect((await put({ ...quiet, confirmations: 9 }, 'quiet')).body).toMatchObject({ confirmations: 9 });
  });

  test('masks credentials, keeps them when the mask is sent back, and shows them nowhere', async () => {
    const keys = ['k3y-one', 'k3y-two', 'k3y-three'];
    const rpcUrls = [
      `${gone}v3/${keys[0]}`,
      `${gone}v3/${keys[1]}`,
      `${gone.replace('//', `//user:${keys[2]}@`)}?token=${keys[2]}`,
    ];
    const made = await put(fresh({ rpcUrls, enabled: false }), 'keys');
    const masks = [`${gone}***`, `${gone}***`, `${gone.replace('//', '//***@')}***`];
    expect(made.body.rpcUrls).toEqual(masks);
    // The first two masks look alike: the one at the same position is kept, else the next. Both must be kept, or
    // neither.
    const [first, , third] = masks;
    const moved = await put({ ...made.body, rpcUrls: [third, first, first] }, 'keys');
    expect(moved.body.rpcUrls).toEqual([third, first, first]);
    const kept = await findOpened(api.services, api.database, 'keys');
    expect(kept?.rpcUrls).toEqual([rpcUrls[2], rpcUrls[1], rpcUrls[0]]);
    for (const [unclear, field] of [
      [[third, first], 'rpcUrls'],
      [[first, first, first], 'rpcUrls'],
      [[third, third], 'rpcUrls[1]'],
    ] as const)
      expect(told(await put({ ...moved.body, rpcUrls: unclear }, 'keys'))).toEqual([
        ...[400, 'invalid_request', field],
      ]);
    const everything = await api.database.query<{ text: string }>(
      'select (select json_agg(a) from audit_log a)::text || (select json_agg(n) from networks n)::text as text',
    );
    for (const key of keys) expect(everything[0]!.text + moved.text).not.toContain(key);
  });
});
