import { setTimeout as sleep } from 'node:timers/promises';
import { switchOff } from '../../../src/process/switches/operations';
import { masterAccount } from '../../support/cards';
import { type GasWorld, gasWorld, TERMS } from './support';

/** Lists, records and requests of the gas station and the pool have what all of the API has (decisions part 1). */

let world: GasWorld;
let station: { id: string; address: string };
beforeAll(async () => {
  world = await gasWorld();
  await world.configure();
  station = (await world.admin.call('POST', '/v1/gas-station/wallet/generate', { chain: 'local' })).body;
  await world.chain.pay(null, station.address, 10n ** 18n);
});
afterAll(() => world.close());

const GAS = '/v1/gas-station';
const get = async (path: string) => (await world.admin.call('GET', path)).body;
const post = (path: string, body: object, headers = {}) => world.admin.call('POST', path, body, headers);

/** Reads all pages of a list. */
async function pages(path: string): Promise<Record<string, string>[]> {
  const found: Record<string, string>[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: any = await get(`${path}&limit=2${cursor && `&cursor=${cursor}`}`);
    expect(page.data.length).toBeLessThanOrEqual(2);
    found.push(...page.data);
    cursor = page.nextCursor;
  }
  return found;
}

async function rich(count: number): Promise<{ id: string; address: string }[]> {
  const made: { id: string; address: string }[] = [];
  for (let n = 0; n < count; n += 1) {
    const wallet = await world.wallet();
    await world.chain.pay(world.token, wallet.address, 9_000_000n);
    made.push(wallet);
  }
  return made;
}

it('pages candidates newest first, within a period', async () => {
  const wallets = await rich(5);
  const newest = wallets.map(({ id }) => id).sort((one, other) => (one > other ? -1 : 1));
  for (const kind of ['sweep', 'topup']) {
    const path = `${GAS}/${kind}-candidates?chain=local`;
    const all = await pages(path);
    expect(all.map(({ walletId }) => walletId)).toEqual(newest);
    const at = all[2]?.['createdAt'] ?? '';
    const since = (await get(`${path}&from=${at}`)).data;
    expect(since).toEqual(all.filter(({ createdAt = '' }) => createdAt >= at));
    expect((await get(`${path}&cursor=eyJ9`)).field).toBe('cursor');
  }
});

it('filters operations by wallet and asset, and station top-ups by address and payer', async () => {
  const [one, other] = await rich(2);
  for (const wallet of [one, other])
    await post(`${GAS}/topup-operations`, { walletId: wallet?.id, amount: '0.01' });
  for (const list of ['operations', 'operations/history']) {
    const of = async (query: string) =>
      (await get(`${GAS}/${list}?${query}`)).data.map(({ walletId }: { walletId: string }) => walletId);
    expect(await of(`walletId=${one?.id}`)).toEqual([one?.id]);
    expect(await of(`walletId=${one?.id}&asset=USDT`)).toEqual([]);
    expect((await of('asset=ETH')).sort()).toEqual([one?.id, other?.id].sort());
  }
  await world.chain.client.mine({ blocks: 3 });
  const scan = () => post(`${GAS}/station-topups/scan`, { chain: 'local' });
  const [first, second] = [await scan(), await scan()];
  expect([first.status, first.body.found.length, second.status]).toEqual([201, 1, 200]);
  const [topup] = first.body.found;
  expect(topup).toMatchObject({ updatedAt: topup.createdAt });
  const found = async (query: string) => (await get(`${GAS}/station-topups?${query}`)).data.length;
  expect(await found(`address=${station.address.toLowerCase()}&paidBy=funding`)).toBe(1);
  expect(await found(`address=${one?.address}`)).toBe(0);
  expect(await found('paidBy=pool')).toBe(0);
});

