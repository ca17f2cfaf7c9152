import { type LOST, progressUnlessLost } from '../../../../process/lost-record';
import type { Services } from '../../../../services';
import { endUnexecuted } from '../lifecycle/end';
import type { GasOperation, GasOperationStatus } from '../record';
import { isHandedOver, isOpen, nextStep } from '../rules';
import { keepDueBy } from '../store';
import { BATCH_MS, planDelegated, takeBackStopped } from './batch';
import { broadcast } from './broadcast';
import {
  type ChainContext,
  contextOf,
  readOperation,
  readSnapshot,
  type Snapshot,
  whileUnchanged,
} from './context';
import { follow } from './follow';
import { plan, sign } from './plan-and-sign';
import { isStopped } from './step-guards';
import { AGAIN, lookIn, type StepResult, waitFor } from './step-result';
import { untilAgreedAndSigned } from './waits';

/** State of an operation after a step, for its workflow. Contains no data. */
export interface Progress {
  status: GasOperationStatus | typeof LOST;
  /** False ends the workflow. */
  open: boolean;
  /** Time of the next look without a signal by the workflow's clock, in milliseconds since 1970. */
  lookAt: number | null;
}

/** More steps than an operation can need. A loop beyond this is a defect. */
const ROUNDS = 20;

/**
 * Takes an operation as far as it goes now. Each step reads, asks the chain, and writes under the record's lock if the
 * revision is unchanged. So a step can be interrupted anywhere and repeated.
 * @throws ChainAway when no node answers; try again
 */
export function advanceGasOperation(services: Services, id: string): Promise<Progress> {
  return progressUnlessLost(services.database, () => advanceKnown(services, id));
}

async function advanceKnown(services: Services, id: string): Promise<Progress> {
  const contexts = createContexts(services);
  for (let round = 0; round < ROUNDS; round += 1) {
    const snapshot = await readSnapshot(services, id);
    const stepped = await take(services, snapshot, contexts);
    if (stepped === AGAIN) continue;
    // An ended operation is due at no time.
    if (!isOpen(snapshot.operation)) return progressOf(services, snapshot.operation, null);
    const operation = await readOperation(services, id);
    const { lookAt, newsFrom } = stepped;
    await keepDueBy(services.database, operation, { dueBy: lookAt, newsFrom });
    return progressOf(services, operation, lookAt);
  }
  throw new Error(`the operation ${id} takes steps without an end`);
}

const progressOf = (
  { productClock }: Pick<Services, 'productClock'>,
  operation: GasOperation,
  lookAt: Date | null,
): Progress => ({
  status: operation.status,
  open: isOpen(operation),
  lookAt: lookAt && productClock.toWorkflow(lookAt),
});

type Contexts = (operation: GasOperation, step: ReturnType<typeof nextStep>) => Promise<ChainContext>;

/**
 * Reads the chain's configuration once for the steps that follow one another, and again before a broadcast. The
 * broadcast's transaction judges the configuration under locks once more.
 */
function createContexts(services: Services): Contexts {
  let known: ChainContext | undefined;
  return async (operation, step) => {
    if (known === undefined || step === 'broadcast') known = await contextOf(services, operation);
    return known;
  };
}

async function take(services: Services, snapshot: Snapshot, contexts: Contexts): Promise<StepResult> {
  const { operation, attempts } = snapshot;
  const step = nextStep(operation, attempts, services.now());
  if (step === 'rest') return { lookAt: null };
  if (step === 'wait') return { lookAt: operation.expiresAt };
  if (step === 'wait_for_batch') return lookIn(services, BATCH_MS);
  if (step === 'expire') {
    await whileUnchanged(services, operation, (tx, current) =>
      endUnexecuted(services, tx, current, { on: 'expire' }),
    );
    return AGAIN;
  }
  const context = await contexts(operation, step);
  if (step !== 'follow' && !isHandedOver(attempts)) {
    const isItStopped = await isStopped(services.database, operation, context.config);
    if (step !== 'plan' && (await takeBackStopped(services, snapshot, isItStopped))) return AGAIN;
    if (isItStopped) return waitFor(services, snapshot, 'stopped');
  }
  const isDelegated = operation.stationAddress !== null;
  return untilAgreedAndSigned(services, snapshot, () =>
    ({ plan: isDelegated ? planDelegated : plan, sign, broadcast, follow })[step](
      services,
      snapshot,
      context,
    ),
  );
}
