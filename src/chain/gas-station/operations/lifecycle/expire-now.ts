import type { Tx } from '../../../../kernel/db/database';
import { conflict } from '../../../../kernel/errors';
import type { Services } from '../../../../services';
import { requireOperation } from '../read';
import type { GasOperation } from '../record';
import { isOpen } from '../rules';
import { updateOperation } from '../store';
import { lookAtGasOperation } from '../workflows';

/**
 * Expires an open operation now, so that a tester need not wait a day. The workflow then looks, as after the day.
 * @throws Problem 404; 409 `invalid_transition` for an operation that has ended, and outside of the sandbox
 */
export async function expireNow(
  services: Pick<Services, 'commands' | 'now' | 'mode'>,
  tx: Tx,
  id: string,
): Promise<GasOperation> {
  assertExpires(services, await requireOperation(tx, id, null, { lock: 'update' }));
  const changed = await updateOperation(tx, id, { expiresAt: services.now() });
  services.commands.append(tx, [lookAtGasOperation(changed)]);
  return changed;
}

/** @throws Problem as {@link expireNow} */
export function assertExpires({ mode }: Pick<Services, 'mode'>, operation: GasOperation): void {
  if (mode !== 'sandbox')
    throw conflict('invalid_transition', 'Only the sandbox ends the day of an operation early.');
  if (!isOpen(operation))
    throw conflict('invalid_transition', `An operation that is ${operation.status} does not expire.`);
}