it('shows the same status of a rested wallet in every route', async () => {
  const { id, address } = await world.wallet();
  await world.api.database.query(
    `update wallets set status = 'quarantined', quarantined_until = now() - interval '1 second' where id = $1`,
    [id],
  );
  const ids = async (status: string) =>
    (await get(`${GAS}/wallets?limit=100&purpose=pool&status=${status}`)).data.map((each: any) => each.id);
  expect([(await ids('available')).includes(id), (await ids('quarantined')).includes(id)]).toEqual([
    true,
    false,
  ]);
  const [stats] = (await get('/v1/wallets/stats')).data;
  expect(stats.available).toBe((await ids('available')).length);
  const shown = (await get(`${GAS}/wallets?limit=100`)).data.find((each: any) => each.id === id);
  expect([shown.status, shown.quarantinedUntil]).toEqual(['available', undefined]);
  expect((await get(`/v1/wallets/${address}/balance?chain=local`)).status).toBe('available');
  const path = `/v1/wallets/${address}/gas-balance?chain=local`;
  const noted = (await world.admin.call('PUT', path, { gasBalance: '1' })).body;
  expect(noted).toMatchObject({ id, status: 'available', createdAt: shown.createdAt });
  expect(noted.updatedAt).toEqual(expect.any(String));
});

it('waits for an operation with `Prefer: wait`', async () => {
  const [wallet] = await rich(1);
  const made = await post(
    `${GAS}/topup-operations`,
    { walletId: wallet?.id, amount: '0.01' },
    { prefer: 'wait=1' },
  );
  expect([made.status, made.headers.get('preference-applied')]).toEqual([201, 'wait=1']);
  const path = `${GAS}/topup-operations/${made.body.id}`;
  await get(`${path}/export`);
  const waiting = post(`${GAS}/operations`, { walletId: wallet?.id, asset: 'USDT' }, { prefer: 'wait=1' });
  expect((await waiting).status).toBe(409); // the wallet has no gas yet
  const txHash = await world.chain.pay(null, wallet?.address ?? '', 10n ** 16n);
  const refused = await post(`${path}/confirm`, { txHash }, { prefer: 'wait=1' });
  expect([refused.status, refused.headers.get('preference-applied')]).toEqual([409, null]);
});

it('accepts the configuration that it shows unchanged, and refuses changed read-only fields', async () => {
  const path = `${GAS}/config/local`;
  const before = await get(path);
  expect(before).toMatchObject({
    stationAddress: station.address,
    stationWalletId: station.id,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const { status, body: after } = await world.admin.call('PUT', path, before);
  expect([status, after]).toMatchObject([200, { version: before.version + 1 }]);
  const others: [string, string][] = [
    ['chain', 'other'],
    ['stationAddress', TERMS.treasuryAddress],
    ['stationWalletId', 'wal_other'],
    ['createdAt', '2026-01-01T00:00:00.000Z'],
    ['updatedAt', '2026-01-01T00:00:00.000Z'],
  ];
  for (const [field, value] of others) {
    const refused = await world.admin.call('PUT', path, { ...after, [field]: value });
    expect([refused.status, refused.body.field]).toEqual([400, field]);
  }
  expect(await get(path)).toEqual(after);
});

it('refuses an admin who acts for a company without the crypto capability, however the company is named', async () => {
  const client = await world.api.client();
  const accountId = await masterAccount(client);
  const asked = { chain: 'local', asset: 'USDT', accountId, reference: 'one' };
  const { address } = (await client.call('POST', '/v1/wallets/allocate', asked)).body;
  const txHash = await world.chain.pay(world.token, address, 2_000_000n);
  const by = { at: new Date(), by: 'test', reason: 'test' };
  const what = { kind: 'capability', name: 'crypto', tenantId: client.clientId } as const;
  await world.api.database.transaction((tx) => switchOff(tx, what, by));
  await sleep(1_050); // a switch takes effect within a second
  for (const [verb, body] of [
    ['allocate', asked],
    ['release', { chain: 'local', address: address.toLowerCase() }],
    ['deposit', { chain: 'local', address, txHash }],
  ] as const) {
    const refused = await post(`/v1/wallets/${verb}`, body);
    expect([verb, refused.status, refused.body.code]).toEqual([verb, 403, 'capability_disabled']);
  }
  expect((await post('/v1/wallets/release', { chain: 'local', address: 'nothing' })).status).toBe(404);
});
