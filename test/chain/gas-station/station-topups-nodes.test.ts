import { checkLedger } from '../../../src/kernel/ledger/check';
import { type NodeDouble, startNodeDouble } from '../../parties/chain/node-double';
import { readBlocks as readAll } from './operations/support';
import { type GasWorld, gasWorld } from './support';

let world: GasWorld;
/** Proxy before the first of the network's two nodes. */
let double: NodeDouble;
let station: string;
beforeAll(async () => {
  world = await gasWorld({ before: async (url) => (double = await startNodeDouble(url)).url });
  const made = await world.admin.call('POST', '/v1/gas-station/wallet/generate', { chain: 'local' });
  station = made.body.address;
});
afterAll(async () => {
  expect(await checkLedger(world.api.database)).toEqual([]);
  await world.close();
  await double.close();
});

const PATH = '/v1/gas-station/station-topups';
const scan = async () => (await world.admin.call('POST', `${PATH}/scan`, { chain: 'local' })).body;
const mine = (blocks: number) => world.chain.client.mine({ blocks });
const milliEth = (amount: number) => BigInt(amount) * 10n ** 15n;

it('books transfers in blocks that the nodes agree on, and leaves the others to the next scan', async () => {
  const first = await world.chain.pay(null, station, milliEth(250));
  await mine(3);
  double.on('eth_getBlockByNumber', async ({ params }, ask) => {
    const block = await ask({ params });
    return params[0] === 'latest' || block === null ? block : { ...block, hash: `0x${'e'.repeat(64)}` };
  });
  const split = await scan();
  expect(split.found).toEqual([]);
  expect(split.waiting).toMatchObject([{ txHash: first }]);
  double.behaveWell();
  expect((await scan()).found).toMatchObject([{ txHash: first }]);
  expect(await scan()).toMatchObject({ found: [], waiting: [] });
});

it('books nothing by the word of one of two nodes', async () => {
  double.on('*', 'lost');
  const hash = await world.chain.pay(null, station, milliEth(30));
  await mine(3);
  expect(await scan()).toMatchObject({ found: [], waiting: [{ txHash: hash }] });
  double.behaveWell();
  expect((await scan()).found).toMatchObject([{ txHash: hash }]);
});

/** Changes the full blocks that the first node reports. */
const tellsOfBlocks = (change: (transactions: Sent[]) => Sent[]) =>
  double.on('eth_getBlockByNumber', async ({ params }, ask) => {
    const block = await ask({ params });
    return params[1] === true && block ? { ...block, transactions: change(block.transactions) } : block;
  });

type Sent = { to: string | null; value: string };

it('books a transfer that only the second node reports', async () => {
  tellsOfBlocks(() => []);
  const hash = await world.chain.pay(null, station, milliEth(40));
  await mine(3);
  expect((await scan()).found).toMatchObject([{ txHash: hash }]);
  double.behaveWell();
  expect(await scan()).toMatchObject({ found: [], waiting: [] });
});

it('books nothing that one node alone reports of an agreed block, and waits for agreement', async () => {
  const ten = (transactions: Sent[]) =>
    transactions.map((each) => ({ ...each, value: `0x${milliEth(10_000).toString(16)}` }));
  tellsOfBlocks(ten);
  double.on('eth_getTransactionByHash', async (_, ask) => ten([await ask({})])[0]);
  const hash = await world.chain.pay(null, station, milliEth(50));
  await mine(3);
  expect((await scan()).found).toEqual([]);
  double.behaveWell();
  expect((await scan()).found).toMatchObject([{ txHash: hash, amount: '0.050000000000000000' }]);
});

describe("found by the chain's watcher", () => {
  const shown = async (hash: string) =>
    (await world.admin.call('GET', `${PATH}?limit=100`)).body.data
      .filter(({ txHash }: { txHash: string }) => txHash === hash)
      .map(({ amount }: { amount: string }) => Number(amount));
  const readBlocks = () => readAll(world.api.services);
  beforeAll(readBlocks); // begins at the head

  it('books what most nodes report, and waits while one reports another amount', async () => {
    const ten = (transactions: Sent[]) =>
      transactions.map((each) => ({ ...each, value: `0x${milliEth(10_000).toString(16)}` }));
    tellsOfBlocks(ten);
    double.on('eth_getTransactionByHash', async (_, ask) => ten([await ask({})])[0]);
    const hash = await world.chain.pay(null, station, milliEth(60));
    await mine(4);
    await readBlocks();
    expect(await shown(hash)).toEqual([]);
    expect((await scan()).found).toEqual([]);
    double.behaveWell();
    await readBlocks();
    expect(await shown(hash)).toEqual([0.06]);
    expect(await scan()).toMatchObject({ found: [], waiting: [] });
  });

  it('finds at the second reading what the first node has left out', async () => {
    tellsOfBlocks(() => []);
    const hash = await world.chain.pay(null, station, milliEth(70));
    await mine(8);
    await readBlocks();
    double.behaveWell();
    await mine(1);
    await readBlocks();
    expect(await shown(hash)).toEqual([0.07]);
  });
});
