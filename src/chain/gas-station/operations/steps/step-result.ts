import type { Services } from '../../../../services';
import { showCapped } from '../nonces/breaks';
import type { WaitsFor } from '../record';
import { TRY_AGAIN_MS } from '../rules';
import { updateOperation } from '../store';
import { type Snapshot, whileUnchanged } from './context';

/**
 * Result of a step: `again` for another step, else the time of the next look. Null: the operation has ended. `newsFrom`:
 * height from which the next look asks the nodes.
 */
export type StepResult = 'again' | { lookAt: Date | null; newsFrom?: number };

export const AGAIN = 'again' satisfies StepResult;

export const lookIn = ({ now }: Pick<Services, 'now'>, ms: number): StepResult => ({
  lookAt: new Date(now().getTime() + ms),
});

/** Notes why the operation waits, and tries again later. */
export async function waitFor(
  services: Pick<Services, 'database' | 'now'>,
  { operation }: Snapshot,
  waitsFor: WaitsFor | null,
  ms = TRY_AGAIN_MS,
): Promise<StepResult> {
  const isNoted =
    operation.waitsFor === waitsFor ||
    (await whileUnchanged(services, operation, (tx, { id }) =>
      updateOperation(tx, id, { waitsFor, updatedAt: services.now() }),
    ));
  return isNoted ? lookIn(services, ms) : AGAIN;
}

/** Waits for a cap. Opens a break when the cap holds back a cancellation. */
export async function waitForCap(
  services: Pick<Services, 'database' | 'now'>,
  snapshot: Snapshot,
  cap: 'gas_price' | 'daily_budget',
): Promise<StepResult> {
  if (snapshot.operation.cancelReason !== null) await showCapped(services.database, snapshot.operation);
  return waitFor(services, snapshot, cap);
}
