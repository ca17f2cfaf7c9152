import { ensureLocalDelegate, keepLocalDelegate } from '../../../src/startup/local-chain/delegate';
import { ensureLocalNetwork } from '../../../src/startup/local-chain/network';
import { type Client, type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';
import { until } from '../../support/until';

const TREASURIES = [
  '0x00000000000000000000000000000000000000A1',
  '0x00000000000000000000000000000000000000A2',
];

let api: TestApi;
let chain: TestChain;
let admin: Client;
beforeAll(async () => {
  [api, chain] = await Promise.all([testApi(), startTestChain()]);
  await ensureLocalNetwork(api.services, chain.url);
  admin = await api.client('admin');
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

let version = 0;
async function configured(sweepStrategy: string, treasuryAddress: string): Promise<void> {
  const config = {
    gasThreshold: '0.001',
    gasTopupAmount: '0.01',
    minSweepAmount: {},
    sweepConfirmations: 1,
    autoSweep: false,
    sweepStrategy,
    treasuryAddress,
    version,
  };
  const { status } = await admin.call('PUT', '/v1/gas-station/config/local', config);
  expect(status).toBe(200);
  version += 1;
}
const ensured = () => ensureLocalDelegate(api.services, chain.url);
const isReady = async () =>
  (await admin.call('GET', '/v1/gas-station/status/local')).body.delegation?.ready as boolean | undefined;

test('deploys the contract of delegated sweeps on the local chain once they are chosen, for each treasury', async () => {
  expect(await ensured()).toBe(false);
  const [first = '', second = ''] = TREASURIES;
  await configured('delegated', first);
  expect(await ensured()).toBe(false); // without a station
  await admin.call('POST', '/v1/gas-station/wallet/generate', { chain: 'local' });
  await configured('transfer', first);
  expect([await ensured(), await isReady()]).toEqual([false, false]);
  await configured('delegated', first);
  expect([await ensured(), await isReady()]).toEqual([true, true]);
  expect(await ensured()).toBe(false);
  await configured('delegated', second);
  expect([await isReady(), await ensured(), await isReady()]).toEqual([false, true, true]);
});

test('a running product deploys the contract by itself, also on a new chain', async () => {
  const address = (await admin.call('GET', '/v1/gas-station/status/local')).body.delegation.contract;
  await chain.beginAnew();
  expect(await chain.client.getCode({ address })).toBeUndefined();
  const kept = keepLocalDelegate(api.services, chain.url);
  await until(async () => (await chain.client.getCode({ address })) !== undefined);
  await kept.end();
});
