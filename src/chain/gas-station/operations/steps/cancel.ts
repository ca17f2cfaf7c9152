import { Problem } from '../../../../kernel/errors';
import { Decimal } from '../../../../kernel/money/money';
import type { Services } from '../../../../services';
import { fromUnits, NATIVE_DECIMALS } from '../../../networks/rules';
import { findWallet } from '../../../wallets/operations';
import { dataPriceOf } from '../../rules';
import { createOperation, orderTopup } from '../lifecycle/create';
import type { Attempt } from '../nonces/record';
import { dearerThan, dearestOf, mostOf } from '../nonces/rules';
import type { ChainContext, Snapshot } from './context';
import { estimated, fieldsOf } from './plan';
import { attemptAgain } from './replace';
import { type StepResult, waitFor, waitForCap } from './step-result';

/**
 * Makes a transaction that moves nothing under the nonce of a cancelled operation. It outbids every attempt, and only
 * one of them can be mined.
 */
export async function cancel(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
  latest: Attempt,
): Promise<StepResult> {
  const { node, config } = context;
  const { address } = latest;
  const call = { from: address, to: address, value: 0n, data: '0x' };
  const fees = await node.fees();
  const dearest = dearestOf(snapshot.attempts);
  if (!dearerThan(dearest, fees, config.maxGasPrice)) return waitForCap(services, snapshot, 'gas_price');
  const estimate = await estimated(context, call);
  if ('waitsFor' in estimate) return waitFor(services, snapshot, estimate.waitsFor);
  const prices = dearerThan(dearest, fees, config.maxGasPrice, dataPriceOf(estimate));
  if (!prices) return waitForCap(services, snapshot, 'gas_price');
  const planned = { ...fieldsOf(call), ...estimate, ...prices };
  const missing = mostOf(planned) - (await node.balance(address, null));
  if (missing > 0n) {
    await topUp(services, context, address, missing);
    return waitFor(services, snapshot, 'gas');
  }
  return attemptAgain(services, snapshot, config, latest, { ...planned, cancels: true });
}

/** Orders gas for a pool wallet, unless a top-up is open. A station gets none. */
async function topUp(
  services: Services,
  { network, config }: ChainContext,
  address: string,
  missing: bigint,
): Promise<void> {
  const wallet = await findWallet(services.database, network.chain, address);
  if (!wallet) return;
  const least = fromUnits(missing, NATIVE_DECIMALS[network.kind]);
  const amount = Decimal.max(least, config.gasTopupAmount);
  try {
    const ordered = await orderTopup(services, { walletId: wallet.id, amount });
    await services.database.transaction((tx) => createOperation(services, tx, ordered));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}
