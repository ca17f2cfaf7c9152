import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import type { OutgoingKind } from './outgoing';
import type { Outgoing, OutgoingTerms } from './record';

/** The operator's word on a payout that waits for it. */
export interface DecidePayout {
  payoutId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
}

/**
 * A person's decision on one of any kind: what is approved is ordered, what is rejected releases the hold, and its reason
 * becomes the description that the client reads.
 * @throws Problem 404; 409 `invalid_transition`, and for an approval `account_closed`, `user_blocked`
 */
export const decidePayout = <Terms extends OutgoingTerms>(
  deps: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  kind: OutgoingKind<Terms>,
  { payoutId: id, decision, reason, decidedBy }: DecidePayout,
): Promise<Decided<Outgoing<Terms>>> =>
  decide(deps, tx, kind, {
    ...{ id, noun: kind.noun, decidedBy, asked: {} },
    async judge(payout) {
      const { status } = payout.transfer;
      if (status !== 'pending_approval')
        throw conflict('invalid_transition', `A ${kind.noun} that is ${status} cannot be ${decision}.`);
      if (decision === 'approved') await kind.assertApprovable?.(tx, payout);
      return [{ kind: decision === 'approved' ? 'approve' : 'reject', reason: reason ?? null }];
    },
  });
