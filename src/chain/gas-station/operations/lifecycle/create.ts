import { inOrder, type Tx } from '../../../../kernel/db/database';
import { conflict, invalid } from '../../../../kernel/errors';
import { newId } from '../../../../kernel/ids';
import { ensureChainAccounts, ensureInternalAccounts } from '../../../../kernel/ledger/accounts';
import { isCurrency } from '../../../../kernel/money/currencies';
import type { Decimal } from '../../../../kernel/money/money';
import type { Services } from '../../../../services';
import { requireChainAnswer } from '../../../networks/nodes/chain-answer';
import { requireNetwork } from '../../../networks/operations';
import type { Network } from '../../../networks/record';
import { NATIVE_DECIMALS, toUnits } from '../../../networks/rules';
import { keepRole } from '../../../wallets/operations';
import { SWEEPABLE, type Wallet } from '../../../wallets/record';
import { holdForSweep } from '../../../wallets/sweeps';
import { boundByBooks } from '../../booked-bound';
import { type Preflight, preflight } from '../../candidates/preflight';
import type { GasConfig } from '../../config/record';
import { nativeSymbol } from '../../rules';
import { requireWallet } from '../read';
import { type GasOperation, isRecovery } from '../record';
import { EXPIRES_AFTER_MS } from '../rules';
import { type ChainContext, contextOf } from '../steps/context';
import { planOperation } from '../steps/plan';
import { assertGuards } from '../steps/step-guards';
import { insertOperation } from '../store';
import { startGasOperation } from '../workflows';

type Asking = Pick<Services, 'database' | 'keyring' | 'parties' | 'now'>;

/** An operation to create, as the chain allows it now. */
export type Ordered = Pick<
  GasOperation,
  | 'type'
  | 'chain'
  | 'walletId'
  | 'ofStation'
  | 'asset'
  | 'token'
  | 'decimals'
  | 'fromAddress'
  | 'stationAddress'
  | 'toAddress'
  | 'units'
  | 'execution'
>;

/**
 * Returns the sweep of a wallet's whole balance of an asset to the treasury. Asks the chain.
 * @throws Problem 404 `walletId`; 400 `asset`; 409 `invalid_transition` naming the failed checks of the preflight; 503
 */
export async function orderSweep(
  services: Asking,
  { walletId, asset }: { walletId: string; asset: string },
): Promise<Ordered> {
  const { database } = services;
  const wallet = await requireWallet(database, walletId, 'walletId');
  return sweepOf(wallet, await preflight(services, database, { wallet, asset }));
}

/** @throws Problem 409 `invalid_transition` naming the failed checks */
export function sweepOf(
  wallet: Wallet,
  { ok, checks, config, asset, units, stationAddress }: Preflight,
): Ordered {
  const { autoSweep, treasuryAddress } = config;
  if (!ok || treasuryAddress === null) throw notNow(checks.filter((check) => !check.ok));
  return {
    type: 'sweep',
    chain: wallet.chain,
    walletId: wallet.id,
    asset: asset.symbol,
    ofStation: wallet.purpose === 'station',
    token: asset.contract,
    decimals: asset.decimals,
    fromAddress: wallet.address,
    stationAddress,
    toAddress: treasuryAddress,
    units,
    execution: autoSweep ? 'local' : 'manual',
  };
}

const notNow = (failed: readonly { name: string; detail: string }[]) =>
  conflict(
    'invalid_transition',
    `The preflight does not hold: ${failed.map(({ name, detail }) => `${name} (${detail})`).join('; ')}`,
    'walletId',
  );

/**
 * Returns a top-up of gas from the station to a pool wallet. Asks the chain.
 * @param amount in the native coin; absent: the configured amount
 * @throws Problem 404 `walletId`; 400 `amount`; 409 `invalid_transition` when the station cannot pay it now; 503
 */
export async function orderTopup(
  services: Asking,
  { walletId, amount }: { walletId: string; amount?: Decimal | undefined },
): Promise<Ordered> {
  const { database } = services;
  const wallet = await requireWallet(database, walletId, 'walletId');
  const context = await contextOf(services, wallet);
  const { network, config } = context;
  const { asset, units } = topupOf(network, config, amount);
  assertTakesGas(wallet);
  if (config.stationAddress === null)
    throw conflict('invalid_transition', 'The chain has no gas station wallet.', 'walletId');
  const decimals = NATIVE_DECIMALS[network.kind];
  const ordered: Ordered = {
    type: 'topup',
    chain: wallet.chain,
    walletId,
    asset,
    token: null,
    decimals,
    ofStation: false,
    fromAddress: config.stationAddress,
    stationAddress: null,
    toAddress: wallet.address,
    units,
    execution: isSignedHere(config) ? 'local' : 'manual',
  };
  await assertPayable(services, context, ordered);
  return ordered;
}

