import { type Hex, parseEther } from 'viem';
import { newId } from '../../../src/kernel/ids';
import { chainDepositKind } from '../../../src/transfers/chain-deposits/kind';
import { advance } from '../../../src/transfers/engine/advance';
import { posted } from '../../chain/gas-station/operations/support';
import { TERMS } from '../../chain/gas-station/support';
import { newAddress } from '../../parties/chain/raw-contracts';
import { startTestChain, type TestChain } from '../../support/chain';
import { withLocalNetwork } from '../../support/networks';
import { REASON, type StrayWorld, strayWorld } from './support';

/** Money that a payer sends on another EVM network than the one of its address. Two real chains. @long */

let given: StrayWorld;
let second: TestChain;
let token: Hex;
beforeAll(async () => {
  [given, second] = await Promise.all([strayWorld(), startTestChain({ chainId: 4_242 })]);
  token = await second.token();
});
afterAll(async () => {
  await Promise.all([given.world.close(), second.stop()]);
});

const USDT = 1_000_000n;
const pay = (address: string, usdt: bigint) => second.pay(token, address, usdt * USDT);
const deposits = (address: string) =>
  given.world.services.database.query<{ id: string; status: string }>(
    `select id, status, failure, tenant_id as tenant, account_id as account, terms ->> 'homeChain' as home from transfers
      where kind = 'chain_deposit' and terms ->> 'address' = $1 and terms ->> 'chain' = 'second' order by id`,
    [address],
  );
const walletOn = async (address: string) =>
  (
    await given.world.services.database.query<{ id: string; adopted: boolean; scope: string | null }>(
      `select id, adopted, scope, status from wallets where address = $1 and chain = 'second'`,
      [address],
    )
  )[0];
const stray = () => ({
  status: 'uncredited',
  failure: 'wrong_network',
  tenant: given.client.clientId,
  account: null,
  home: 'local',
});

let address: Hex;

it('is claimed by its hash when it came before the network was read', async () => {
  const { world, ida, read } = given;
  ({ address } = await given.allocate());
  const scoped = await given.allocate({ scope: 'evm' });
  await posted(given.client, '/v1/wallets/release', { chain: 'local', address: scoped.address });
  const hash = await pay(address, 5n);
  await withLocalNetwork(world, second, { chain: 'second', token, confirmations: 1 });
  await read('second');
  expect(await deposits(address)).toEqual([]);
  expect(await walletOn(address)).toBeUndefined();
  const shown = await ida('stray', 'claim', '--chain', 'second', '--hash', hash, '--preview', ...REASON);
  expect(JSON.stringify(shown.json())).toContain(`on the chain now at ${address}`);
  const claimed = await ida('stray', 'claim', '--chain', 'second', '--hash', hash, ...REASON);
  expect([claimed.err, claimed.code]).toEqual(['', 0]);
  const [{ id }] = claimed.json().deposits;
  await advance(world.services, chainDepositKind, id);
  expect(await deposits(address)).toMatchObject([{ id, ...stray() }]);
  expect(await walletOn(address)).toMatchObject({ adopted: true, scope: null, status: 'available' });
  const again = await ida('stray', 'claim', '--chain', 'second', '--hash', hash, ...REASON);
  expect(again.json().deposits).toMatchObject([{ id, status: 'uncredited' }]);
  await given.reconciled('second');
  const nothing = await pay(newAddress(), 1n);
  const refused = await ida('stray', 'claim', '--chain', 'second', '--hash', nothing, ...REASON);
  expect(JSON.parse(refused.err)).toMatchObject({ field: 'txHash' });
});

it('is seen by the watcher, in suspense with the tenant of the address, and an operator credits it', async () => {
  const { world, ida, accountId, client } = given;
  await pay(address, 7n);
  await pay(newAddress(), 9n); // not ours on that network
  await given.read('second');
  const found = await deposits(address);
  expect(found).toMatchObject([stray(), stray()]);
  await given.reconciled('second');
  const listed = (await ida('suspense', 'list', '--json')).json<Record<string, unknown>[]>();
  expect(listed).toMatchObject([{ client: client.clientId }, { client: client.clientId }]);
  for (const { id } of found) {
    const credited = await ida('suspense', 'credit', id, '--account', accountId, ...REASON);
    expect([credited.err, credited.code]).toEqual(['', 0]);
  }
  expect((await client.call('GET', `/v2/accounts/${accountId}/balance`)).text).toContain('"12.000000"');
  expect((await ida('suspense', 'list', '--json')).json()).toEqual([]);
  expect(await walletOn(address)).toMatchObject({ adopted: true });
  await given.reconciled('second');
  const stats = (await world.admin.call('GET', '/v1/wallets/stats')).body.data;
  expect(stats).toContainEqual(expect.objectContaining({ chain: 'second', available: 0, total: 0 }));
});

