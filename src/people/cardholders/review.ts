import type { Tx } from '../../kernel/db/database';
import { requireTenant } from '../../tenants/clients/operations';
import { requireUser } from '../users/operations';
import { type Changed, changeStatus, lockedCardholder } from './change';
import { lookAtCardholder } from './processes';
import { type CardholderStatus, requireTransition } from './rules';
import { sandboxVerdict } from './sandbox-review';
import type { CardholderServices } from './services';
import { type Cardholder, insertDecision, watch } from './store';

export { awaitingReview } from './store';

/** The operator's word on a cardholder that waits for it. */
export interface DecideCardholder {
  cardholderId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line, or `sandbox`. */
  decidedBy: string;
}

const REJECTED = 'The operator has rejected the cardholder.';

/**
 * A person's decision: a row, the status, the event, and a word to the workflow that waits for it. The reason of a
 * rejection becomes the description that the client reads. Whoever calls writes it down in the audit log.
 * @throws Problem 404, 409 `invalid_transition`
 */
export async function decideCardholder(
  deps: Pick<CardholderServices, 'commands' | 'now'>,
  tx: Tx,
  given: DecideCardholder,
): Promise<Changed> {
  const before = await lockedCardholder(tx, given.cardholderId);
  const after = await recordDecision(deps, tx, before, given);
  await deps.commands.append(tx, [lookAtCardholder(after)]);
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
  return changeStatus(tx, before, decision, { description, reviewedAt: now() });
}

/**
 * What the workflow sees when it looks. In the sandbox, where the tenant's setting says `auto`, it decides in the
 * operator's place. Seeing twice changes nothing the second time.
 * @param watchedUntil when the workflow will have looked again; later than that it has been lost
 * @throws Problem 404
 */
export function seeCardholder(
  services: Pick<CardholderServices, 'database' | 'mode' | 'now'>,
  id: string,
  watchedUntil: Date,
): Promise<CardholderStatus> {
  return services.database.transaction(async (tx) => {
    const cardholder = await lockedCardholder(tx, id);
    if (cardholder.status !== 'pending_review') return cardholder.status;
    const verdict = await automaticVerdict(services, tx, cardholder);
    if (verdict) {
      const given = { ...verdict, cardholderId: id, decidedBy: 'sandbox' };
      return (await recordDecision(services, tx, cardholder, given)).status;
    }
    await watch(tx, id, watchedUntil);
    return cardholder.status;
  });
}

/** Nothing where a person decides. */
async function automaticVerdict(
  { mode }: Pick<CardholderServices, 'mode'>,
  tx: Tx,
  { tenantId, userId }: Cardholder,
) {
  if (mode !== 'sandbox' || userId === null) return undefined;
  const { settings } = await requireTenant(tx, tenantId);
  if (settings.cardholderReview !== 'auto') return undefined;
  return sandboxVerdict((await requireUser(tx, null, userId)).meta);
}