const isSignedHere = ({ autoSweep, stationWalletId }: GasConfig): boolean =>
  autoSweep && stationWalletId !== null;

function topupOf(network: Network, config: GasConfig, amount: Decimal = config.gasTopupAmount) {
  const asset = nativeSymbol(network);
  if (asset === undefined)
    throw conflict('invalid_transition', 'The ledger has no currency for the native coin.', 'walletId');
  const decimals = NATIVE_DECIMALS[network.kind];
  if (amount.decimalPlaces() > decimals)
    throw invalid(`amount must have at most ${decimals} decimals.`, 'amount');
  if (amount.isZero())
    throw conflict('invalid_transition', 'gasTopupAmount is not configured: name an amount.', 'amount');
  return { asset, units: toUnits(amount, decimals) };
}

function assertTakesGas({ purpose, status }: Wallet): void {
  if (purpose !== 'pool') throw conflict('invalid_transition', 'The wallet is not in the pool.', 'walletId');
  // Gas serves the sweep. A wallet that may not be swept needs none.
  if (!SWEEPABLE.includes(status))
    throw conflict('invalid_transition', `The wallet is ${status}.`, 'walletId');
}

const NOT_PAYABLE: Record<string, string> = {
  gas_price: 'A block costs more than maxGasPrice allows.',
  gas: 'The station has too little of the native coin.',
};

async function assertPayable(services: Asking, context: ChainContext, ordered: Ordered): Promise<void> {
  const plan = await requireChainAnswer(planOperation(services, context, ordered));
  if ('waitsFor' in plan)
    throw conflict('invalid_transition', NOT_PAYABLE[plan.waitsFor] ?? 'The chain refuses it.', 'walletId');
}

/**
 * Refuses a sweep that was ordered before its wallet was allocated. The caller holds the wallet's lock.
 * @throws Problem 409 `invalid_transition` when it would move more than the books hold
 */
async function assertBooked(tx: Tx, wallet: Wallet, ordered: Ordered): Promise<void> {
  const { asset, decimals, units } = ordered;
  if (isRecovery(ordered)) return;
  const bound = await boundByBooks(tx, wallet.chain, { symbol: asset, decimals }, [wallet]);
  if (bound(wallet, units) < units)
    throw conflict('invalid_transition', 'The wallet was allocated meanwhile: order it again.', 'walletId');
}

/**
 * Records an operation and starts its workflow.
 * @param moment `automatic_order`: no person has ordered it
 * @throws Problem 409 `invalid_transition` when the wallet has an open operation of that type or may no longer be swept.
 *   Also when treasury, station or `autoSweep` has changed since the order
 */
export async function createOperation(
  services: Pick<Services, 'now' | 'commands'>,
  tx: Tx,
  ordered: Ordered,
  moment: 'order' | 'automatic_order' = 'order',
): Promise<GasOperation> {
  const at = services.now();
  const id = newId(ordered.type === 'sweep' ? 'sweepOperation' : 'topupOperation');
  const made = await insertOperation(tx, {
    ...ordered,
    id,
    status: 'pending',
    batchOf: null,
    waitsFor: null,
    txHash: null,
    movedUnits: null,
    lostUnits: null,
    feeUnits: null,
    failureCode: null,
    failureReason: null,
    cancelReason: null,
    executedAt: null,
    exportedAt: null,
    exportedBlock: null,
    newsFrom: null,
    revision: 0,
    createdAt: at,
    updatedAt: at,
    dueBy: at,
    expiresAt: new Date(at.getTime() + EXPIRES_AFTER_MS),
  });
  if (!made) throw conflict('invalid_transition', `The wallet has an open ${ordered.type}.`, 'walletId');
  const { chain, type, walletId, stationAddress, toAddress: address } = ordered;
  if (type === 'sweep') {
    const wallet = await holdForSweep(tx, walletId, id, { delegates: stationAddress !== null });
    await assertBooked(tx, wallet, ordered);
    await keepRole(tx, { chain, address, role: 'treasury' });
  }
  const network = await requireNetwork(tx, chain);
  await assertGuards(tx, network, ordered, moment);
  const native = nativeSymbol(network);
  const booked = [...new Set([ordered.asset, ...(native ? [native] : [])])].filter(isCurrency);
  await inOrder(
    booked.flatMap((asset) => [ensureInternalAccounts(tx, asset), ensureChainAccounts(tx, chain, asset)]),
  );
  services.commands.append(tx, [startGasOperation(made)]);
  return made;
}
