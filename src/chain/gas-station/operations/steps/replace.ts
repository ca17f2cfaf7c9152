import type { ChainFees, ChainNode } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import type { GasConfig } from '../../config/record';
import { dataPriceOf, mostDataFee } from '../../rules';
import { isWithinBudget, spentToday } from '../budget';
import type { Attempt } from '../nonces/record';
import { dearerThan, isBelowMarket, mostOf } from '../nonces/rules';
import { insertAttempt, lockNonces, type Planned } from '../nonces-store';
import { leastOf } from '../rules';
import { updateOperation } from '../store';
import { type ChainContext, type Snapshot, whileUnchanged } from './context';
import { AGAIN, type StepResult, waitFor, waitForCap } from './step-result';

/** Whether newer blocks have passed a transaction over because of its price. */
export const isOutbid = async (node: ChainNode, { broadcastAt, ...latest }: Attempt, fees: ChainFees) =>
  broadcastAt !== null && isBelowMarket(latest, fees) && (await node.head()).at > broadcastAt;

/**
 * Replaces a transaction by one with higher prices under the same nonce. Only one of them can be mined.
 * @param fees of the next block
 */
export async function replace(
  services: Services,
  snapshot: Snapshot,
  { node, config, network: { feeModel } }: ChainContext,
  { latest, fees }: { latest: Attempt; fees: ChainFees },
): Promise<StepResult> {
  const call = { ...latest, from: latest.address, to: latest.recipient };
  const costs = { gas: latest.gas, dataFee: mostDataFee(await node.dataCost(feeModel, call)) };
  const prices = dearerThan(latest, fees, config.maxGasPrice, dataPriceOf(costs));
  if (!prices) return waitFor(services, snapshot, 'gas_price');
  const dearer = affordable(
    { ...latest, ...costs, ...prices },
    await node.balance(latest.address, null),
    snapshot,
  );
  if (!dearer) return waitFor(services, snapshot, 'gas');
  const { recipient, value, data, authorizations } = dearer;
  const planned = { recipient, value, data, authorizations, ...costs, ...prices };
  return attemptAgain(services, snapshot, config, latest, { ...planned, cancels: false });
}

/** Stores another attempt under the nonce, within the day's budget. */
export async function attemptAgain(
  services: Services,
  snapshot: Snapshot,
  config: GasConfig,
  latest: Attempt,
  planned: Planned & Pick<Attempt, 'cancels'>,
): Promise<StepResult> {
  let isRefused = false;
  await whileUnchanged(services, snapshot.operation, async (tx, { id, units, token }) => {
    const { chain, address, nonce } = latest;
    await lockNonces(tx, chain);
    const at = services.now();
    if (!isWithinBudget(config, await spentToday(tx, chain, at, id), mostOf(planned))) {
      isRefused = true;
      return;
    }
    const attempt = latest.attempt + 1;
    await insertAttempt(tx, { ...planned, chain, address, nonce, attempt, operationId: id });
    const moved = token === null && !planned.cancels ? leastOf(units, planned.value) : units;
    await updateOperation(tx, id, { units: moved, waitsFor: null, updatedAt: at });
  });
  return isRefused ? waitForCap(services, snapshot, 'daily_budget') : AGAIN;
}

/**
 * Deducts higher gas costs from the moved amount of a native sweep.
 * @returns undefined when the sender's coins do not suffice
 */
function affordable(
  dearer: Planned,
  coins: bigint,
  { operation: { type, token } }: Snapshot,
): Planned | undefined {
  const left = coins - mostOf(dearer);
  if (left >= dearer.value) return dearer;
  return type === 'sweep' && token === null && left > 0n ? { ...dearer, value: left } : undefined;
}
