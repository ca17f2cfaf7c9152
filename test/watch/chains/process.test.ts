import { type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';

let api: TestApi;
let chain: TestChain;
beforeAll(async () => {
  [api, chain] = await Promise.all([testApi(), startTestChain()]);
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

it("follows a network as soon as it is enabled, not with the reconciler's next round", async () => {
  const admin = await api.client('admin');
  const put = async (change: object) => {
    const { status, body } = await admin.call('PUT', '/v1/networks/local', {
      name: 'Local',
      kind: 'evm',
      chainId: chain.chainId,
      rpcUrls: [chain.url],
      confirmations: 3,
      assets: [{ symbol: 'ETH', decimals: 18, minDeposit: '1' }],
      ...change,
    });
    expect([status, body.code]).toEqual([200, undefined]);
  };
  const starts = () =>
    api.commands.filter(({ workflow }) => workflow === 'chainWatcher').map(({ workflowId }) => workflowId);

  await put({ enabled: false, version: 0 });
  expect(starts()).toEqual([]);
  await put({ enabled: true, version: 1 });
  expect(starts()).toEqual(['chain-watcher-local']);
  await put({ enabled: true, version: 2, confirmations: 4 });
  expect(starts()).toHaveLength(1);
});
