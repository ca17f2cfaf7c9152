import { switchOff } from '../../../src/process/switches/operations';
import { type Client, type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';
import { withLocalNetwork } from '../../support/networks';
import { until } from '../../support/outside/receiver';

let api: TestApi;
let chain: TestChain;
beforeAll(async () => {
  [api, chain] = await Promise.all([testApi(), startTestChain()]);
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

const isShown = async (client: Client): Promise<boolean[]> =>
  (await client.call('GET', '/v1/client/settings')).body.accounts.map(
    ({ capabilities }: { capabilities: string[] }) => capabilities.includes('crypto'),
  );

test('crypto is shown of every account while a network is enabled, unless it is switched off', async () => {
  const client = await api.client();
  expect(await isShown(client)).toEqual([false, false, false]);
  await withLocalNetwork(api, chain, { enabled: false });
  expect(await isShown(client)).toEqual([false, false, false]);
  await withLocalNetwork(api, chain, { chain: 'second', chainId: 31_338 });
  expect(await isShown(client)).toEqual([true, true, true]);
  const crypto = { kind: 'capability', name: 'crypto', tenantId: client.clientId } as const;
  const by = { at: new Date(), by: 'operator:ada', reason: 'a test' };
  await api.database.transaction((tx) => switchOff(tx, crypto, by));
  // Known in every process within a second.
  await until(async () => !(await isShown(client)).includes(true));
  expect(await isShown(await api.client())).toEqual([true, true, true]);
});
