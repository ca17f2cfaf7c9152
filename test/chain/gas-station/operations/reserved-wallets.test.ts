import {
  createOperation,
  orderSweep,
  orderTopup,
} from '../../../../src/chain/gas-station/operations/lifecycle/create';
import type { Client } from '../../../support/api';
import { masterAccount } from '../../../support/cards';
import { attempts, type TestStation, testStation } from './support';

describe('a wallet that is being swept', () => {
  let world: TestStation;
  let client: Client;
  beforeAll(async () => {
    world = await testStation();
    client = await world.api.client();
  });
  afterAll(() => world.close());

  let references = 0;
  const allocate = async (): Promise<string> => {
    const accountId = await masterAccount(client);
    const asked = { chain: 'local', asset: 'USDT', accountId, reference: `order-${references++}` };
    return (await client.call('POST', '/v1/wallets/allocate', asked)).body.address;
  };

  it('is not allocated before the sweep has ended', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01', client.clientId);
    const { id } = await world.sweep(wallet!.id);
    expect(await allocate()).not.toBe(wallet!.address);
    const path = `/v1/gas-station/operations/${id}/fail`;
    expect((await world.admin.call('POST', path, { reason: 'test' })).status).toBe(200);
    expect(await allocate()).toBe(wallet!.address);
  });

  it('is not swept when it was allocated after the preflight', async () => {
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01', client.clientId);
    const { services } = world;
    const ordered = await orderSweep(services, { walletId: wallet!.id, asset: 'USDT' });
    expect(await allocate()).toBe(wallet!.address);
    const made = services.database.transaction((tx) => createOperation(services, tx, ordered));
    await expect(made).rejects.toMatchObject({ code: 'invalid_transition', field: 'walletId' });
    expect(
      await services.database.query('select id from gas_operations where wallet_id = $1', [wallet!.id]),
    ).toEqual([]);
  });

  it('is not swept to a former treasury, nor given gas by a former station', async () => {
    const { services, treasury, station } = world;
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const orders = [
      await orderSweep(services, { walletId: wallet!.id, asset: 'USDT' }),
      await orderTopup(services, { walletId: wallet!.id }),
    ];
    await world.configure({ treasuryAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' });
    const setStation = (address: string) =>
      world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address });
    await setStation('0x90F79bf6EB2c4f870365E785982E1f101E93b906');
    for (const ordered of orders) {
      const made = services.database.transaction((tx) => createOperation(services, tx, ordered));
      await expect(made).rejects.toMatchObject({ code: 'invalid_transition', field: 'walletId' });
    }
    expect(
      await services.database.query('select id from gas_operations where wallet_id = $1', [wallet!.id]),
    ).toEqual([]);
    await setStation(station);
    await world.configure({ treasuryAddress: treasury });
  });

  it('is not signed for once it is disabled', async () => {
    await world.configure({ autoSweep: true });
    const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
    const { id } = await world.sweep(wallet!.id);
    await world.services.database.query(`update wallets set status = 'disabled' where id = $1`, [wallet!.id]);
    expect(await world.lead(id)).toMatchObject({ status: 'pending', open: true });
    expect((await world.read(id)).waitsFor).toBe('stopped');
    expect(await attempts(world, id)).toEqual([]);
  });
});
