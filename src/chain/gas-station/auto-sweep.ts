import { isOutOfReach } from '../../kernel/db/faults';
import { NONE, PERHAPS, type Sign } from '../../kernel/db/lookout';
import { Problem } from '../../kernel/errors';
import { forEachIsolated } from '../../kernel/for-each-isolated';
import type { Decimal } from '../../kernel/money/money';
import type { Services } from '../../services';
import { enabledNetworks } from '../networks/operations';
import type { Network } from '../networks/record';
import { fromUnits, NATIVE_DECIMALS, toUnits } from '../networks/rules';
import { hasUsedWallet } from '../wallets/operations';
import { type SweepCandidate, sweepCandidates } from './candidates/lists';
import { type Preflight, preflight } from './candidates/preflight';
import { requireGasConfig } from './config/operations';
import { awaitsTreasury, putTreasuryInForce } from './config/treasury';
import { createOperation, type Ordered, orderTopup, sweepOf } from './operations/lifecycle/create';
import { failedSweeps, IS_OPEN } from './operations/store';
import { topUpRecoveries } from './recoveries/topups';
import { failedBefore, isBelowThreshold } from './rules';

/**
 * Whether a run may order something, or put a treasury in force. `perhaps`: a used wallet exists, and only a write, a price or a transfer
 * that nobody reported can have filled it. The newest operation follows, because a top-up that has ended permits a sweep and writes no
 * event.
 */
export const SWEEPS_DUE: Sign = {
  name: 'automatic sweeps',
  sql: `select case
          when bool_or(c.next_treasury_at <= product_now()) then 'true'
          when not coalesce(bool_or(c.auto_sweep and ${hasUsedWallet('c.chain')}), false) then '${NONE}'
          when exists (select from gas_operations where ${IS_OPEN}) then 'true'
          else concat_ws(' ', '${PERHAPS}', (select id from gas_operations order by created_at desc, id desc limit 1)) end
     from gas_configs c join networks n on n.chain = c.chain and n.enabled`,
};

/** Wallets that are ordered together, to hide the latency of a node. */
const AT_ONCE = 8;

/**
 * Orders automatic sweeps on every chain with `autoSweep`: a top-up when the wallet lacks gas, and its sweep in a later
 * run. Idempotent, because a wallet has one open operation of each type.
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
  return made + (await topUpRecoveries(services, network, config));
}

/** Lists sweep candidates by wallet. Asks the chain only about wallets that hold enough by the books. */
async function waiting(services: Services, { chain }: Network): Promise<SweepCandidate[][]> {
  const { database, now } = services;
  const failed = await failedSweeps(database, { chain }, failedBefore(now()));
  const isPaused = ({ wallet, asset }: SweepCandidate) =>
    failed.some((each) => each.walletId === wallet.id && each.asset === asset.symbol);
  const found = await sweepCandidates(services, database, { chain }, { booked: true });
  const byWallet = new Map<string, SweepCandidate[]>();
  for (const each of found.filter((one) => !isPaused(one)))
    byWallet.set(each.wallet.id, [...(byWallet.get(each.wallet.id) ?? []), each]);
  return [...byWallet.values()];
}

/**
 * Orders for one wallet. Logs an error of this wallet without stopping the others.
 * @returns whether an operation was made
 */
async function orderApart(services: Services, candidates: SweepCandidate[]): Promise<boolean> {
  let isMade = false;
  const order = async (each: SweepCandidate[]) => {
    isMade = await orderFirst(services, each);
  };
  await forEachIsolated([candidates], order, {
    log: services.log,
    failed: 'a wallet could not be swept',
    ids: ([first]) => ({ walletId: first?.wallet.id ?? '' }),
    concernsAll: (error) => isOutOfReach(error) || (error instanceof Problem && error.status === 503),
  });
  return isMade;
}

/** Orders the first asset that can be swept, because a wallet has one open sweep. */
async function orderFirst(services: Services, candidates: readonly SweepCandidate[]): Promise<boolean> {
  for (const candidate of candidates) if (await orderFor(services, candidate)) return true;
  return false;
}

/** @returns whether an operation was made; a conflict returns false, and the next run tries again */
async function orderFor(services: Services, candidate: SweepCandidate): Promise<boolean> {
  try {
    const ordered = await orderOf(services, candidate);
    if (ordered)
      await services.database.transaction((tx) => createOperation(services, tx, ordered, 'automatic_order'));
    return ordered !== undefined;
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return false;
    throw error;
  }
}

/**
 * Goes by a fresh preflight. The run's own list may be older than a top-up that has arrived, and would order a second
 * one.
 */
async function orderOf(services: Services, { wallet, asset }: SweepCandidate): Promise<Ordered | undefined> {
  const found = await preflight(services, services.database, { wallet, asset: asset.symbol });
  // Switched off meanwhile. The operation would wait for a person who does not know of it.
  if (!found.config.autoSweep) return undefined;
  // Gas does not help a transfer that the chain would revert.
  if (found.fee === null) return undefined;
  if (lacksGas(found) && found.checks.every(({ ok, name }) => ok || name === 'gas'))
    return wouldHelp(found)
      ? orderTopup(services, { walletId: wallet.id, amount: topupFor(found) })
      : undefined;
  return found.ok ? sweepOf(wallet, found) : undefined;
}

function lacksGas({ checks, config, network, native, dataFee, stationAddress }: Preflight): boolean {
  const isTooDear = checks.some(({ ok, name }) => !ok && name === 'gas');
  return stationAddress === null && (isTooDear || isBelowThreshold(config, network, native, dataFee));
}

/** Without this bound, a wallet that has as much as a top-up brings would get one after the other. */
const wouldHelp = (found: Preflight): boolean =>
  found.native < toUnits(topupFor(found), NATIVE_DECIMALS[found.network.kind]);

/** The configured amount, and the data fee of the sweep. */
const topupFor = ({ config, network, dataFee }: Preflight): Decimal =>
  config.gasTopupAmount.plus(fromUnits(dataFee, NATIVE_DECIMALS[network.kind]));
