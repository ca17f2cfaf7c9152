import { NodesDisagree } from '../../../../parties/chain/errors';
import { SignerAway, SignerRefused } from '../../../../parties/signer/port';
import type { Services } from '../../../../services';
import { showDisagreement, showGap, showSignerAway } from '../nonces/breaks';
import type { Attempt } from '../nonces/record';
import type { WaitsFor } from '../record';
import { askAgainAfter, GAP_SHOWN_AFTER_MS, senderOf, TRY_AGAIN_MS } from '../rules';
import { updateOperation } from '../store';
import { handOver } from './broadcast';
import { type ChainContext, type Snapshot, whileUnchanged } from './context';
import { AGAIN, lookIn, type StepResult, waitFor } from './step-result';

/** Notes why nothing was planned. Opens a break on a repeated nonce gap, which no honest node reports for long. */
export async function waitToPlan(
  services: Services,
  snapshot: Snapshot,
  waitsFor: WaitsFor,
): Promise<StepResult> {
  const { operation } = snapshot;
  if (waitsFor === 'nonce_gap' && operation.waitsFor === 'nonce_gap')
    await showGap(services.database, { operationId: operation.id, address: senderOf(operation) });
  return waitFor(services, snapshot, waitsFor);
}

/** Runs a step. Waits when the nodes disagree about a fact that the step needs, and until its signature is there. */
export async function untilAgreedAndSigned(
  services: Services,
  snapshot: Snapshot,
  step: () => Promise<StepResult>,
): Promise<StepResult> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof NodesDisagree) return waitForAgreement(services, snapshot);
    if (error instanceof SignerAway) return waitForSigner(services, snapshot);
    if (error instanceof SignerRefused) return waitFor(services, snapshot, 'not_allowed');
    throw error;
  }
}

/** Retry interval for a signature. The signing process may only be restarting. */
const SIGN_MS = 5_000;

/** Waits for the signing process. Opens a break after a while, because nothing else tells that none runs. */
async function waitForSigner(services: Services, snapshot: Snapshot): Promise<StepResult> {
  const { operation } = snapshot;
  const since = services.now().getTime() - operation.updatedAt.getTime();
  if (operation.waitsFor === 'signer' && since >= GAP_SHOWN_AFTER_MS)
    await showSignerAway(services.database, operation);
  return waitFor(services, snapshot, 'signer', SIGN_MS);
}

/** Retry interval for a broadcast transaction that nodes disagree about. It may be mined already. */
const CONFIRM_MS = 5_000;

/** Waits for agreement. Opens a break after a while, because a node may lag for a moment. */
export async function waitForAgreement(services: Services, snapshot: Snapshot): Promise<StepResult> {
  const { operation } = snapshot;
  const since = services.now().getTime() - operation.updatedAt.getTime();
  if (operation.waitsFor === 'nodes_disagree' && since >= GAP_SHOWN_AFTER_MS)
    await showDisagreement(services.database, operation);
  const ms = operation.status === 'confirming' ? CONFIRM_MS : TRY_AGAIN_MS;
  return waitFor(services, snapshot, 'nodes_disagree', ms);
}

/**
 * Waits for an earlier transaction of the sender. A replacement would only cost more. While no node has this one, a
 * person may end it.
 */
export async function waitForEarlier(
  services: Services,
  snapshot: Snapshot,
  latest: Attempt,
  since: number,
): Promise<StepResult> {
  if (since >= GAP_SHOWN_AFTER_MS) await showGap(services.database, latest);
  return waitFor(services, snapshot, 'nonce_gap');
}

/**
 * Continues once the transaction is its sender's next. The change is noted before the broadcast, because a person may
 * end an operation that is held back. Replacement comes later.
 */
export async function goOnAfterEarlier(
  services: Services,
  snapshot: Snapshot,
  { node }: ChainContext,
  { latest, isKnown, since }: { latest: Attempt; isKnown: boolean; since: number },
): Promise<StepResult> {
  const isNoted = await whileUnchanged(services, snapshot.operation, (tx, { id }) =>
    updateOperation(tx, id, { waitsFor: null, updatedAt: services.now() }),
  );
  if (!isNoted) return AGAIN;
  if (!isKnown) await handOver(node, latest);
  return lookIn(services, askAgainAfter(since));
}
