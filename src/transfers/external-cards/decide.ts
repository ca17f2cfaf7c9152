import { requireAccount } from '../../accounts/accounts/operations';
import { assertFundable } from '../../accounts/accounts/transfer';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import { cardWithdrawalKind } from './kind';
import type { CardTransfer } from './order-rules';

/** The operator's word on a withdrawal that waits for it. */
export interface DecideWithdrawal {
  withdrawalId: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
}

/**
 * A person's decision: what is approved is ordered, what is rejected has failed and releases the hold.
 * @throws Problem 404; 409 `invalid_transition`, and for an approval `account_closed`, `user_blocked`
 */
export const decideWithdrawal = (
  deps: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { withdrawalId: id, decision, reason, decidedBy }: DecideWithdrawal,
): Promise<Decided<CardTransfer>> =>
  decide(deps, tx, cardWithdrawalKind, {
    ...{ id, noun: 'withdrawal', decidedBy, asked: {} },
    async judge({ transfer: { status, accountId } }) {
      if (status !== 'pending_approval')
        throw conflict('invalid_transition', `A withdrawal that is ${status} cannot be ${decision}.`);
      if (decision === 'approved') await assertFundable(tx, await requireAccount(tx, null, accountId ?? ''));
      return [{ kind: decision === 'approved' ? 'approve' : 'reject', reason: reason ?? null }];
    },
  });
