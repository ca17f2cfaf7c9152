/** @long */
import { openMasterAccount } from '../../../src/accounts/accounts/operations';
import { findNetwork, saveNetwork } from '../../../src/chain/networks/operations';
import type { Network } from '../../../src/chain/networks/record';
import { Decimal } from '../../../src/kernel/money/money';
import type { ChainNode, ChainTransfer } from '../../../src/parties/chain/port';
import { keepTransfers } from '../../../src/transfers/chain-deposits/discover';
import { chainDepositKind } from '../../../src/transfers/chain-deposits/kind';
import { advance } from '../../../src/transfers/engine/advance';
import { advanceAll } from '../../../src/transfers/engine/advance-all';
import { type TestApi, testApi } from '../../support/api';
import { countConflicts } from '../../support/conflicts';
import { unreachableNode } from '../../support/outside/unreachable-node';

const ROUNDS = 6;
const TOKEN = `0x${'a1'.repeat(20)}`;
const UNLISTED = `0x${'b2'.repeat(20)}`;
const assets = [{ symbol: 'USDT', contract: TOKEN, decimals: 6, minDeposit: new Decimal(1) }];

const mined = new Map<string, ChainTransfer[]>();

/** A node that has everything that was mined, in one deep block. */
const node: ChainNode = {
  ...unreachableNode('local'),
  async transactionOfEach(hash) {
    const transfers = mined.get(hash) ?? [];
    const block = transfers[0]?.block as ChainTransfer['block'];
    const paid = { from: '0xF', to: TOKEN, nonce: 0, fee: 1n, gasUsed: 1n, block, transfers };
    return { said: [{ status: 'succeeded', ...paid }], of: 1 };
  },
  agreedBlock: async () => ({ hash: '0xb', said: 1, of: 1, isSplit: false }),
};

const { conflicts, counting } = countConflicts();
let api: TestApi;
let network: Network;
let addresses: string[];

beforeAll(async () => {
  api = await testApi({ parties: { chain: { of: () => node } } }, counting);
  const { services, database } = api;
  const clients = await Promise.all([api.client(), api.client()]);
  await database.transaction(async (tx) => {
    const terms = {
      name: 'Local',
      finality: 'confirmations' as const,
      requestsPerSecond: null,
      feeModel: 'evm' as const,
      kind: 'evm' as const,
      chainId: 7,
      explorerUrl: null,
      confirmations: 1,
    };
    const whole = { ...terms, enabled: true, rpcUrls: ['http://127.0.0.1:1/'], assets };
    await saveNetwork(services, tx, 'local', whole, 0);
    for (const { clientId } of clients) await openMasterAccount(tx, clientId, 'USDT');
  });
  network = (await findNetwork(database, 'local')) as Network;
  addresses = [];
  for (const n of [0, 1, 2, 3]) {
    const client = clients[n % 2] as (typeof clients)[0];
    const { body } = await client.call('GET', '/v1/accounts?currency=USDT');
    const asked = { chain: 'local', asset: 'USDT', accountId: body.data[0].id, reference: `payer ${n}` };
    addresses.push((await client.call('POST', '/v1/wallets/allocate', asked)).body.address);
  }
});
afterAll(() => api.close());

/** Transactions with three transfers each to addresses of two accounts, and unlisted tokens. */
function transactions(round: number): ChainTransfer[][] {
  const block = { number: round + 1, hash: '0xb', parentHash: '0xa', at: new Date(Date.now() + 1_000) };
  return Array.from({ length: 6 }, (_, n) => {
    const txHash = `0x${(round * 10 + n).toString(16).padStart(64, '0')}`;
    const transfers = [0, 1, 2].map((ordinal) => ({
      txHash,
      ordinal,
      logIndex: ordinal,
      token: TOKEN,
      from: '0xF',
      units: 5_000_000n,
      block,
      to: addresses[(n + ordinal) % 4] as string,
    }));
    mined.set(txHash, transfers);
    const [first] = transfers as [ChainTransfer];
    return [
      ...transfers,
      { ...first, ordinal: 3, logIndex: 3, token: UNLISTED },
      { ...first, ordinal: 4, logIndex: 4, units: 2n ** 255n }, // more than a record can hold
    ];
  });
}

const idsOf = async () =>
  (await api.database.query<{ id: string }>('select id from transfers order by id')).map(({ id }) => id);

test('readings, claims by hash and looks that meet take their locks in one order', async () => {
  const { services } = api;
  const keep = (transfers: ChainTransfer[]) =>
    services.database.transaction((tx) => keepTransfers(services, tx, network, transfers));
  for (let round = 0; round < ROUNDS; round += 1) {
    const known = await idsOf();
    const found = transactions(round);
    // Reads the block before a second time with it, as for lagging nodes.
    const again = [...mined.values()].slice(-12, -6).flat();
    await Promise.all([
      keep([...found.flat(), ...again]),
      keep([...again, ...found.flat()].reverse()),
      keep(found.toReversed().flat()),
      ...found.map((transfers) => keep(transfers)),
      ...known.slice(-18).map((id) => advance(services, chainDepositKind, id)),
      advanceAll(services, chainDepositKind, known.slice(-18)),
      advanceAll(services, chainDepositKind, known.slice(-24).reverse()),
    ]);
  }
  for (const id of await idsOf()) await advance(services, chainDepositKind, id);
  const counted = await api.database.query('select status, count(*)::int as count from transfers group by 1');
  expect(counted).toEqual([{ status: 'credited', count: ROUNDS * 6 * 3 }]);
  expect(conflicts()).toBe(0);
});
