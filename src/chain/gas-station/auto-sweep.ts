import { Problem } from '../../kernel/errors';
import { forEachIsolated } from '../../kernel/for-each-isolated';
import type { Services } from '../../services';
import { listNetworks } from '../networks/operations';
import type { Network } from '../networks/record';
import { NATIVE_DECIMALS, toUnits } from '../networks/rules';
import { type SweepCandidate, sweepCandidates } from './candidates/lists';
import { type Preflight, preflight } from './candidates/preflight';
import { requireGasConfig } from './config/operations';
import { createOperation, type Ordered, orderTopup, sweepOf } from './operations/create';

/** Wallets that are looked at together: enough to hide what a node's answers take. */
const AT_ONCE = 8;

/**
 * Orders what is to be swept on every chain whose station works by itself: the gas that a wallet lacks first, and its sweep once it
 * has it. Idempotent: a wallet has one open operation of each type.
 * @returns how many operations were made
 */
export async function orderAutoSweeps(services: Services): Promise<number> {
  const { database, log } = services;
  let made = 0;
  const networks = (await listNetworks(database)).filter(({ enabled, kind }) => enabled && kind === 'evm');
  await forEachIsolated(
    networks,
    async (network) => {
      made += await orderOn(services, network);
    },
    { log, failed: 'a chain could not be swept', ids: ({ chain }) => ({ chain }) },
  );
  return made;
}

async function orderOn(services: Services, network: Network): Promise<number> {
  const { autoSweep, treasuryAddress } = await requireGasConfig(services.database, network);
  if (!autoSweep || treasuryAddress === null) return 0;
  const { chain } = network;
  const found = oneOfEach(await sweepCandidates(services, services.database, { chain }));
  let made = 0;
  for (let first = 0; first < found.length; first += AT_ONCE) {
    const orders = found.slice(first, first + AT_ONCE).map((candidate) => orderFor(services, candidate));
    made += (await Promise.all(orders)).filter(Boolean).length;
  }
  return made;
}

/** One asset a wallet and run: it has one open sweep. */
const oneOfEach = (candidates: readonly SweepCandidate[]): SweepCandidate[] => [
  ...new Map([...candidates].reverse().map((each) => [each.wallet.id, each])).values(),
];

/** @returns whether an operation was made; what does not hold now is looked at again in the next run */
async function orderFor(services: Services, candidate: SweepCandidate): Promise<boolean> {
  try {
    const ordered = await orderOf(services, candidate);
    if (ordered) await services.database.transaction((tx) => createOperation(services, tx, ordered));
    return ordered !== undefined;
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return false;
    throw error;
  }
}

async function orderOf(services: Services, candidate: SweepCandidate): Promise<Ordered | undefined> {
  const { wallet, asset } = candidate;
  const found = await preflight(services, services.database, { wallet, asset: asset.symbol });
  const lacksGas = candidate.needsGas || (found.stationAddress === null && failsAtGas(found));
  if (lacksGas && found.checks.every(({ ok, name }) => ok || name === 'gas'))
    return wouldHelp(candidate) ? orderTopup(services, { walletId: wallet.id }) : undefined;
  return found.ok ? sweepOf(wallet, found) : undefined;
}

const failsAtGas = ({ checks }: Preflight): boolean => checks.some(({ ok, name }) => !ok && name === 'gas');

/** A wallet that has as much as a top-up brings would be given one after the other. */
const wouldHelp = ({ config, network, native }: SweepCandidate): boolean =>
  native < toUnits(config.gasTopupAmount, NATIVE_DECIMALS[network.kind]);
