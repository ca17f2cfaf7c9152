import { requireNetwork } from '../../../src/chain/networks/operations';
import { type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';
import { withLocalNetwork } from '../../support/networks';

let api: TestApi;
let chain: TestChain;
beforeAll(async () => {
  [api, chain] = await Promise.all([testApi(), startTestChain()]);
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

test('stores a network with open accounts and sealed nodes', async () => {
  const { network, token } = await withLocalNetwork(api, chain);
  expect(await requireNetwork(api.database, 'local')).toEqual(network);
  expect(network).toMatchObject({ chain: 'local', kind: 'evm', chainId: 31_337, version: 1, enabled: true });
  expect(network.assets.map(({ symbol, contract }) => [symbol, contract])).toEqual([
    ['USDT', token],
    ['ETH', null],
  ]);
  const [row] = await api.database.query<{ rpc_urls: Buffer }>('select rpc_urls from networks');
  expect(row!.rpc_urls.toString('latin1')).not.toContain('127.0.0.1');
  const accounts = await api.database.query<{ id: string }>(
    "select id from ledger_accounts where id like '%@local:%' order by id",
  );
  expect(accounts.map(({ id }) => id)).toEqual(
    ['gas', 'pool', 'station', 'treasury'].flatMap((name) => [`${name}@local:ETH`, `${name}@local:USDT`]),
  );
});
