/** @long */
import { type Address, parseEther } from 'viem';
import { deriveWallets } from '../../../src/chain/wallets/operations';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { masterAccount } from '../../support/cards';
import { execute, fundNative, posted, sendAs, type TestStation, testStation } from './operations/support';

/** Sessions that wait for an advisory lock. */
const WAITING = `select from pg_locks where locktype = 'advisory' and not granted
   and database = (select oid from pg_database where datname = current_database())`;

/** A station is never a treasury and the other way round, because its money would be in the books of both. */

const GAS = '/v1/gas-station';
/** An address whose key is not ours. */
const FOREIGN: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const OTHER_TREASURY: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

let world: TestStation;
beforeEach(async () => {
  world = await testStation();
});
afterEach(async () => {
  expect(await checkLedger(world.services.database)).toEqual([]);
  await world.close();
});

const setStation = async (address: string) => {
  const { status, body } = await world.admin.call('PUT', `${GAS}/wallet`, { chain: 'local', address });
  return [status, body.field];
};
const configOf = async () => (await world.admin.call('GET', `${GAS}/config/local`)).body;
const scan = async (body: object = {}) =>
  (await posted(world.admin, `${GAS}/station-topups/scan`, { chain: 'local', ...body })).found;

/** A former station with 1 ETH that was swept to the treasury. */
async function sweptStation(): Promise<void> {
  const { id, address } = await posted(world.admin, `${GAS}/wallet/generate`, { chain: 'local' });
  await setStation(address);
  await world.chain.pay(null, address, parseEther('1'));
  expect(await scan({ address })).toHaveLength(1);
  await setStation(world.station);
  const sweep = await posted(world.admin, `${GAS}/operations`, { walletId: id, asset: 'ETH' });
  const path = `${GAS}/operations/${sweep.id}`;
  const { transactions } = (await world.admin.call('GET', `${path}/export`)).body;
  await posted(world.admin, `${path}/confirm`, { txHash: await execute(world, transactions[0]) });
}

it('a treasury that received sweeps is never a station, and a station never a treasury', async () => {
  await sweptStation();
  expect(await setStation(world.treasury)).toEqual([400, 'address']);
  await world.configure({ treasuryAddress: OTHER_TREASURY });
  expect(await setStation(world.treasury)).toEqual([400, 'address']);
  expect(await setStation(FOREIGN)).toEqual([200, undefined]);
  expect(await setStation(world.station)).toEqual([200, undefined]);
  const before = await configOf();
  const { chain: _, stationAddress: __, stationWalletId: ___, ...terms } = before;
  const refused = await world.admin.call('PUT', `${GAS}/config/local`, {
    ...terms,
    treasuryAddress: FOREIGN,
  });
  expect([refused.status, refused.body.field]).toEqual([400, 'treasuryAddress']);
  expect(await configOf()).toEqual(before);
});

it('a treasury that has paid a station stays a treasury, even without sweeps', async () => {
  const payFrom = async (from: string, ether: string) =>
    world.chain.receipt(await sendAs(world.chain, from, { to: world.station, value: parseEther(ether) }));
  await fundNative(world.chain, world.treasury, parseEther('2'));
  await payFrom(world.treasury, '0.5');
  expect(await scan()).toMatchObject([{ paidBy: 'treasury' }]);
  await world.configure({ treasuryAddress: OTHER_TREASURY });
  expect(await setStation(world.treasury)).toEqual([400, 'address']);
  await payFrom(world.treasury, '0.25');
  expect(await scan()).toMatchObject([{ paidBy: 'treasury' }]);
  expect(await world.held('treasury', 'ETH')).toBe('-0.75');
});

it('an arrival at the station is found, although an operation that did not move it has its hash', async () => {
  const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
  const { id } = await world.sweep(wallet!.id);
  const txHash = await world.chain.client.sendTransaction({ to: world.station, value: parseEther('0.125') });
  await world.services.database.query('update gas_operations set tx_hash = $2 where id = $1', [id, txHash]);
  await world.chain.client.mine({ blocks: 1 });
  expect(await scan()).toMatchObject([{ txHash, paidBy: 'funding' }]);
});

/** Addresses of the wallets that are derived next. */
async function nextAddresses(count: number): Promise<string[]> {
  const { database, parties } = world.services;
  const [{ next }] = (await database.query('select max(derivation_index) + 1 as next from wallets')) as [
    { next: number },
  ];
  const places = Array.from({ length: count }, (_, place) => next + place);
  return parties.signer.addresses('evm', places);
}

it('deriving skips an address that was named before', async () => {
  const addresses = await nextAddresses(7);
  await world.configure({ treasuryAddress: addresses[0] });
  expect(await posted(world.admin, `${GAS}/wallet/generate`, { chain: 'local' })).toMatchObject({
    address: addresses[1],
  });
  await world.configure({ treasuryAddress: addresses[2] });
  const { data } = await posted(world.admin, `${GAS}/generate`, { chain: 'local', count: 1 });
  expect(data).toMatchObject([{ address: addresses[3], purpose: 'pool' }]);
  await world.configure({ treasuryAddress: addresses[4] });
  expect(await setStation(addresses[5] as string)).toEqual([200, undefined]);
  // The pool grows by itself: after its only free wallet is allocated, the next one is derived.
  const client = await world.api.client();
  const terms = { chain: 'local', asset: 'USDT', accountId: await masterAccount(client) };
  const allocated = (reference: string) => posted(client, '/v1/wallets/allocate', { ...terms, reference });
  expect(await allocated('first')).toMatchObject({ address: addresses[3] });
  expect(await allocated('second')).toMatchObject({ address: addresses[6] });
});

it('naming an address while it is derived waits, and is refused', async () => {
  const { database } = world.services;
  const [address] = (await nextAddresses(1)) as [string];
  const { chain: _, stationAddress: __, stationWalletId: ___, ...terms } = await configOf();
  const naming = await database.transaction(async (tx) => {
    const of = { chain: 'local', kind: 'evm', count: 1, purpose: 'pool' } as const;
    expect(await deriveWallets(world.services, tx, of)).toMatchObject([{ address }]);
    const asTreasury = world.admin.call('PUT', `${GAS}/config/local`, { ...terms, treasuryAddress: address });
    const named = [asTreasury.then(({ status, body }) => [status, body.field]), setStation(address)];
    const answered = Promise.race(named).then(() => true);
    const isWaiting = async () => (await database.query(WAITING)).length === named.length;
    while (!(await Promise.race([answered, isWaiting()]))) await new Promise(setImmediate);
    return { named };
  });
  expect(await Promise.all(naming.named)).toEqual([
    [400, 'treasuryAddress'],
    [400, 'address'],
  ]);
});

it('money from a former station or treasury is not booked as funding', async () => {
  await setStation(FOREIGN);
  await fundNative(world.chain, FOREIGN, parseEther('1'));
  await setStation(world.station);
  await sendAs(world.chain, FOREIGN, { to: world.station, value: parseEther('0.5') });
  await sweptStation();
  await world.configure({ treasuryAddress: OTHER_TREASURY });
  await sendAs(world.chain, world.treasury, { to: world.station, value: parseEther('0.25') });
  await world.chain.pay(null, world.station, parseEther('0.125'));
  await scan();
  const { data } = (await world.admin.call('GET', `${GAS}/station-topups?limit=100`)).body;
  const paid = data.filter(({ address }: { address: string }) => address === world.station);
  expect(
    Object.fromEntries(paid.map(({ paidBy, amount }: Record<string, string>) => [paidBy, Number(amount)])),
  ).toEqual({ station: 0.5, treasury: 0.25, funding: 0.125 });
});
