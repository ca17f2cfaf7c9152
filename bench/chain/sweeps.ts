import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { applyGasTerms, judgeGasTerms, lockGasConfig } from '../../src/chain/gas-station/config/operations';
import { gasConfigNeverSet } from '../../src/chain/gas-station/config/record';
import { generateStation } from '../../src/chain/gas-station/station/operations';
import { deploymentOf } from '../../src/chain/gas-station/strategies/delegate';
import type { SweepStrategyName } from '../../src/chain/gas-station/strategies/port';
import { requireNetwork } from '../../src/chain/networks/operations';
import { Decimal } from '../../src/kernel/money/money';
import { QUEUES } from '../../src/kernel/outbox/queues';
import { readChain } from '../../src/watch/chains/follow-blocks';
import { startTestChain, type TestChain } from '../../test/support/chain';
import { withLocalNetwork } from '../../test/support/networks';
import { type World, withInstallation } from '../installation';
import { processorTime, spentBy } from '../processor-time';
import { atOnce, PAID, payAll, poolOf, timed } from './pool';

const WALLETS = Number(process.env['BENCH_WALLETS'] ?? 200);
/**
 * Sweeps of each strategy before the measurement, because the worker has to load its workflows and compile all code.
 */
const WARM = 20;
const CALLERS = 8;
const TOPUP = '0.001';

/**
 * Measures wallets that one worker process with the local signer sweeps per minute, from the order to the books. The
 * chain has a block for each transaction, and the minute's schedule starts again as soon as it ends. A bare loop with
 * its own keys is measured beside it.
 */
export const benchChainSweeps = (): Promise<void> =>
  withInstallation({ signs: true }, async (world) => {
    const strategies: readonly SweepStrategyName[] = ['transfer', 'delegated'];
    const rows = [];
    for (const [place, strategy] of strategies.entries())
      rows.push(...(await measured(world, strategy, 31_337 + place)));
    console.table(rows);
  });

async function measured(world: World, strategy: SweepStrategyName, chainId: number) {
  const chain = await startTestChain({ chainId });
  try {
    const network = `bench-${strategy}`;
    const token = await chain.token();
    await withLocalNetwork(world, chain, { chain: network, chainId, token, confirmations: 1 });
    await readChain(world.services, network); // starts at the head of the chain, before any payment
    await openStation(world, chain, network, strategy);
    const paid = async (count: number) => {
      const wallets = await poolOf(world.services, network, count);
      await payAll(chain, token, wallets);
      await untilBooked(world, network);
      return wallets.map(({ id }) => id);
    };
    await sweepAll(world, await paid(WARM));
    const bare = await bareSweeps(chain, token);
    const wallets = await paid(WALLETS);
    const spent = spentBy({ ...world.processes, chain: () => processorTime(chain.node.pid ?? 0) });
    const seconds = await sweepAll(world, wallets);
    const used = spent(WALLETS);
    const perMinute = (each: number) => Math.round((60 * WALLETS) / each);
    return [
      { what: 'a bare loop: a top-up, then a transfer', 'a minute': perMinute(bare) },
      {
        what: `${WALLETS} wallets, ${strategy}`,
        'a minute': perMinute(seconds),
        ratio: (bare / seconds).toFixed(2),
        ...used,
        ...(await largestOf(world, wallets)),
      },
    ];
  } finally {
    await chain.stop();
  }
}

/** Waits for the worker, which reads the chain, because only booked money is swept. */
async function untilBooked({ services }: World, network: string): Promise<void> {
  const text = `select 1 from wallets w where w.chain = $1 and w.purpose = 'pool' and not exists (select from transfers
    where kind = 'chain_deposit' and terms ->> 'address' = w.address and status <> 'confirming') limit 1`;
  while ((await services.database.query(text, [network])).length > 0) await sleep(100);
}

async function openStation(
  { services }: World,
  chain: TestChain,
  name: string,
  sweepStrategy: SweepStrategyName,
): Promise<void> {
  const treasury = newAccount().address;
  const network = await services.database.transaction((tx) => requireNetwork(tx, name));
  const terms = {
    ...gasConfigNeverSet(network),
    gasThreshold: new Decimal('0.0005'),
    gasTopupAmount: new Decimal(TOPUP),
    maxGasPrice: new Decimal(10_000),
    dailyGasBudget: new Decimal(1_000),
    treasuryAddress: treasury,
    sweepConfirmations: 1,
    autoSweep: true,
    sweepStrategy,
  };
  const { wallet } = await services.database.transaction(async (tx) => {
    const before = await lockGasConfig(tx, network);
    await applyGasTerms(tx, network, await judgeGasTerms(tx, network, before, { ...terms, version: 0 }));
    return generateStation(services, tx, network, 0);
  });
  const station = wallet.address as Address;
  await chain.pay(null, station, parseEther('100'));
  if (sweepStrategy !== 'delegated') return;
  const { to, data } = deploymentOf({ treasury, station });
  await chain.mined(await chain.client.sendTransaction({ to: to, data: data }));
}

/** Returns the largest batch and the highest gas limit. No transaction may have more than 16,777,216 gas. */
async function largestOf({ services }: World, walletIds: readonly string[]) {
  const text = `select max(wallets)::int as wallets, max(gas)::text as gas from
    (select count(distinct swept.wallet_id) as wallets, max(nonce.gas) as gas from gas_operations swept
       join chain_nonces nonce on nonce.operation_id = coalesce(swept.batch_of, swept.id)
      where swept.wallet_id = any($1::text[]) and swept.type = 'sweep' group by nonce.hash) transactions`;
  const [row] = await services.database.query<{ wallets: number; gas: string }>(text, [walletIds]);
  return { 'wallets a transaction': row?.wallets, 'gas limit': row?.gas };
}

/** @returns seconds from the first order to the last entry in the books */
async function sweepAll({ services, temporal }: World, walletIds: readonly string[]): Promise<number> {
  const swept = async () => {
    const text = `select count(*)::int as swept from gas_operations where wallet_id = any($1::text[]) and type = 'sweep' and status = 'completed'`;
    const [row] = await services.database.query<{ swept: number }>(text, [walletIds]);
    return row?.swept;
  };
  return timed(async () => {
    while ((await swept()) !== walletIds.length)
      await temporal.workflow.execute('gasAutoSweep', {
        taskQueue: QUEUES.processes,
        workflowId: `bench-${randomUUID()}`,
        args: [],
      });
  });
}

const newAccount = () => privateKeyToAccount(generatePrivateKey());

/**
 * Runs as many callers as the service has. Each sends gas and then the transfer, and waits for its block.
 * @returns seconds
 */
async function bareSweeps(chain: TestChain, token: Address): Promise<number> {
  const [station, treasury] = [newAccount(), newAccount().address];
  const wallets = Array.from({ length: WALLETS }, newAccount);
  await chain.pay(null, station.address, parseEther('100'));
  await payAll(chain, token, wallets);
  let nonce = 0;
  return timed(() =>
    atOnce(CALLERS, wallets, async (account) => {
      const gas = { account: station, to: account.address, value: parseEther(TOPUP), nonce: nonce++ };
      await chain.mined(await chain.client.sendTransaction(gas));
      await chain.mined(await chain.write(token, 'TestUsdt', 'transfer', [treasury, PAID], account));
    }),
  );
}
