import type { Address, Hex } from 'viem';
import { compareChain } from '../../../src/chain/reconciliation/compare';
import { chainsToRead, keepChainReading } from '../../../src/chain/reconciliation/readings';
import { ChainAway } from '../../../src/parties/chain/errors';
import type { Client } from '../../support/api';
import { testKeyring } from '../../support/keyring';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

/** An unreadable part of a chain is shown, and the rest is compared. */

let on: World;
let admin: Client;
let wallet: Address;
let ahead = 0;
beforeEach(async () => {
  on = await openWorld();
  admin = await on.api.client('admin');
  ahead = 0;
  on.api.services.now = () => new Date(Date.now() + ahead);
  await on.turn();
  wallet = (await on.wallet(await on.account())) as Address;
  await on.chain.pay(on.token, wallet, 25_000_000n);
  await on.chain.client.mine({ blocks: 3 });
  await on.read();
});
afterEach(() => on.close());

const breaks = () =>
  on.api.database.query(
    `select kind, subject from breaks where resolved_at is null and kind in ('token_unreadable', 'chain_not_compared', 'chain_difference') order by 1`,
  );
const accounts = async () =>
  (await compareChain(on.api.services, 'local')).lines.map(({ place, asset }) => `${place} ${asset}`);
const keep = () => keepChainReading(on.api.services, 'local');
/** Services whose nodes fail to return balances. */
function withoutBalances(): typeof on.api.services {
  const { parties } = on.api.services;
  const away = () => Promise.reject(new ChainAway('local'));
  const of: typeof parties.chain.of = (address) => ({ ...parties.chain.of(address), balances: away });
  return { ...on.api.services, parties: { ...parties, chain: { of } } };
}
/** Fails twice, fifteen minutes apart. */
async function failsFor(services: typeof on.api.services): Promise<void> {
  await expect(keepChainReading(services, 'local')).rejects.toThrow();
  ahead += 15 * 60_000;
  await expect(keepChainReading(services, 'local')).rejects.toThrow();
}
/** Replaces the token's code from the next block on. */
async function becomes(bytecode: Hex): Promise<void> {
  await on.chain.client.setCode({ address: on.token, bytecode });
  await on.chain.client.mine({ blocks: 1 });
  await on.read();
}

it('shows a token whose calls revert, and compares the other assets', async () => {
  const code = (await on.chain.client.getCode({ address: on.token })) as Hex;
  await on.chain.client.setBalance({ address: wallet, value: 10n ** 17n });
  await becomes('0xfe');
  expect(await accounts()).toEqual(['pool ETH']);
  await keep();
  expect(await breaks()).toEqual([{ kind: 'token_unreadable', subject: 'chain:local:USDT' }]);
  ahead += 5 * 60_000;
  await keep();
  expect(await breaks()).toEqual([
    { kind: 'chain_difference', subject: 'pool@local:ETH' },
    { kind: 'token_unreadable', subject: 'chain:local:USDT' },
  ]);
  await becomes(code);
  expect(await accounts()).toEqual(['pool USDT', 'pool ETH']);
  await keep();
  expect(await breaks()).toEqual([{ kind: 'chain_difference', subject: 'pool@local:ETH' }]);
});

it("shows a wallet's other balances, and names the token that does not answer", async () => {
  await becomes('0xfe');
  const { status, body } = await admin.call('GET', `/v1/wallets/${wallet}/balance?chain=local`);
  expect([status, body]).toMatchObject([
    200,
    {
      balances: [{ asset: 'ETH', balance: `0.${'0'.repeat(18)}` }],
      detail: 'The contract of USDT does not answer: its balance is not known.',
    },
  ]);
});

it('shows a chain that was not compared for 15 minutes, until it is', async () => {
  const without = withoutBalances();
  await keep();
  for (const minutes of [5, 5, 5]) {
    await expect(keepChainReading(without, 'local')).rejects.toThrow(ChainAway);
    expect(await breaks()).toEqual([]);
    ahead += minutes * 60_000;
  }
  await expect(keepChainReading(without, 'local')).rejects.toThrow(ChainAway);
  expect(await breaks()).toEqual([{ kind: 'chain_not_compared', subject: 'chain:local' }]);
  await keep();
  expect(await breaks()).toEqual([]);
});

it('shows a chain whose node addresses cannot be opened', async () => {
  await failsFor({ ...on.api.services, keyring: testKeyring() });
  expect(await breaks()).toEqual([{ kind: 'chain_not_compared', subject: 'chain:local' }]);
});

it('closes the break of a token that is no longer configured, and all breaks of a chain that is no longer compared', async () => {
  await on.api.database.query(
    `update networks set assets = assets || jsonb_build_array(assets->0 || '{"symbol": "USDC"}')`,
  );
  await becomes('0xfe');
  await keep();
  const unreadable = (symbol: string) => ({ kind: 'token_unreadable', subject: `chain:local:${symbol}` });
  expect((await breaks()).sort()).toEqual(expect.arrayContaining([unreadable('USDC'), unreadable('USDT')]));
  await on.api.database.query(
    `update networks set assets = (select jsonb_agg(a) from jsonb_array_elements(assets) a where a->>'symbol' <> 'USDC')`,
  );
  await keep();
  expect(await breaks()).toEqual([unreadable('USDT')]);
  await failsFor(withoutBalances());
  expect(await breaks()).toEqual([
    { kind: 'chain_not_compared', subject: 'chain:local' },
    unreadable('USDT'),
  ]);
  expect(await chainsToRead(on.api.services)).toEqual(['local']);
  expect(await breaks()).toHaveLength(2);
  await on.api.database.query('update networks set enabled = false');
  expect(await chainsToRead(on.api.services)).toEqual([]);
  expect(await breaks()).toEqual([]);
  expect(await on.api.database.query('select * from chain_comparisons')).toEqual([]);
});
