import { ChainRefused } from '../../../../parties/chain/errors';
import type { ChainNode } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { boundedFees, dataPriceOf, isAboveCap } from '../../rules';
import { moveOperation } from '../lifecycle/end';
import { closeCapped, closeRefused, showRefused } from '../nonces/breaks';
import type { Attempt } from '../nonces/record';
import { countRefusal, forgetRefusals, keepBroadcast } from '../nonces-store';
import { isHandedOver } from '../rules';
import { updateOperation } from '../store';
import { type ChainContext, type Snapshot, whileUnchanged } from './context';
import { isStoppedNow } from './step-guards';
import { AGAIN, type StepResult, waitForCap } from './step-result';

/**
 * Broadcasts the newest attempt, unless a block or the attempt costs more than the cap. The broadcast is noted first,
 * under locks that detect a stop. Whatever the node answers, the attempt is then followed, and broadcast again when the
 * chain does not have it.
 */
export async function broadcast(
  services: Services,
  snapshot: Snapshot,
  { network, node, config }: ChainContext,
): Promise<StepResult> {
  const latest = snapshot.attempts.at(-1);
  if (!latest) throw new Error(`the operation ${snapshot.operation.id} has nothing to broadcast`);
  const { maxGasPrice } = config;
  if (isAboveCap(latest, maxGasPrice) || !boundedFees(await node.fees(), maxGasPrice, dataPriceOf(latest)))
    return waitForCap(services, snapshot, 'gas_price');
  const at = services.now();
  let isStopped = false;
  const isKept = await whileUnchanged(services, snapshot.operation, async (tx, operation) => {
    isStopped = !isHandedOver(snapshot.attempts) && (await isStoppedNow(tx, network, operation));
    if (isStopped) return;
    keepBroadcast(tx, latest.number, at);
    await closeCapped(tx, operation.id, at);
    if (operation.status === 'awaiting_confirmation') await moveOperation(services, tx, operation, 'follow');
    else await updateOperation(tx, operation.id, { waitsFor: null, updatedAt: at });
  });
  // A refused attempt is followed, too: an earlier attempt may be mined, and this one is broadcast again.
  if (isKept && !isStopped) await handOver(node, latest);
  return AGAIN;
}

/**
 * Broadcasts signed bytes. Idempotent.
 * @returns false when the chain refuses them
 */
export async function handOver(node: ChainNode, { raw }: Attempt): Promise<boolean> {
  if (raw === null) throw new Error('only what is signed can be broadcast');
  try {
    await node.broadcast(raw);
    return true;
  } catch (error) {
    if (error instanceof ChainRefused) return false;
    throw error;
  }
}

/** Consecutive refusals after which a person is shown a break. */
const REFUSALS_SHOWN = 5;

/**
 * Broadcasts a followed attempt again. Opens a break when the refusals continue.
 * @returns false when the chain refuses it
 */
export async function handOverAgain(
  { database, now }: Pick<Services, 'database' | 'now'>,
  node: ChainNode,
  latest: Attempt,
  isKnown: boolean,
): Promise<boolean> {
  const { number, operationId, refusals } = latest;
  if (isKnown || (await handOver(node, latest))) {
    if (refusals > 0) await forgetRefusals(database, number);
    if (refusals >= REFUSALS_SHOWN) await closeRefused(database, operationId, now());
    return true;
  }
  if ((await countRefusal(database, number)) >= REFUSALS_SHOWN) await showRefused(database, latest);
  return false;
}
