import { switchOff } from '../../../src/process/switches/operations';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { startTestChain, type TestChain } from '../../support/chain';
import { chainDoor, withLocalNetwork } from '../../support/networks';
import { until } from '../../support/until';

let api: TestApi;
let chain: TestChain;
let door: Awaited<ReturnType<typeof chainDoor>>;
beforeAll(async () => {
  [api, chain] = await Promise.all([testApi(), startTestChain()]);
  door = await chainDoor(chain.url);
});
afterAll(() => Promise.all([api.close(), chain.stop(), door.close()]));

const isShown = async (client: Client): Promise<boolean[]> =>
  (await client.call('GET', '/v1/client/settings')).body.accounts.map(
    ({ capabilities }: { capabilities: string[] }) => capabilities.includes('crypto'),
  );

/** Every process knows it within a second. */
async function withoutCrypto(client: Client): Promise<void> {
  const crypto = { kind: 'capability', name: 'crypto', tenantId: client.clientId } as const;
  const by = { at: new Date(), by: 'operator:ada', reason: 'a test' };
  await api.database.transaction((tx) => switchOff(tx, crypto, by));
  await until(async () => !(await isShown(client)).includes(true));
}

test('accounts show the crypto capability while a network is enabled and the capability is on', async () => {
  const client = await api.client();
  expect(await isShown(client)).toEqual([false, false, false]);
  await withLocalNetwork(api, chain, { enabled: false });
  expect(await isShown(client)).toEqual([false, false, false]);
  await withLocalNetwork(api, chain, { chain: 'second', chainId: 31_338 });
  expect(await isShown(client)).toEqual([true, true, true]);
  await withoutCrypto(client);
  expect(await isShown(await api.client())).toEqual([true, true, true]);
});

test('without the capability nothing begins, and earlier records can be read', async () => {
  const rpcUrls = [door.as(31_339)];
  const { token } = await withLocalNetwork(api, chain, { chain: 'third', chainId: 31_339, rpcUrls });
  const client = await api.client();
  const account = { chain: 'third', asset: 'USDT', accountId: await masterAccount(client) };
  const allocated = await client.call('POST', '/v1/wallets/allocate', { ...account, reference: 'one' });
  const { address } = allocated.body;
  const txHash = await chain.pay(token, address, 5_000_000n);
  await withoutCrypto(client);
  const begun: [string, object][] = [
    ['allocate', { ...account, reference: 'two' }],
    ['deposit', { chain: 'third', address, txHash }],
    ['deposit', {}], // refused before the body is checked
  ];
  for (const [path, body] of begun) {
    const refused = await client.call('POST', `/v1/wallets/${path}`, body);
    expect([path, refused.status, refused.body.code]).toEqual([path, 403, 'capability_disabled']);
  }
  const kept = `select (select count(*)::int from transfers) as deposits, (select count(*)::int from wallet_allocations) as held`;
  expect(await api.database.query(kept)).toEqual([{ deposits: 0, held: 1 }]);
  const balance = await client.call('GET', `/v1/wallets/${address}/balance?chain=third`);
  expect([balance.status, balance.body.balances[0]]).toEqual([200, { asset: 'USDT', balance: '5.000000' }]);
});
