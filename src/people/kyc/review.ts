import type { Sql, Tx } from '../../kernel/db/database';
import { type LOST, RecordLost, unlessLost } from '../../process/lost-record';
import type { Services } from '../../services';
import { requireTenant } from '../../tenants/clients/operations';
import { type Person, personOf, requireUser } from '../users/operations';
import { recordDecision } from './operations';
import { type KycReview, requireKycTransition } from './record';
import { sandboxDecision } from './sandbox-review';
import { findReview, setReviewDueBy } from './store';

type Deps = Pick<Services, 'database' | 'keyring' | 'mode'>;

/**
 * Advances a review, as a step of its workflow. In the sandbox it ends the review, where the tenant's setting is
 * `auto`. Idempotent.
 * @param dueBy when the workflow will advance it again; later it is overdue, because the workflow was lost
 * @returns the status of the review, final unless `in_review`; `lost` when there is no such review
 */
export function advanceReview(
  deps: Deps,
  userId: string,
  submission: number,
  dueBy: Date,
): Promise<KycReview['status'] | typeof LOST> {
  return unlessLost(deps.database, () => advanceKnown(deps, userId, submission, dueBy));
}

async function advanceKnown(
  deps: Deps,
  userId: string,
  submission: number,
  dueBy: Date,
): Promise<KycReview['status']> {
  const lost = new RecordLost('kyc_review', `${userId}-${submission}`);
  if (!(await findReview(deps.database, userId, submission))) throw lost;
  return deps.database.transaction(async (tx) => {
    const user = await requireUser(tx, null, userId, { lock: 'update' });
    const review = await findReview(tx, userId, submission);
    if (!review) throw lost;
    if (review.status !== 'in_review') return review.status;
    if (await isAutomatic(deps, tx, user.tenantId)) return decideBySandbox(tx, personOf(deps, user), review);
    await setReviewDueBy(tx, review, dueBy);
    return 'in_review';
  });
}

/** Whether the sandbox ends a tenant's reviews in place of an operator. */
export async function isAutomatic(
  { mode }: Pick<Services, 'mode'>,
  sql: Sql,
  tenantId: string,
): Promise<boolean> {
  return mode === 'sandbox' && (await requireTenant(sql, tenantId)).settings.kycReview === 'auto';
}

async function decideBySandbox(tx: Tx, user: Person, review: KycReview): Promise<KycReview['status']> {
  const { decision, reason } = sandboxDecision(user);
  const status = requireKycTransition(user.kycStatus, decision);
  await recordDecision(tx, user, review, { decision, reason, status, decidedBy: 'sandbox' });
  return decision;
}
