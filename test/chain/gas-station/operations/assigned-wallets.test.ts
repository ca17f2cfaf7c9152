/** @long */
import type { Address } from 'viem';
import { openMasterAccount } from '../../../../src/accounts/accounts/operations';
import { orderAutoSweeps } from '../../../../src/chain/gas-station/auto-sweep';
import { compareNow } from '../../../../src/chain/reconciliation/compare-now';
import { findWallet } from '../../../../src/chain/wallets/operations';
import { restoreWallets } from '../../../../src/chain/wallets/seed/recover-wallets';
import { seedStatus, skipRecovered } from '../../../../src/chain/wallets/seed/seed';
import { addressAt } from '../../../../src/parties/signer/local';
import { findSeed } from '../../../../src/parties/signer/seed';
import { readChain } from '../../../../src/watch/chains/follow-blocks';
import type { Client } from '../../../support/api';
import { chainDoor } from '../../../support/networks';
import { completed, deployDelegate } from '../strategies/delegated-station';
import { depositStatuses, posted, readBlocks, type TestStation, testStation } from './support';

const CONFIRMATIONS = 4;

describe('a wallet that is swept while it is assigned', () => {
  let world: TestStation;
  let client: Client;
  let accountId: string;
  beforeAll(async () => {
    world = await testStation();
    await world.services.database.query('update networks set confirmations = $1', [CONFIRMATIONS]);
    await world.configure({ autoSweep: true });
    client = await world.api.client();
    const { account } = await world.services.database.transaction((tx) =>
      openMasterAccount(tx, client.clientId, 'USDT'),
    );
    accountId = account.id;
    await readBlocks(world.services); // reading begins at the head
  });
  afterAll(() => world.close());

  let references = 0;
  async function assigned(terms: object = {}): Promise<{ id: string; address: Address }> {
    const asked = { chain: 'local', asset: 'USDT', accountId, reference: `order-${references++}` };
    const held = await posted(client, '/v1/wallets/allocate', { ...asked, permanent: true, ...terms });
    const [row] = await world.services.database.query<{ id: string }>(
      `select id from wallets where address = $1 and chain = 'local'`,
      [held.address],
    );
    return { id: row!.id, address: held.address };
  }
  const pay = (address: string, usdt: bigint) => world.chain.pay(world.token, address, usdt * 1_000_000n);
  async function mine(blocks = CONFIRMATIONS): Promise<void> {
    await world.chain.client.mine({ blocks });
    await readBlocks(world.services);
  }
  const gas = async ({ id }: { id: string }) => world.lead((await world.topup(id)).id);
  const preflight = async ({ id }: { id: string }) =>
    (await world.admin.call('GET', `/v1/gas-station/sweep-preflight/${id}?asset=USDT`)).body;
  const deposits = (address: string) => depositStatuses(world.services, address);
  async function assertReconciled(): Promise<void> {
    await readBlocks(world.services);
    const lines = (await compareNow(world.services, 'local')).filter(({ asset }) => asset === 'USDT');
    expect(lines.map(({ compared }) => compared?.difference.toFixed())).toEqual(lines.map(() => '0'));
  }

  it('gives up final deposits only, and confirming coins wait', async () => {
    const wallet = await assigned();
    await pay(wallet.address, 5n);
    await mine();
    expect(await deposits(wallet.address)).toEqual(['credited']);
    await gas(wallet);
    await pay(wallet.address, 7n);
    await readBlocks(world.services);
    expect(await deposits(wallet.address)).toEqual(['credited', 'confirming']);
    expect(await preflight(wallet)).toMatchObject({ ok: true, amount: '5.000000' });
    const listed = await world.admin.call('GET', '/v1/gas-station/sweep-candidates?chain=local');
    expect(listed.body.data).toMatchObject([
      { walletId: wallet.id, status: 'allocated', balance: '12.000000', sweepable: '5.000000' },
    ]);
    const { id } = await world.sweep(wallet.id);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await world.tokens(wallet.address)).toBe(7_000_000n);
    expect([await world.held('treasury', 'USDT'), await world.held('pool', 'USDT')]).toEqual(['5', '0']);
    await assertReconciled();
    await mine();
    expect(await deposits(wallet.address)).toEqual(['credited', 'credited']);
    expect(await preflight(wallet)).toMatchObject({ amount: '7.000000' });
    await assertReconciled();
  });

  it('keeps the books right when a reorganisation takes a confirming deposit during the sweep', async () => {
    const wallet = await assigned();
    await pay(wallet.address, 3n);
    await mine();
    await gas(wallet);
    const held = BigInt(await world.held('treasury', 'USDT'));
    const { client: node } = world.chain;
    const snapshot = await node.snapshot();
    await pay(wallet.address, 9n);
    await readBlocks(world.services);
    expect(await deposits(wallet.address)).toEqual(['credited', 'confirming']);
    const { id } = await world.sweep(wallet.id);
    await node.revert({ id: snapshot });
    await node.increaseTime({ seconds: 60 });
    await node.mine({ blocks: 2 });
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
    expect(await world.tokens(wallet.address)).toBe(0n);
    expect(BigInt(await world.held('treasury', 'USDT'))).toBe(held + 3n);
    await mine(2 * CONFIRMATIONS + 1);
    expect((await deposits(wallet.address))[0]).toBe('credited');
    expect((await deposits(wallet.address))[1]).not.toBe('credited');
    await assertReconciled();
  });

  it('gives up final deposits only when the station sends one batch, without gas of its own', async () => {
    await deployDelegate(world.chain, world);
    await world.configure({ autoSweep: true, sweepStrategy: 'delegated' });
    const wallets = [await assigned(), await assigned()];
    for (const { address } of wallets) await pay(address, 5n);
    await mine();
    for (const { address } of wallets) await pay(address, 7n);
    await readBlocks(world.services);
    const sweeps = [];
    for (const { id } of wallets) sweeps.push(await world.sweep(id));
    expect((await completed(world, sweeps)).size).toBe(1);
    for (const { address } of wallets) {
      expect(await world.tokens(address)).toBe(7_000_000n);
      expect(await deposits(address)).toEqual(['credited', 'confirming']);
    }
    await assertReconciled();
    await world.configure({ autoSweep: true });
  });

  it('is credited and swept on a network that joins its scope later', async () => {
    const wallet = await assigned({ scope: 'evm' });
    const door = await chainDoor(world.chain.url);
    const { body: local } = await world.admin.call('GET', '/v1/networks/local');
    const { name, assets, confirmations } = local;
    const put = await world.admin.call('PUT', '/v1/networks/second', {
      name: `${name} 2`,
      kind: 'evm',
      chainId: 4_242,
      rpcUrls: [door.as(4_242)],
      confirmations,
      enabled: true,
      assets,
      version: 0,
    });
    expect([put.status, put.body]).toMatchObject([200, { chain: 'second' }]);
    await pay(wallet.address, 4n);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    while ((await readChain(world.services, 'second')) !== 'rests');
    const found = await world.services.database.query(
      `select status, account_id, terms ->> 'chain' as chain from transfers
        where kind = 'chain_deposit' and terms ->> 'address' = $1`,
      [wallet.address],
    );
    expect(found).toEqual([{ status: 'credited', account_id: accountId, chain: 'second' }]);
    const shown = await client.call('GET', `/v1/wallets/${wallet.address}/balance?chain=second`);
    expect(shown.body).toMatchObject({ chain: 'second', permanent: true, scope: 'evm', expiresAt: null });
    await door.close();
  });

  it('is swept of claimed money only where a recovery has made it', async () => {
    const { database, keyring } = world.services;
    const seed = (await findSeed(database, keyring))!;
    const { nextIndex } = await seedStatus(database, keyring);
    const index = nextIndex.evm;
    const address = addressAt(seed, 'evm', index);
    await pay(address, 20n); // before the address is known, and nobody claims it
    await mine();
    await database.transaction((tx) => skipRecovered(tx, 'evm', index + 1));
    await restoreWallets({ database, keyring }, { chains: ['local'], to: index });
    const wallet = await findWallet(database, 'local', address);
    expect(wallet).toMatchObject({ adopted: true, status: 'available', boundTo: 'native_coin' });
    const candidates = async () =>
      (await world.admin.call('GET', '/v1/gas-station/sweep-candidates?chain=local')).body.data.filter(
        ({ walletId }: { walletId: string }) => walletId === wallet!.id,
      );
    const operations = () =>
      database.query<{ id: string; type: string }>(
        `select id, type from gas_operations where wallet_id = $1 order by created_at, id`,
        [wallet!.id],
      );
    expect(await candidates()).toEqual([]);
    const refused = await world.admin.call('POST', '/v1/gas-station/operations', {
      walletId: wallet!.id,
      asset: 'USDT',
    });
    expect(refused.status).toBe(409);
    await orderAutoSweeps(world.services);
    expect(await operations()).toEqual([]);

    await pay(address, 6n);
    await mine();
    expect(await deposits(address)).toEqual(['uncredited']);
    expect(await candidates()).toMatchObject([
      { walletId: wallet!.id, balance: '26.000000', sweepable: '6.000000' },
    ]);
    for (const type of ['topup', 'sweep']) {
      await orderAutoSweeps(world.services);
      const open = (await operations()).at(-1);
      expect(open).toMatchObject({ type });
      expect(await world.lead(open!.id)).toMatchObject({ status: 'completed' });
    }
    expect(await world.tokens(address)).toBe(20_000_000n);
    expect(await candidates()).toEqual([]);
  });
});
