import { isOutOfReach } from '../../kernel/db/faults';
import { Problem } from '../../kernel/errors';
import { forEachIsolated } from '../../kernel/for-each-isolated';
import type { Services } from '../../services';
import { enabledNetworks } from '../networks/operations';
import type { Network } from '../networks/record';
import { NATIVE_DECIMALS, toUnits } from '../networks/rules';
import { type SweepCandidate, sweepCandidates } from './candidates/lists';
import { type Preflight, preflight } from './candidates/preflight';
import { requireGasConfig } from './config/operations';
import { awaitsTreasury, putTreasuryInForce } from './config/treasury';
import { createOperation, type Ordered, orderTopup, sweepOf } from './operations/create';
import { failedSweeps } from './operations/store';
import { failedBefore, isBelowThreshold } from './rules';

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
  const networks = await enabledNetworks(database);
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
  await putTreasuryInForce(services.database, network, services.now());
  const config = await requireGasConfig(services.database, network);
  if (!config.autoSweep || config.treasuryAddress === null || awaitsTreasury(config)) return 0;
  const found = await waiting(services, network);
  let made = 0;
  for (let first = 0; first < found.length; first += AT_ONCE) {
    const orders = found.slice(first, first + AT_ONCE).map((candidates) => orderApart(services, candidates));
    made += (await Promise.all(orders)).filter(Boolean).length;
  }
  return made;
}

/** What there is to be swept, a list a wallet. Only wallets that somebody had are asked: the pool may be large. */
async function waiting(services: Services, { chain }: Network): Promise<SweepCandidate[][]> {
  const { database, now } = services;
  const failed = await failedSweeps(database, { chain }, failedBefore(now()));
  const isPaused = ({ wallet, asset }: SweepCandidate) =>
    failed.some((each) => each.walletId === wallet.id && each.asset === asset.symbol);
  const found = await sweepCandidates(services, database, { chain }, { used: true });
  const byWallet = new Map<string, SweepCandidate[]>();
  for (const each of found.filter((one) => !isPaused(one)))
    byWallet.set(each.wallet.id, [...(byWallet.get(each.wallet.id) ?? []), each]);
  return [...byWallet.values()];
}

/** What is wrong with one wallet is written down, and is nothing to the others. @returns whether an operation was made */
async function orderApart(services: Services, candidates: SweepCandidate[]): Promise<boolean> {
  let isMade = false;
  const order = async (each: SweepCandidate[]) => {
    isMade = await orderFirst(services, each);
  };
  await forEachIsolated([candidates], order, {
    ...{ log: services.log, failed: 'a wallet could not be swept' },
    ids: ([first]) => ({ walletId: first?.wallet.id ?? '' }),
    concernsAll: (error) => isOutOfReach(error) || (error instanceof Problem && error.status === 503),
  });
  return isMade;
}

/** One asset a wallet and run, for it has one open sweep: the first that can be swept. */
async function orderFirst(services: Services, candidates: readonly SweepCandidate[]): Promise<boolean> {
  for (const candidate of candidates) if (await orderFor(services, candidate)) return true;
  return false;
}

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

/** By what the preflight reads, not by what the run began with: a top-up may have arrived since, and another one would follow it. */
async function orderOf(services: Services, { wallet, asset }: SweepCandidate): Promise<Ordered | undefined> {
  const found = await preflight(services, services.database, { wallet, asset: asset.symbol });
  // What the chain would revert is not helped by gas.
  if (found.fee === null) return undefined;
  if (lacksGas(found) && found.checks.every(({ ok, name }) => ok || name === 'gas'))
    return wouldHelp(found) ? orderTopup(services, { walletId: wallet.id }) : undefined;
  return found.ok ? sweepOf(wallet, found) : undefined;
}

function lacksGas({ checks, config, network, native, stationAddress }: Preflight): boolean {
  const isTooDear = checks.some(({ ok, name }) => !ok && name === 'gas');
  return stationAddress === null && (isTooDear || isBelowThreshold(config, network, native));
}

/** A wallet that has as much as a top-up brings would be given one after the other. */
const wouldHelp = ({ config, network, native }: Preflight): boolean =>
  native < toUnits(config.gasTopupAmount, NATIVE_DECIMALS[network.kind]);
