import { randomBytes } from 'node:crypto';
import { deriveWallets } from '../../../src/chain/wallets/operations';
import { type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';
import { testKeyring } from '../../support/keyring';
import { withLocalNetwork } from '../../support/networks';
import { operatorOf } from '../../support/operator';

const masterKey = randomBytes(32);
let api: TestApi;
let chain: TestChain;
beforeAll(async () => {
  [api, chain] = await Promise.all([testApi({ keyring: testKeyring(masterKey) }), startTestChain()]);
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

test('the list shows each place beside the books, and what could not be read', async () => {
  const operator = await operatorOf(api, masterKey);
  const reconcile = (...argv: string[]) => operator('chain', 'reconcile', ...argv);
  const { token } = await withLocalNetwork(api, chain);
  expect((await reconcile()).text).not.toContain('differs');
  const pool = { chain: 'local', kind: 'evm', count: 1, purpose: 'pool' } as const;
  const [wallet] = await api.database.transaction((tx) => deriveWallets(api.services, tx, pool));
  await chain.pay(token, wallet?.address ?? '', 2_500_000n);
  const told = await reconcile('--chain', 'local', '--json');
  expect([told.code, told.json()]).toEqual([
    0,
    [
      {
        chain: 'local',
        blockNumber: expect.any(Number),
        place: 'pool',
        asset: 'USDT',
        reported: '2.5',
        booked: '0',
        known: '0',
        difference: '2.5',
        differsSince: null,
        status: 'differs',
      },
    ],
  ]);
  expect((await reconcile()).text).toMatch(/local +\d+ +pool +USDT +2\.5 +0 +0 +2\.5 +- +differs/);
  await api.database.query(
    `update networks set assets = (select jsonb_agg(a) from jsonb_array_elements(assets) a where a->>'symbol' <> 'ETH')`,
  );
  expect((await reconcile()).text).toMatch(/differs; gas not booked: no currency for the coin/);
  expect(await reconcile('--chain', 'nowhere')).toMatchObject({ code: 3 });
  // An unreachable chain does not stop the others.
  await withLocalNetwork(api, chain, {
    chain: 'away',
    chainId: 31_338,
    token,
    rpcUrls: ['http://127.0.0.1:9'],
  });
  const both = (await reconcile('--json')).json<{ chain: string; status: string }[]>();
  expect(both.map((row) => [row.chain, row.status])).toEqual([
    ['away', 'not compared: the chain cannot be reached just now'],
    ['local', expect.stringContaining('differs')],
  ]);
  // A page goes on where the one before has ended.
  const first = await operator('desk', 'list', 'chain-reconcile', '--limit', '1', '--json');
  const { next } = first.json<{ next: string }>();
  const second = (await reconcile('--after', next, '--json')).json<{ chain: string }[]>();
  expect(second.map((row) => row.chain)).toEqual(['local']);
  await chain.client.setCode({ address: token, bytecode: '0xfe' });
  expect((await reconcile('--chain', 'local')).text).toContain('not compared: its contract does not answer');
  await chain.stop();
  expect(await reconcile('--chain', 'local')).toMatchObject({
    code: 1,
    err: expect.stringContaining('cannot be reached'),
  });
});
