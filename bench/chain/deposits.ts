import { type Address, encodeEventTopics, erc20Abi, type Hex } from 'viem';
import type { Composed } from '../../src/composition';
import { Decimal } from '../../src/kernel/money/money';
import { bookDeposits } from '../../src/transfers/chain-deposits/book';
import { readChain } from '../../src/watch/chains/follow-blocks';
import { nothingRemembered } from '../../src/watch/chains/reading';
import { startTestChain, type TestChain } from '../../test/support/chain';
import { withLocalNetwork } from '../../test/support/networks';
import { openServices } from '../fixtures';
import { processorTime, spentBy } from '../processor-time';
import { type Bench, openBench } from '../servers';
import { countedCalls } from './counted-calls';
import { payAll, poolOf, storeSeed, timed } from './pool';

const PAYMENTS = 2_000;
const PER_BLOCK = 20;
const CONFIRMATIONS = 3;
/** Receipts that public nodes return in one request. */
const BATCH = 20;

/**
 * Measures payments to as many wallets of the pool, in blocks of twenty, by the product's own steps in this process.
 * Reports payments per second found and recorded, payments per second booked after they are final, and the calls to the
 * node. A bare loop that makes the least calls to the same node is measured beside it.
 */
export async function benchChainDeposits(): Promise<void> {
  const bench = await openBench();
  const services = await openServices(bench);
  try {
    await storeSeed(bench, services);
    console.table([
      ...(await measured(bench, services, { name: 'tokens', chainId: 31_337, native: false })),
      ...(await measured(bench, services, { name: 'tokens and coins', chainId: 31_338, native: true })),
    ]);
  } finally {
    await services.database.close();
    await bench.close();
  }
}

interface Assets {
  name: string;
  chainId: number;
  /** Whether the network also has native coin, for which each block is read whole. */
  native: boolean;
}

async function measured(bench: Bench, services: Composed, { name, chainId, native }: Assets) {
  const chain = await startTestChain({ blockTime: 'manual', chainId });
  const network = `bench-${chainId}`;
  try {
    const token = await chain.token();
    const usdt = { symbol: 'USDT', contract: token, decimals: 6, minDeposit: new Decimal(1) };
    const eth = { symbol: 'ETH', contract: null, decimals: 18, minDeposit: new Decimal('0.001') };
    const assets = native ? [usdt, eth] : [usdt];
    const terms = { chain: network, token, assets, confirmations: CONFIRMATIONS };
    await withLocalNetwork({ services }, chain, { ...terms, chainId });
    const wallets = await poolOf(services, network, PAYMENTS);
    await readChain(services, network); // starts at the head of the chain
    const from = await chain.client.getBlockNumber();
    const hashes = await payAll(chain, token, wallets, PER_BLOCK);
    await chain.client.mine({ blocks: CONFIRMATIONS });
    const bare = await timed(() => bareReading(chain, from, wallets, hashes));
    const beside = { url: chain.url, processor: processorOf(bench, chain) };
    const found = await counting(`${name}: found and recorded`, beside, () => readAll(services, network));
    const ids = await idsOf(services, network);
    const booked = await counting(`${name}: final and booked`, beside, () => bookDeposits(services, ids));
    await expectBooked(services, ids);
    const perSecond = Math.round(PAYMENTS / bare);
    const ratio = (found['a second'] / perSecond).toFixed(2);
    return [{ what: `${name}: a bare loop`, 'a second': perSecond }, { ...found, ratio }, booked];
  } finally {
    await chain.stop();
  }
}

type Processor = Record<'own' | 'Postgres' | 'chain', () => number>;

/** Processor time so far in milliseconds, because a busy machine disturbs it least. */
const processorOf = (bench: Bench, { node }: TestChain): Processor => ({
  own: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  Postgres: () => processorTime(bench.postgresPid()),
  chain: () => processorTime(node.pid ?? 0),
});

/** @returns a line of the table: payments per second, calls, and the processor time of each process */
async function counting(
  what: string,
  { url, processor }: { url: string; processor: Processor },
  work: () => Promise<unknown>,
) {
  const spent = spentBy(processor);
  let seconds = 0;
  const { requests, calls } = await countedCalls(url, async () => {
    seconds = await timed(work);
  });
  return {
    what,
    'a second': Math.round(PAYMENTS / seconds),
    requests,
    calls,
    'a call': (PAYMENTS / calls).toFixed(2),
    ...spent(PAYMENTS),
  };
}

/** Reads to the head. The deposits are booked afterwards, because the two are measured apart. */
async function readAll(services: Composed, network: string): Promise<void> {
  for (;;) if ((await readChain(services, network, nothingRemembered(), async () => {})) === 'rests') return;
}

const idsOf = async ({ database }: Composed, network: string): Promise<string[]> => {
  const text = `select id from transfers where kind = 'chain_deposit' and terms ->> 'chain' = $1`;
  const rows = await database.query<{ id: string }>(text, [network]);
  if (rows.length !== PAYMENTS) throw new Error(`${rows.length} of ${PAYMENTS} payments were found`);
  return rows.map(({ id }) => id);
};

/**
 * Checks that no payment is still confirming. The payments are recorded without an owner, because no wallet is
 * allocated any more.
 */
async function expectBooked({ database }: Composed, ids: readonly string[]): Promise<void> {
  const text = `select count(*)::int as open from transfers where id = any($1::text[]) and status = 'confirming'`;
  const [row] = await database.query<{ open: number }>(text, [ids]);
  if (row?.open !== 0) throw new Error(`${row?.open} payments are not final`);
}

/** Makes the least possible calls: one filter for the range and all addresses, then all receipts in batches. */
async function bareReading(
  { url }: TestChain,
  from: bigint,
  wallets: readonly { address: string }[],
  hashes: readonly Hex[],
): Promise<void> {
  const addresses = wallets.map(({ address }) => address as Address);
  let found = 0;
  for (let at = 0; at < addresses.length; at += 500) {
    const topics = encodeEventTopics({
      abi: erc20Abi,
      eventName: 'Transfer',
      args: { to: addresses.slice(at, at + 500) },
    });
    const filter = { fromBlock: `0x${from.toString(16)}`, toBlock: 'latest', topics };
    const { result } = (await ask(url, { method: 'eth_getLogs', params: [filter] })) as { result: unknown[] };
    found += result.length;
  }
  if (found !== hashes.length) throw new Error(`${found} of ${hashes.length} payments are on the chain`);
  for (let at = 0; at < hashes.length; at += BATCH)
    await ask(
      url,
      hashes.slice(at, at + BATCH).map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
}

type Asked = { method: string; params: unknown[] };

async function ask(url: string, asked: Asked | Asked[]): Promise<unknown> {
  const numbered = (each: Asked, id = 0) => ({ jsonrpc: '2.0', id, ...each });
  const body = JSON.stringify(Array.isArray(asked) ? asked.map(numbered) : numbered(asked));
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body })).json();
}
