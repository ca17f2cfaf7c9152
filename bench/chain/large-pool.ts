import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Address } from 'viem';
import { orderAutoSweeps } from '../../src/chain/gas-station/auto-sweep';
import { deriveWallets } from '../../src/chain/wallets/operations';
import type { Composed } from '../../src/composition';
import { newId } from '../../src/kernel/ids';
import { Decimal } from '../../src/kernel/money/money';
import { readChain } from '../../src/watch/chains/follow-blocks';
import { nothingRemembered } from '../../src/watch/chains/reading';
import { startTestChain, type TestChain } from '../../test/support/chain';
import { fillPool } from '../../test/support/large-pool';
import { withLocalNetwork } from '../../test/support/networks';
import { openServices } from '../fixtures';
import { processorTime, spentBy } from '../processor-time';
import { type Bench, openBench } from '../servers';
import { COUNTED_STATEMENTS, countStatements, dearestStatements, sumOfStatements } from '../statements';
import { benchBalances } from './balances';
import { countedCalls } from './counted-calls';
import { benchSweeps } from './gas';
import { payAll, storeSeed, timed } from './pool';

const NETWORK = 'bench-pool';
const BLOCKS = 20;
/** Transfers of the listed token in each block. The first one pays a wallet of the pool. */
const PER_BLOCK = 20;
const DERIVED = 200;
/** Wallets beside the derived ones. */
const SIZES = [300, 1_500, 10_000];
/** Kinds of statements to list. */
const LISTED = 10;

/**
 * Measures a block with pools of several sizes, up to the given one: requests to the node, statements, time, processor time, and memory
 * of the addresses. The largest pool is measured again when Postgres has statistics of the new rows, because plans depend on them. The
 * bench derives some wallets to measure the derivation, and inserts the others without keys. Prints the tables of balances and of gas
 * as well, so that one command gives all figures of chains.
 */
export async function benchLargePool(wallets: number): Promise<void> {
  // Postgres analyses tables by itself, at moments that nobody can foretell.
  const bench = await openBench({ ...COUNTED_STATEMENTS, autovacuum: 'off' });
  const services = await openServices(bench);
  const chain = await startTestChain({ blockTime: 'manual' });
  try {
    const token = await chain.token();
    const usdt = { symbol: 'USDT', contract: token, decimals: 6, minDeposit: new Decimal(1) };
    await withLocalNetwork({ services }, chain, { chain: NETWORK, token, assets: [usdt], confirmations: 3 });
    const rows = [];
    const own = await derived(services, bench);
    let filled = 0;
    for (const size of new Set([...SIZES.filter((each) => each < wallets), wallets])) {
      await fillPool(services.database, NETWORK, size - filled, { firstIndex: 1_000_000 + filled });
      filled = size;
      const found = await measured(bench, services, chain, { token, own });
      rows.push({ wallets: size, statistics: 'none', ...found });
    }
    await services.database.query('vacuum analyze');
    const again = await measured(bench, services, chain, { token, own });
    rows.push({ wallets, statistics: 'new', ...again });
    const last = rows.map(({ dearest, ...row }) => ({ row, dearest })).slice(-2);
    for (const { row, dearest } of last) {
      console.log(`statements of a block with ${row.wallets} wallets, statistics: ${row.statistics}`);
      console.table(dearest);
    }
    console.table(rows.map(({ dearest: _, ...row }) => row));
    console.log(`derivation: ${Math.round(DERIVED / own.seconds)} wallets a second`);
  } finally {
    await chain.stop();
    await services.database.close();
    await bench.close();
  }
  await benchBalances();
  await benchSweeps();
}

async function derived(services: Composed, bench: Bench): Promise<{ address: string; seconds: number }> {
  await storeSeed(bench, services);
  let address = '';
  const seconds = await timed(async () => {
    const of = { chain: NETWORK, kind: 'evm' as const, count: DERIVED, purpose: 'pool' as const };
    const made = await services.database.transaction((tx) => deriveWallets(services, tx, of));
    address = made[0]?.address ?? '';
  });
  return { address, seconds };
}

async function measured(
  bench: Bench,
  services: Composed,
  chain: TestChain,
  { token, own }: { token: Address; own: { address: string } },
) {
  const remembered = nothingRemembered();
  const step = () => readChain(services, NETWORK, remembered, async () => {});
  const toHead = async () => {
    while ((await step()) !== 'rests');
  };
  const before = heapUsed();
  await chain.client.mine({ blocks: 1 });
  const first = await timed(toHead);
  const heap = heapUsed() - before;
  const strangers = Array.from({ length: PER_BLOCK - 1 }, () => ({ address: strangerOf(newId('wallet')) }));
  let seconds = 0;
  const sum = { requests: 0, calls: 0 };
  const spent = spentBy({
    own: () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
    Postgres: () => processorTime(bench.postgresPid()),
  });
  let paying = { own: 0 };
  await countStatements(services.database);
  for (let block = 0; block < BLOCKS; block += 1) {
    const began = process.cpuUsage();
    await payAll(chain, token, [own, ...strangers]);
    await chain.client.mine({ blocks: 1 });
    const used = process.cpuUsage(began);
    paying = { own: paying.own + (used.user + used.system) / 1_000 };
    const { requests, calls } = await countedCalls(chain.url, async () => {
      seconds += await timed(step);
    });
    sum.requests += requests;
    sum.calls += calls;
  }
  const used = spent(BLOCKS);
  const { calls: statements, blocks } = await sumOfStatements(services.database);
  const dearest = await dearestStatements(services.database, BLOCKS, LISTED);
  const run = await countedCalls(chain.url, () => orderAutoSweeps(services));
  return {
    dearest,
    'first reading ms': Math.round(first * 1_000),
    'heap MB': (heap / 2 ** 20).toFixed(1),
    'ms a block': ((seconds * 1_000) / BLOCKS).toFixed(1),
    'own ms': (Number(used['own ms']) - paying.own / BLOCKS).toFixed(1),
    'Postgres ms': used['Postgres ms'],
    'statements a block': (statements / BLOCKS).toFixed(0),
    'Postgres blocks a block': (blocks / BLOCKS).toFixed(0),
    'requests a block': (sum.requests / BLOCKS).toFixed(1),
    'calls a block': (sum.calls / BLOCKS).toFixed(1),
    'requests of a sweeping run': run.requests,
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are in use, without garbage. */
function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** An address that nobody has. */
const strangerOf = (id: string): string =>
  `0x${Buffer.from(id).toString('hex').slice(-40).padStart(40, '1')}`;
