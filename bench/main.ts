import { parseArgs } from 'node:util';
import { benchAuthorization } from './authorization';
import { benchCards } from './cards';
import { benchChainDeposits } from './chain/deposits';
import { benchSweeps } from './chain/gas';
import { benchLargePool } from './chain/large-pool';
import { benchChainRequests } from './chain/requests';
import { benchChainSweeps } from './chain/sweeps';
import { benchChallenges } from './challenges';
import { benchComparison } from './compare';
import { benchFlood } from './flood';
import { benchGrowth } from './growth';
import { benchHungParty } from './hung-party';
import { benchIdle } from './idle';
import { benchLine } from './line';
import { benchProcesses } from './processes';
import { benchReader } from './reader';
import { benchScaling } from './scaling';
import { benchSize } from './size';
import { benchUploads } from './uploads';
import { benchWebhooks } from './webhooks';

/** `npm run bench -- NAME` runs a bench and prints its results. No bench asserts a speed. */
const BENCHES: Record<string, () => Promise<void>> = {
  authorization: benchAuthorization,
  cards: benchCards,
  chain: benchChain,
  'chain-deposits': benchChainDeposits,
  'chain-sweeps': benchChainSweeps,
  compare: benchComparison,
  challenges: benchChallenges,
  flood: benchFlood,
  growth: benchGrowth,
  'hung-party': benchHungParty,
  idle: benchIdle,
  line: benchLine,
  processes: benchProcesses,
  reader: benchReader,
  scaling: benchScaling,
  size: benchSize,
  sweeps: benchSweeps,
  uploads: benchUploads,
  webhooks: benchWebhooks,
};

/** `--wallets N` measures pools of up to N wallets instead, and `--requests` counts what nodes are asked. */
async function benchChain(): Promise<void> {
  const options = { wallets: { type: 'string' }, requests: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: process.argv.slice(3), options });
  if (values.requests) return benchChainRequests();
  if (values.wallets !== undefined) return benchLargePool(Number(values.wallets));
  await benchChainDeposits();
  await benchChainSweeps();
}

const name = process.argv[2] ?? '';
const bench = BENCHES[name];
if (!bench) {
  console.error(`npm run bench -- ${Object.keys(BENCHES).join(' | ')}`);
  process.exit(2);
}
bench().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
