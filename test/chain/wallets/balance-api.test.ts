import type { Address } from 'viem';
import { Decimal } from '../../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { startTestChain, type TestChain } from '../../support/chain';
import { chainDoor, withLocalNetwork } from '../../support/networks';

let api: TestApi;
let chain: TestChain;
let token: Address;
let door: Awaited<ReturnType<typeof chainDoor>>;
let client: Client;
let admin: Client;
const USDT = [{ symbol: 'USDT', contract: null, decimals: 6, minDeposit: new Decimal(1) }];
const clock = { at: new Date('2026-03-01T12:00:00.000Z') };

beforeAll(async () => {
  [api, chain] = await Promise.all([testApi({ now: () => clock.at }), startTestChain()]);
  door = await chainDoor(chain.url);
  ({ token } = await withLocalNetwork(api, chain));
  await withLocalNetwork(api, chain, {
    chain: 'away',
    chainId: 31_338,
    rpcUrls: ['http://127.0.0.1:9'],
    assets: USDT,
  });
  // The network's contract is no token on this chain.
  const bare = { chain: 'bare', chainId: 31_339, token: chain.payer, rpcUrls: [door.as(31_339)] };
  await withLocalNetwork(api, chain, bare);
  [client, admin] = [await api.client(), await api.client('admin')];
});
afterAll(() => Promise.all([api.close(), chain.stop(), door.close()]));

let references = 0;
async function allocate(given: object = {}): Promise<string> {
  const accountId = await masterAccount(client);
  const asked = { chain: 'local', asset: 'USDT', accountId, reference: `order-${references++}` };
  return (await client.call('POST', '/v1/wallets/allocate', { ...asked, ...given })).body.address;
}
const balanceOf = (address: string, by = client, on = 'local') =>
  by.call('GET', `/v1/wallets/${address}/balance?chain=${on}`);
const note = (address: string, body: object, by = admin, on = 'local') =>
  by.call('PUT', `/v1/wallets/${address}/gas-balance?chain=${on}`, body);

describe('the balance of a wallet', () => {
  it('is read from the chain', async () => {
    const address = await allocate();
    await chain.pay(token, address, 12_500_001n);
    await chain.pay(null, address, 10n ** 15n);
    const { status, body } = await balanceOf(address.toLowerCase());
    expect([status, body]).toEqual([
      200,
      {
        address,
        chain: 'local',
        status: 'allocated',
        permanent: false,
        balances: [
          { asset: 'USDT', balance: '12.500001' },
          { asset: 'ETH', balance: '0.001000000000000000' },
        ],
        gasBalance: '0.001000000000000000',
        asOf: '2026-03-01T12:00:00.000Z',
      },
    ]);
  });

  it('is shown to the tenant while the wallet is allocated, and to admins', async () => {
    const address = await allocate({ ttlSeconds: 60 });
    const stranger = await api.client();
    expect((await balanceOf(address, stranger)).body.code).toBe('not_found');
    const [began, over] = [clock.at, new Date(clock.at.getTime() + 60_000)];
    clock.at = over;
    expect((await balanceOf(address)).status).toBe(404); // although its workflow has not ended it yet
    clock.at = began;
    await client.call('POST', '/v1/wallets/release', { chain: 'local', address });
    expect((await balanceOf(address)).status).toBe(404);
    expect((await balanceOf(address, admin)).body.status).toBe('quarantined');
    expect((await balanceOf(address, admin, 'nowhere')).body.field).toBe('chain');
    expect((await balanceOf('0x0', admin)).body.field).toBe('address');
  });

  it('answers 503 while the chain cannot be asked', async () => {
    const { status, body } = await balanceOf(await allocate({ chain: 'away' }), client, 'away');
    expect([status, body.code]).toEqual([503, 'unavailable']);
  });

  it('leaves out a token that the chain does not know, and says so', async () => {
    const { status, body } = await balanceOf(await allocate({ chain: 'bare' }), client, 'bare');
    const detail = expect.stringContaining('USDT does not answer');
    expect([status, body]).toMatchObject([200, { balances: [{ asset: 'ETH' }], detail }]);
  });
});

describe('the gas balance that a person notes', () => {
  it("is shown to admins beside the chain's answer, and audited", async () => {
    const address = await allocate();
    const noted = await note(address, { gasBalance: '0.25' });
    const kept = { gasBalance: '0.250000000000000000', notedAt: clock.at.toISOString() };
    expect([noted.status, noted.body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^wal_/),
        address,
        chain: 'local',
        status: 'allocated',
        noted: kept,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect((await balanceOf(address, admin)).body.noted).toEqual(kept);
    expect((await balanceOf(address)).body).not.toHaveProperty('noted');
    const [line] = await api.database.query(
      `select before, after from audit_log where action = 'wallets.gas-balance' order by id desc limit 1`,
    );
    expect(line).toEqual({ before: { gasBalance: null }, after: { gasBalance: '0.25' } });
  });

  it.each([
    [{ gasBalance: '0.0000000000000000001' }, 'local', 'gasBalance'],
    [{ gasBalance: 1 }, 'local', 'gasBalance'],
    [{ gasBalance: '-1' }, 'local', 'gasBalance'],
    [{}, 'local', 'gasBalance'],
  ])('refuses %j on %s', async (body, on, field) => {
    const refused = await note(await allocate({ chain: on }), body, admin, on);
    expect([refused.status, refused.body.field]).toEqual([400, field]);
  });

  it('is for the operator, like the statistics and the maintenance', async () => {
    const address = await allocate();
    expect((await note(address, { gasBalance: '1' }, client)).status).toBe(403);
    expect((await client.call('GET', '/v1/wallets/stats')).status).toBe(403);
    expect((await client.call('POST', '/v1/wallets/maintenance/release-expired')).status).toBe(403);
    expect((await note('0x0', { gasBalance: '1' })).status).toBe(404);
  });
});
