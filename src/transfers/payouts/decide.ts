import { requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import type { Services } from '../../services';
import { changePayout } from './change';
import { assertMayPay } from './create';
import { lockedPayout } from './operations';
import type { Payout } from './record';
import { requireTransition } from './rules';
import { insertDecision } from './store';
import { lookAtPayout } from './workflows';

export { awaitingApproval } from './store';

/** The operator's word on a payout that waits for it. */
export interface DecidePayout {
  payoutId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
}

const REJECTED = 'The operator has rejected the payout.';

/**
 * A person's decision: a row, the status, and a word to the workflow that waits for it. A rejection releases the hold, and
 * its reason becomes the description that the client reads. Whoever calls writes it down in the audit log.
 * @throws Problem 404; 409 `invalid_transition`, and for an approval `account_closed`, `user_blocked`
 */
export async function decidePayout(
  { commands, now }: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { payoutId, decision, reason, decidedBy }: DecidePayout,
): Promise<{ before: Payout; after: Payout }> {
  const before = await lockedPayout(tx, payoutId);
  requireTransition(before.status, decision);
  if (decision === 'approved') await assertMayPay(tx, await requireAccount(tx, null, before.accountId));
  await insertDecision(tx, { payoutId, decision, reason: reason ?? null, decidedBy });
  const description = decision === 'rejected' ? (reason ?? REJECTED) : undefined;
  const after = await changePayout(tx, before, decision, { at: now(), description });
  await commands.append(tx, [lookAtPayout(after)]);
  return { before, after };
}
