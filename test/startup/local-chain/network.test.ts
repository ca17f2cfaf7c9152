import { readPositionOf } from '../../../src/chain/holdings/read-position';
import { findOpened, saveNetwork, termsOf } from '../../../src/chain/networks/operations';
import type { Services } from '../../../src/services';
import { TEST_USDT } from '../../../src/startup/embedded/chain/token';
import { ensureLocalNetwork } from '../../../src/startup/local-chain/network';
import { type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain } from '../../support/chain';

let api: TestApi;
let chain: TestChain;
const warnings: string[] = [];
beforeAll(async () => {
  [api, chain] = await Promise.all([testApi(), startTestChain()]);
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

const local = async () => (await findOpened(api.services, api.database, 'local'))!;
const ensure = (url = chain.url) => {
  const log = { warn: (line: string) => void warnings.push(line) } as unknown as Services['log'];
  return ensureLocalNetwork({ ...api.services, log }, url);
};

test('is created at the first start, and unchanged by the next one', async () => {
  await ensure();
  const made = await local();
  expect(made.rpcUrls).toEqual([`${chain.url}/`]);
  expect(made.network).toMatchObject({ chainId: 31_337, confirmations: 3, enabled: true, version: 1 });
  expect(
    made.network.assets.map((asset) => [asset.symbol, asset.contract, asset.minDeposit.toFixed()]),
  ).toEqual([
    ['USDT', TEST_USDT, '1'],
    ['ETH', null, '0.001'],
  ]);
  expect(await chain.client.getCode({ address: TEST_USDT })).toBeDefined();
  // Before anybody follows it.
  const place = await readPositionOf(api.database, 'local');
  expect(place?.number).toBe(Number(await chain.client.getBlockNumber()));
  await chain.client.mine({ blocks: 2 });
  await ensure();
  expect(await readPositionOf(api.database, 'local')).toEqual(place);
  expect(await local()).toEqual(made);
});

test('gets the new address of the node, and keeps an admin’s settings', async () => {
  const before = await local();
  const terms = { ...termsOf(before), confirmations: 5, enabled: false, rpcUrls: ['http://127.0.0.1:1/'] };
  await api.database.transaction((tx) =>
    saveNetwork(api.services, tx, 'local', terms, before.network.version),
  );
  await ensure();
  const { network, rpcUrls } = await local();
  expect([rpcUrls, network.confirmations, network.enabled]).toEqual([[`${chain.url}/`], 5, false]);
  expect(warnings).toEqual([]);
});

test('starts again with a warning when the chain was lost', async () => {
  const before = await local();
  await api.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica'); // without its operation
    await tx.query(
      `insert into chain_nonces (chain, address, nonce, attempt, operation_id, recipient, value, data, gas, max_fee_per_gas,
         max_priority_fee_per_gas, raw, hash, settled_at, created_at)
       values ('local', '0x1', 7, 0, $1, '0x2', 0, '0x', 1, 1, 1, '0x3', '0x4', now(), now())`,
      [`swp_${'0'.repeat(26)}`],
    );
    await tx.query(
      `insert into station_scans (chain, address, scanned_to, updated_at) values ('local', '0x1', 1000000, now())`,
    );
  });
  await chain.beginAnew();
  await ensure();
  expect(await chain.client.getCode({ address: TEST_USDT })).toBeDefined();
  expect(await local()).toEqual(before); // the token stands where it stood
  expect(warnings).toEqual([expect.stringContaining('a new local chain has started')]);
  const held = await api.database.query('select nonce from chain_nonces where released_at is null');
  expect(held).toEqual([]); // the nonces of the new chain start at 0
  const [scan] = await api.database.query<{ scanned: number }>(
    'select scanned_to::int as scanned from station_scans',
  );
  expect(scan?.scanned).toBeLessThan(1_000); // payments to its stations are found
});
