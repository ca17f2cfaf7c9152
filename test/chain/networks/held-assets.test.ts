import type { Client } from '../../support/api';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

/** An asset that wallets are allocated for, or hold, is not dropped. */

let world: World;
let admin: Client;
beforeEach(async () => {
  world = await openWorld();
  admin = await world.api.client('admin');
});
afterEach(() => world.close());

const PATH = '/v1/networks/local';

/** A PUT that omits the asset, or gives it another contract. */
async function without(symbol: string, contract?: string) {
  const { assets, version } = (await admin.call('GET', PATH)).body;
  const change = (asset: object) => (contract === undefined ? [] : [{ ...asset, contract }]);
  const left = assets.flatMap((each: { symbol: string }) => (each.symbol === symbol ? change(each) : [each]));
  return admin.call('PUT', PATH, { assets: left, version });
}

const refusal = (message: string) => [
  409,
  { code: 'invalid_transition', field: 'assets', message: expect.stringContaining(message) },
];

it('refuses to drop an asset while a wallet is allocated for it', async () => {
  const address = await world.wallet(await world.account());
  const { status, body } = await without('USDT');
  expect([status, body]).toMatchObject(refusal('wallets allocated for it: 1'));
  await world.client.call('POST', '/v1/wallets/release', { chain: 'local', address });
  expect((await without('USDT')).status).toBe(200);
});

it('refuses to drop an asset that wallets hold, even without an owner, and to change its contract', async () => {
  const address = await world.wallet();
  await world.read();
  await world.chain.pay(world.token, address, 12_500_000n);
  await world.read();
  const confirming = await without('USDT');
  expect([confirming.status, confirming.body]).toMatchObject(refusal('deposits confirming: 1'));
  await world.chain.client.mine({ blocks: 3 });
  await world.read();
  const other = await world.chain.token();
  for (const { status, body } of [await without('USDT'), await without('USDT', other)])
    expect([status, body]).toMatchObject(refusal('wallets hold 12.5 USDT'));
  expect((await without('ETH')).status).toBe(200);
});
