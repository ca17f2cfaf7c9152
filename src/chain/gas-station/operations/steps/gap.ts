import { NodesDisagree } from '../../../../parties/chain/errors';
import type { Services } from '../../../../services';
import { showDisagreement, showGap } from '../nonces/breaks';
import type { Attempt } from '../nonces/record';
import type { WaitsFor } from '../record';
import { askAgainAfter, GAP_SHOWN_AFTER_MS, senderOf, TRY_AGAIN_MS } from '../rules';
import { updateOperation } from '../store';
import { handOver } from './broadcast';
import { type ChainContext, type Snapshot, whileUnchanged } from './context';
import { AGAIN, lookIn, type Stepped, waitFor } from './stepped';

/** Why no transaction was planned; a person is shown nonces that nobody can believe when it is not for a moment only. */
export async function waitToPlan(
  services: Services,
  snapshot: Snapshot,
  waitsFor: WaitsFor,
): Promise<Stepped> {
  const { operation } = snapshot;
  if (waitsFor === 'nonce_gap' && operation.waitsFor === 'nonce_gap')
    await showGap(services.database, { operationId: operation.id, address: senderOf(operation) });
  return waitFor(services, snapshot, waitsFor);
}

/** Takes a step, which waits where most nodes do not tell what must be known for it. */
export async function untilAgreed(
  services: Services,
  snapshot: Snapshot,
  step: () => Promise<Stepped>,
): Promise<Stepped> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof NodesDisagree) return waitForAgreement(services, snapshot);
    throw error;
  }
}

/** What was handed over may be in a block by now: nodes that disagree about it are asked again after so long. */
const CONFIRM_MS = 5_000;

/** A node may be behind for a while: a person is shown what does not pass. */
export async function waitForAgreement(services: Services, snapshot: Snapshot): Promise<Stepped> {
  const { operation } = snapshot;
  const since = services.now().getTime() - operation.updatedAt.getTime();
  if (operation.waitsFor === 'nodes_disagree' && since >= GAP_SHOWN_AFTER_MS)
    await showDisagreement(services.database, operation);
  const ms = operation.status === 'confirming' ? CONFIRM_MS : TRY_AGAIN_MS;
  return waitFor(services, snapshot, 'nodes_disagree', ms);
}

/**
 * An earlier transaction of its sender is in no block, so this one cannot be in one: dearer it would only cost more, and while no node
 * has it a person may end it.
 */
export async function waitForEarlier(
  services: Services,
  snapshot: Snapshot,
  latest: Attempt,
  since: number,
): Promise<Stepped> {
  if (since >= GAP_SHOWN_AFTER_MS) await showGap(services.database, latest);
  return waitFor(services, snapshot, 'nonce_gap');
}

/**
 * It is its sender's next now: it may get into a block before it is replaced. That it is kept back no more is written first, for what is
 * kept back a person may end.
 */
export async function goOnAfterEarlier(
  services: Services,
  snapshot: Snapshot,
  { node }: ChainContext,
  { latest, isKnown, since }: { latest: Attempt; isKnown: boolean; since: number },
): Promise<Stepped> {
  const isNoted = await whileUnchanged(services, snapshot.operation, (tx, { id }) =>
    updateOperation(tx, id, { waitsFor: null, updatedAt: services.now() }),
  );
  if (!isNoted) return AGAIN;
  if (!isKnown) await handOver(node, latest);
  return lookIn(services, askAgainAfter(since));
}
