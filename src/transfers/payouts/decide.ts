import { requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import { payoutKind } from './kind';
import { assertMayPay } from './operations';
import type { PayoutKind } from './outgoing';
import type { Payout } from './record';

export { payoutsToApprove, shownPayout } from './create';

/** The operator's word on a payout that waits for it. */
export interface DecidePayout {
  payoutId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
}

export type DecidedPayout = Decided<Payout>;
type Deps = Pick<Services, 'commands' | 'now'>;

/**
 * A person's decision: what is approved is ordered, what is rejected releases the hold, and its reason becomes the description
 * that the client reads.
 * @throws Problem 404; 409 `invalid_transition`, and for an approval `account_closed`, `user_blocked`
 */
export const decidePayout = (deps: Deps, tx: Tx, given: DecidePayout): Promise<DecidedPayout> =>
  decideOutgoing(deps, tx, payoutKind, given, async ({ transfer: { accountId } }) =>
    assertMayPay(tx, await requireAccount(tx, null, accountId ?? '')),
  );

/**
 * The same of either kind.
 * @param assertApprovable what else stands against an approval. @throws Problem 409
 */
export const decideOutgoing = (
  deps: Deps,
  tx: Tx,
  kind: PayoutKind,
  { payoutId: id, decision, reason, decidedBy }: DecidePayout,
  assertApprovable: (payout: Payout) => Promise<void>,
): Promise<DecidedPayout> =>
  decide(deps, tx, kind, {
    ...{ id, noun: 'payout', decidedBy, asked: {} },
    async judge(payout) {
      const { status } = payout.transfer;
      if (status !== 'pending_approval')
        throw conflict('invalid_transition', `A payout that is ${status} cannot be ${decision}.`);
      if (decision === 'approved') await assertApprovable(payout);
      return [{ kind: decision === 'approved' ? 'approve' : 'reject', reason: reason ?? null }];
    },
  });
