import { parseEther } from 'viem';
import { createOperation, orderSweep } from '../../../../src/chain/gas-station/operations/lifecycle/create';
import { masterAccount } from '../../../support/cards';
import { fundNative, posted, type TestStation } from '../operations/support';
import { completed, delegatedStation, ended } from './delegated-station';

/** Many payers send the native coin with 21,000 gas, which cannot pay an address with code. */

const UNITS = 2_000_000n;

let world: TestStation;
beforeAll(async () => {
  world = await delegatedStation();
});
afterAll(() => world.close());

/** A client, and its wallet requests. */
async function tenant() {
  const client = await world.api.client();
  const accountId = await masterAccount(client);
  let references = 0;
  const allocate = (asset: string) => {
    const terms = { chain: 'local', accountId, asset, reference: `order-${references++}` };
    return posted(client, '/v1/wallets/allocate', terms);
  };
  return {
    tenantId: client.clientId,
    allocate,
    /**
     * Allocates a wallet and makes it available again.
     * @returns its address
     */
    async allocateOnce(asset: string): Promise<string> {
      const { address } = await allocate(asset);
      await posted(client, '/v1/wallets/release', { chain: 'local', address });
      await world.services.database.query(
        `update wallets set status = 'available', quarantined_until = null where address = $1`,
        [address],
      );
      return address;
    },
  };
}

async function walletAt(address: string): Promise<{ id: string }> {
  const [wallet] = await world.services.database.query<{ id: string }>(
    'select id from wallets where address = $1',
    [address],
  );
  return wallet!;
}

const codeOf = (address: string) => world.chain.client.getCode({ address: address as `0x${string}` });

it('a wallet that was allocated for the native coin sends its own sweeps', async () => {
  const { allocateOnce } = await tenant();
  const address = await allocateOnce('ETH');
  await world.chain.pay(world.token, address, UNITS);
  const { id } = await walletAt(address);
  // The wallet pays for gas, and has none.
  expect(await world.failing(id)).toEqual(['gas']);
  const { body } = await world.admin.call('GET', '/v1/gas-station/topup-candidates');
  expect(body.data.map((each: { walletId: string }) => each.walletId)).toContain(id);
  await fundNative(world.chain, address, parseEther('0.05'));
  const sweep = await world.sweep(id);
  expect(sweep).toMatchObject({ strategy: 'transfer' });
  await completed(world, [sweep]);
  expect(await codeOf(address)).toBeUndefined();
});

it('a wallet that has delegated is allocated for tokens only', async () => {
  const { tenantId, allocate } = await tenant();
  const [delegated] = await world.wallets(1, UNITS, '0', tenantId);
  await completed(world, [await world.sweep(delegated!.id)]);
  expect(await codeOf(delegated!.address)).toMatch(/^0xef0100/);
  expect((await allocate('ETH')).address).not.toBe(delegated!.address);
  expect((await allocate('USDT')).address).toBe(delegated!.address);
  // Postgres refuses it, too.
  const change = `update wallets set bound_to = 'native_coin' where id = $1`;
  await expect(world.services.database.query(change, [delegated!.id])).rejects.toThrow('bound to delegation');
});

it('refuses a sweep that was ordered before its wallet was allocated for the native coin', async () => {
  const { services } = world;
  const { allocateOnce } = await tenant();
  const address = await allocateOnce('USDT');
  await world.chain.pay(world.token, address, UNITS);
  const { id } = await walletAt(address);
  const ordered = await orderSweep(services, { walletId: id, asset: 'USDT' });
  expect(ordered.stationAddress).toBe(world.station);
  expect(await allocateOnce('ETH')).toBe(address);
  const create = services.database.transaction((tx) => createOperation(services, tx, ordered));
  await expect(create).rejects.toMatchObject({ status: 409, code: 'invalid_transition', field: 'walletId' });
});

it('a sweep and an allocation for the native coin never get the same wallet', async () => {
  const { tenantId, allocate } = await tenant();
  const wallets = await world.wallets(8, UNITS, '0', tenantId);
  const path = '/v1/gas-station/operations';
  const [swept, allocated] = await Promise.all([
    Promise.all(wallets.map(({ id }) => world.admin.call('POST', path, { walletId: id, asset: 'USDT' }))),
    Promise.all(wallets.map(() => allocate('ETH'))),
  ]);
  const sweeps = swept.filter(({ status }) => status === 201).map(({ body }) => body);
  await ended(world, sweeps);
  // The swept wallets are free again.
  for (const _ of sweeps) allocated.push(await allocate('ETH'));
  for (const { address } of allocated) expect(await codeOf(address)).toBeUndefined();
});
