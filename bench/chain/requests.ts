import { setTimeout as sleep } from 'node:timers/promises';
import { Decimal } from '../../src/kernel/money/money';
import { startTestChain, type TestChain } from '../../test/support/chain';
import { withLocalNetwork } from '../../test/support/networks';
import { type World, withInstallation } from '../installation';
import { type Door, openDoor } from './door';
import { payAll, poolOf } from './pool';

const NETWORK = 'bench-requests';
/** Not the id of a development chain, because such a chain has no pace and is asked each second. */
const CHAIN_ID = 11_155_111;
const BLOCK_S = 12;
const NODES = 3;
const CONFIRMATIONS = 3;
/** Blocks from which the watcher learns the pace, before anything is counted. */
const LEARNED = 5;
/** Blocks of each phase. */
const RESTING = 6;
const PAYMENTS = 4;
const DAY_S = 86_400;

/**
 * Counts the requests to each of three nodes with a block each 12 seconds: of an installation at rest, and of a payment from its block to
 * its last confirmation. Takes five minutes.
 */
export const benchChainRequests = (): Promise<void> =>
  withInstallation({ signs: true }, async (world) => {
    const chain = await startTestChain({ blockTime: BLOCK_S, chainId: CHAIN_ID });
    const doors = await Promise.all(Array.from({ length: NODES }, () => openDoor(chain.url)));
    try {
      await measured(world, chain, doors);
    } finally {
      await Promise.all(doors.map((door) => door.close()));
      await chain.stop();
    }
  });

async function measured(world: World, chain: TestChain, doors: readonly Door[]): Promise<void> {
  const token = await chain.token();
  const usdt = { symbol: 'USDT', contract: token, decimals: 6, minDeposit: new Decimal(1) };
  await withLocalNetwork(world, chain, {
    chain: NETWORK,
    chainId: CHAIN_ID,
    token,
    assets: [usdt],
    confirmations: CONFIRMATIONS,
    rpcUrls: doors.map(({ url }) => url),
  });
  const wallets = await poolOf(world.services, NETWORK, PAYMENTS);
  await untilFollowed(world);
  await blocks(chain, LEARNED);
  const rest = await counting(doors, () => blocks(chain, RESTING));
  const paying = await counting(doors, async () => {
    for (const wallet of wallets) {
      await payAll(chain, token, [wallet]);
      await blocks(chain, 1);
    }
    await blocks(chain, CONFIRMATIONS + 1);
    await expectFinal(world);
  });
  const atRest = perSecond(rest);
  // The phase of the payments has the requests of a chain at rest, too.
  const beyondRest = (what: 'requests' | 'calls') =>
    Math.max(...paying.each.map((each) => each[what])) - atRest[what] * paying.seconds;
  console.table([
    {
      what: 'at rest, the busiest node',
      'requests a second': atRest.requests.toFixed(2),
      'calls a second': atRest.calls.toFixed(2),
      'requests a day': Math.round(atRest.requests * DAY_S),
      'calls a day': Math.round(atRest.calls * DAY_S),
    },
    {
      what: `a payment, ${CONFIRMATIONS} confirmations, the busiest node`,
      requests: (beyondRest('requests') / PAYMENTS).toFixed(1),
      calls: (beyondRest('calls') / PAYMENTS).toFixed(1),
    },
  ]);
  console.log('calls to all nodes by method, at rest and with payments');
  console.table(byMethod(rest.methods, paying.methods));
}

/** The reconciler starts the watcher within a minute. */
async function untilFollowed({ services }: World): Promise<void> {
  const place = () => services.database.query('select 1 from chain_places where chain = $1', [NETWORK]);
  while ((await place()).length === 0) await sleep(250);
}

/** Waits for blocks of the chain. */
async function blocks({ client }: TestChain, count: number): Promise<void> {
  const until = (await client.getBlockNumber()) + BigInt(count);
  while ((await client.getBlockNumber()) < until) await sleep(250);
}

type Counted = Awaited<ReturnType<typeof counting>>;

async function counting(doors: readonly Door[], work: () => Promise<void>) {
  const before = doors.map((door) => door.counted());
  const known = methodsOf(doors);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const each = doors.map((door, place) => {
    const { requests, calls } = door.counted();
    return {
      requests: requests - (before[place]?.requests ?? 0),
      calls: calls - (before[place]?.calls ?? 0),
    };
  });
  const methods = new Map(
    [...methodsOf(doors)].map(([method, count]) => [method, count - (known.get(method) ?? 0)]),
  );
  return { seconds, each, methods };
}

const perSecond = ({ seconds, each }: Counted) => ({
  requests: Math.max(...each.map(({ requests }) => requests)) / seconds,
  calls: Math.max(...each.map(({ calls }) => calls)) / seconds,
});

function methodsOf(doors: readonly Door[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const door of doors)
    for (const [method, count] of door.methods()) sums.set(method, (sums.get(method) ?? 0) + count);
  return sums;
}

const byMethod = (rest: ReadonlyMap<string, number>, paying: ReadonlyMap<string, number>) =>
  [...new Set([...rest.keys(), ...paying.keys()])].sort().map((method) => ({
    method,
    'at rest': rest.get(method) ?? 0,
    'with payments': paying.get(method) ?? 0,
  }));

/** Nobody has the wallets any more, so the payments stand in suspense when they are final. */
async function expectFinal({ services }: World): Promise<void> {
  const text = `select count(*) filter (where status <> 'confirming')::int as final from transfers
    where kind = 'chain_deposit' and terms ->> 'chain' = $1`;
  const [row] = await services.database.query<{ final: number }>(text, [NETWORK]);
  if (row?.final !== PAYMENTS) throw new Error(`${row?.final} of ${PAYMENTS} payments are final`);
}