it('is swept by the ordinary sweep, and its address is never given to a payer there', async () => {
  const { world, read, reconciled } = given;
  expect((await given.allocate({ chain: 'second' })).address).not.toBe(address);
  const station = await posted(world.admin, '/v1/gas-station/wallet/generate', { chain: 'second' });
  await second.pay(null, station.address, parseEther('3'));
  await read('second');
  const path = '/v1/gas-station/config/second';
  const { version } = (await world.admin.call('GET', path)).body;
  const put = await world.admin.call('PUT', path, {
    ...TERMS,
    treasuryAddress: world.treasury,
    sweepConfirmations: 1,
    autoSweep: true,
    maxGasPrice: '10000',
    dailyGasBudget: '1000',
    version,
  });
  expect([put.status, put.text]).toEqual([200, expect.anything()]);
  const wallet = await walletOn(address);
  const gas = await posted(world.admin, '/v1/gas-station/topup-operations', { walletId: wallet!.id });
  expect(await world.lead(gas.id)).toMatchObject({ status: 'completed' });
  const sweep = { walletId: wallet!.id, asset: 'USDT' };
  const { id } = await posted(world.admin, '/v1/gas-station/operations', sweep);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect((await world.admin.call('GET', `/v1/gas-station/operations/${id}`)).body).toMatchObject({
    movedAmount: '12.000000',
  });
  await reconciled('second');
});

it('is not seen on an address that somebody has written to the database', async () => {
  const forged = newAddress();
  await given.world.services.database.query(
    `insert into wallets (id, chain, kind, address, derivation_index, purpose, status, created_at, updated_at)
     values ($1, 'local', 'evm', $2, 4711, 'pool', 'available', now(), now())`,
    [newId('wallet'), forged],
  );
  const hash = await pay(forged, 4n);
  await given.read('second');
  expect([await deposits(forged), await walletOn(forged)]).toEqual([[], undefined]);
  const refused = await given.ida('stray', 'claim', '--chain', 'second', '--hash', hash, ...REASON);
  expect(JSON.parse(refused.err)).toMatchObject({ field: 'txHash' });
  await given.reconciled('second');
});

it('joins the scope of its index, and is credited to its next payer', async () => {
  const { world, client, read } = given;
  const [scoped] = await world.services.database.query<{ address: Hex }>(
    `select address from wallets where scope = 'evm' and chain = 'local'`,
  );
  await pay(scoped!.address, 2n);
  await read('second');
  expect(await deposits(scoped!.address)).toMatchObject([stray()]);
  expect(await walletOn(scoped!.address)).toMatchObject({ adopted: true, scope: 'evm' });
  world.later(86_400_000);
  const again = await given.allocate({ scope: 'evm' });
  expect(again).toMatchObject({ address: scoped!.address, networks: ['local', 'second'] });
  await second.client.setNextBlockTimestamp({
    timestamp: BigInt(Math.ceil(Date.now() / 1_000) + 2 * 86_400),
  });
  await pay(again.address, 3n);
  await read('second');
  const paid = { status: 'credited', tenant: client.clientId, account: given.accountId };
  expect(await deposits(again.address)).toMatchObject([stray(), paid]);
  await given.reconciled('second');
});

it("comes to the address of another network's station, in suspense without a tenant", async () => {
  const [station] = await given.world.services.database.query<{ address: string }>(
    `select address from wallets where purpose = 'station' and chain = 'local' limit 1`,
  );
  await pay(station!.address, 3n);
  await given.read('second');
  expect(await deposits(station!.address)).toMatchObject([{ ...stray(), tenant: null }]);
  expect(await walletOn(station!.address)).toMatchObject({ adopted: true, status: 'available' });
  await given.reconciled('second');
});
