import type { Sql, Tx } from '../../../kernel/db/database';
import { type LOST, RecordLost, unlessLost } from '../../../process/lost-record';
import { requireTenant } from '../../../tenants/clients/operations';
import { requirePerson } from '../../users/operations';
import { type Cardholder, type CardholderStatus, requireTransition } from '../record';
import type { CardholderServices } from '../services';
import { findCardholder, insertDecision, setDueBy } from '../store';
import { applyTransition, type Change, lockedCardholder } from '../transition';
import { lookAtCardholder } from '../workflows';
import { sandboxDecision } from './sandbox';

export { awaitingReview, countAwaitingReview, decisionsOn } from '../store';

/** An operator's decision on a cardholder in `pending_review`. */
export interface DecideCardholder {
  cardholderId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line, or `sandbox`. */
  decidedBy: string;
}

const REJECTED = 'The operator has rejected the cardholder.';

/**
 * Records an operator's decision with its status change and event, and wakes the workflow that waits for it. The reason
 * of a rejection becomes the `description` that the client reads. The caller writes the audit log.
 * @throws Problem 404, 409 `invalid_transition`
 */
export async function decideCardholder(
  deps: Pick<CardholderServices, 'commands' | 'now'>,
  tx: Tx,
  given: DecideCardholder,
): Promise<Change> {
  const before = await lockedCardholder(tx, given.cardholderId);
  const after = await recordDecision(deps, tx, before, given);
  deps.commands.append(tx, [lookAtCardholder(after)]);
  return { before, after };
}

async function recordDecision(
  { now }: Pick<CardholderServices, 'now'>,
  tx: Tx,
  before: Cardholder,
  { cardholderId, decision, reason, decidedBy }: DecideCardholder,
): Promise<Cardholder> {
  requireTransition(before.status, decision);
  await insertDecision(tx, { cardholderId, decision, reason: reason ?? null, decidedBy });
  const description = decision === 'rejected' ? (reason ?? REJECTED) : null;
  return applyTransition(tx, before, decision, { description, reviewedAt: now() });
}

/**
 * Advances a cardholder that waits for the operator, as a step of its workflow. In the sandbox it decides itself, where
 * the tenant's setting is `auto`. Idempotent.
 * @param dueBy when the workflow will advance it again; later it is overdue, because the workflow was lost
 * @returns the status of the cardholder; `lost` when there is no such cardholder
 */
export function advanceCardholder(
  services: Pick<CardholderServices, 'database' | 'keyring' | 'mode' | 'now'>,
  id: string,
  dueBy: Date,
): Promise<CardholderStatus | typeof LOST> {
  return unlessLost(services.database, () => advanceKnown(services, id, dueBy));
}

function advanceKnown(
  services: Pick<CardholderServices, 'database' | 'keyring' | 'mode' | 'now'>,
  id: string,
  dueBy: Date,
): Promise<CardholderStatus> {
  return services.database.transaction(async (tx) => {
    if (!(await findCardholder(tx, null, id))) throw new RecordLost('cardholder', id);
    const cardholder = await lockedCardholder(tx, id);
    if (cardholder.status !== 'pending_review') return cardholder.status;
    const automatic = await automaticDecision(services, tx, cardholder);
    if (automatic) {
      const given = { ...automatic, cardholderId: id, decidedBy: 'sandbox' };
      return (await recordDecision(services, tx, cardholder, given)).status;
    }
    await setDueBy(tx, id, dueBy);
    return cardholder.status;
  });
}

/** Whether the sandbox decides on a tenant's cardholders in place of an operator. */
export async function isAutomatic(
  { mode }: Pick<CardholderServices, 'mode'>,
  sql: Sql,
  tenantId: string,
): Promise<boolean> {
  return mode === 'sandbox' && (await requireTenant(sql, tenantId)).settings.cardholderReview === 'auto';
}

/** The sandbox's decision; undefined when an operator decides. */
async function automaticDecision(
  services: Pick<CardholderServices, 'keyring' | 'mode'>,
  tx: Tx,
  { tenantId, userId }: Cardholder,
) {
  if (userId === null || !(await isAutomatic(services, tx, tenantId))) return undefined;
  return sandboxDecision((await requirePerson(services, tx, null, userId)).meta);
}
