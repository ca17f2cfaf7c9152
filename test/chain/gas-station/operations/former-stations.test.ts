import { type Address, parseEther } from 'viem';
import { orderAutoSweeps } from '../../../../src/chain/gas-station/auto-sweep';
import { compareChain } from '../../../../src/chain/reconciliation/compare';
import { checkLedger } from '../../../../src/kernel/ledger/check';
import { execute, feesOf, posted, readBlocks, type TestStation, testStation, unitsOf } from './support';

const GAS = '/v1/gas-station';

let world: TestStation;
/** A former station, whose key is ours, with 1.5 ETH. */
let former: { id: string; address: Address };
beforeEach(async () => {
  world = await testStation();
  former = await posted(world.admin, `${GAS}/wallet/generate`, { chain: 'local' });
  await setStation(former.address);
  await readBlocks(world.services); // begins at the head
  await world.chain.pay(null, former.address, parseEther('1'));
  expect(await readBlocks(world.services)).toBe(1);
  await setStation(world.station);
  await world.chain.pay(null, former.address, parseEther('0.5'));
});
afterEach(async () => {
  expect(await checkLedger(world.services.database)).toEqual([]);
  await world.close();
});

const setStation = async (address: string) =>
  expect((await world.admin.call('PUT', `${GAS}/wallet`, { chain: 'local', address })).status).toBe(200);
const candidates = async (which: 'sweep' | 'topup') =>
  (await world.admin.call('GET', `${GAS}/${which}-candidates?chain=local`)).body.data;
const order = (walletId = former.id, asset = 'ETH') =>
  world.admin.call('POST', `${GAS}/operations`, { walletId, asset });
/** The chain's surplus at stations over the books. The test's station got its gas from nowhere. */
async function beyondBooks(): Promise<string> {
  await readBlocks(world.services);
  const { lines } = await compareChain(world.api.services, 'local');
  return lines.find(({ place, asset }) => place === 'station' && asset === 'ETH')?.difference.toFixed() ?? '';
}
const coins = (address: Address) => world.chain.client.getBalance({ address });

it('books later payments to a former station, and sweeps its balance to the treasury', async () => {
  expect(await readBlocks(world.services)).toBe(1);
  expect(await beyondBooks()).toBe('10');
  expect(await candidates('sweep')).toMatchObject([
    { walletId: former.id, asset: 'ETH', balance: `1.5${'0'.repeat(17)}`, needsGas: false },
  ]);
  expect(await candidates('topup')).toEqual([]);
  const { status, body } = await order();
  expect([status, body]).toMatchObject([201, { execution: 'manual', to: world.treasury }]);
  const { transactions } = (await world.admin.call('GET', `${GAS}/operations/${body.id}/export`)).body;
  const txHash = await execute(world, transactions[0]);
  await posted(world.admin, `${GAS}/operations/${body.id}/confirm`, { txHash });
  const left = await coins(former.address);
  const fee = await feesOf(world.chain, [txHash]);
  expect(await coins(world.treasury)).toBe(parseEther('1.5') - fee - left);
  expect(unitsOf(await world.held('treasury', 'ETH'))).toBe(parseEther('1.5') - fee - left);
  expect(unitsOf(await world.held('station', 'ETH'))).toBe(left);
  expect(await world.held('pool', 'ETH')).toBe('0');
  expect(await beyondBooks()).toBe('10');
});

it("sweeps a former station only by a person's order, which the service may sign, and not once it is the station again", async () => {
  await readBlocks(world.services);
  await world.configure({ autoSweep: true });
  expect(await orderAutoSweeps(world.services)).toBe(0);
  const made = (await order()).body;
  expect(made.execution).toBe('local');
  await setStation(former.address);
  expect(await world.lead(made.id)).toMatchObject({ status: 'pending' });
  expect(await world.read(made.id)).toMatchObject({ waitsFor: 'stopped' });
  await setStation(world.station);
  expect(await world.lead(made.id)).toMatchObject({ status: 'completed' });
  expect(await beyondBooks()).toBe('10');
});

it('exports no order once its wallet is the station again', async () => {
  await readBlocks(world.services);
  const { id } = (await order()).body;
  const exported = () => world.admin.call('GET', `${GAS}/operations/${id}/export`);
  await setStation(former.address);
  const { status, body } = await exported();
  expect([status, body.code]).toEqual([409, 'invalid_transition']);
  expect(await world.read(id)).toMatchObject({ status: 'pending' });
  expect(await world.read(id)).not.toHaveProperty('exportedAt');
  await setStation(world.station);
  expect((await exported()).status).toBe(200);
});

it('sweeps neither the present station nor a token on a former one', async () => {
  const stations = (await world.admin.call('GET', `${GAS}/wallets?purpose=station`)).body.data;
  const { id } = stations.find(({ address }: { address: string }) => address === world.station);
  await world.chain.pay(world.token, former.address, 50_000_000n);
  for (const refused of [await order(id), await order(former.id, 'USDT')])
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('not_allocated (')]);
  expect(await candidates('sweep')).toMatchObject([{ walletId: former.id, asset: 'ETH' }]);
  const { body } = await world.admin.call('GET', `${GAS}/sweep-preflight/${former.id}`);
  expect(body).toMatchObject({ ok: true, asset: 'ETH' });
});

it('scans a former station with a foreign key when a person asks', async () => {
  const foreign = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
  const scan = (address: string) =>
    world.admin.call('POST', `${GAS}/station-topups/scan`, { chain: 'local', address });
  expect((await scan(foreign)).body.field).toBe('address');
  await setStation(foreign);
  await setStation(world.station);
  await world.chain.pay(null, foreign, parseEther('0.25'));
  await readBlocks(world.services);
  expect((await scan(foreign)).body).toMatchObject({
    address: foreign,
    found: [{ amount: `0.25${'0'.repeat(16)}` }],
  });
  expect((await scan('0x1')).body.field).toBe('address');
});
