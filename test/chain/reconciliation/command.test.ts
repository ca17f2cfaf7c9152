import { randomBytes } from 'node:crypto';
import { deriveWallets } from '../../../src/chain/wallets/operations';
import { createKeyring } from '../../../src/kernel/security/keyring';
import { type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';
import { withLocalNetwork } from '../../support/networks';
import { command, operatorEnvironment } from '../../support/operator';

const key = randomBytes(32);
let api: TestApi;
let chain: TestChain;
beforeAll(async () => {
  [api, chain] = await Promise.all([testApi({ keyring: createKeyring(key) }), startTestChain()]);
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

test('the command shows each place beside the books, and exits with 1 on a difference', async () => {
  const { DATABASE_URL } = await operatorEnvironment(api.database);
  const environment = { DATABASE_URL, MASTER_KEY: key.toString('base64') };
  const reconcile = (...argv: string[]) => command(environment, 'chain', 'reconcile', ...argv);
  const { token } = await withLocalNetwork(api, chain);
  expect(await reconcile()).toMatchObject({ code: 0, out: expect.stringContaining('what the books say') });
  const pool = { chain: 'local', kind: 'evm', count: 1, purpose: 'pool' } as const;
  const [wallet] = await api.database.transaction((tx) => deriveWallets(api.services, tx, pool));
  await chain.pay(token, wallet?.address ?? '', 2_500_000n);
  const told = await reconcile('local', '--json');
  expect([told.code, JSON.parse(told.out)]).toEqual([
    1,
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
      },
    ],
  ]);
  expect((await reconcile()).out).toMatch(/pool@local:USDT +\d+ +2\.5 +0 +0 +2\.5 +-\n\n1 differ/);
  await api.database.query(
    `update networks set assets = (select jsonb_agg(a) from jsonb_array_elements(assets) a where a->>'symbol' <> 'ETH')`,
  );
  expect((await reconcile()).out).toMatch(/1 differ\.\nlocal: gas not booked: no currency for the coin\./);
  expect(await reconcile('nowhere')).toMatchObject({ code: 3 });
  // An unreachable chain does not stop the others.
  await withLocalNetwork(api, chain, {
    chain: 'away',
    chainId: 31_338,
    token,
    rpcUrls: ['http://127.0.0.1:9'],
  });
  expect(await reconcile()).toMatchObject({
    code: 1,
    err: 'away: not compared: it cannot be reached just now.',
    out: expect.stringContaining('1 differ'),
  });
  await chain.client.setCode({ address: token, bytecode: '0xfe' });
  expect(await reconcile('local')).toMatchObject({
    code: 1,
    err: 'local: USDT not compared: its contract does not answer.',
    out: expect.stringContaining('What could be read is'),
  });
  await chain.stop();
  expect(await reconcile('local')).toMatchObject({
    code: 1,
    err: expect.stringContaining('cannot be reached'),
  });
});
