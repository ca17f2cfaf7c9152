import { assertFundable } from '../../accounts/accounts/internal-transfer';
import { requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import type { TransferKind } from '../engine/kind';
import { type Decision, first, type PartyWord, type Situation } from '../engine/record';

/** A kind whose money leaves a tenant. Above the tenant's thresholds an operator must approve it. */
export interface ApprovedKind<Terms, Word extends PartyWord> extends TransferKind<Terms, Word> {
  /** Noun of the kind in messages. */
  readonly noun: string;
  /** Further conditions of an approval. @throws Problem 409 */
  assertApprovable?(tx: Tx, situation: Situation<Terms, Word>): Promise<void>;
}

/** An operator's decision on a transfer in `pending_approval`. */
export interface DecideApproval {
  id: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` for an operator. */
  decidedBy: string;
}

/**
 * Applies an operator's decision. An approval lets the order go to the party. A rejection releases the hold, and its
 * reason becomes the `description` of a payout.
 * @throws Problem 404; 409 `invalid_transition`, and for an approval `account_closed`, `user_blocked`
 */
export const decideApproval = <Terms, Word extends PartyWord>(
  deps: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  kind: ApprovedKind<Terms, Word>,
  { id, decision, reason, decidedBy }: DecideApproval,
): Promise<Decided<Situation<Terms, Word>>> =>
  decide(deps, tx, kind, {
    id,
    noun: kind.noun,
    decidedBy,
    asked: {},
    async judge(situation) {
      await assertDecidable(tx, kind, situation, decision);
      return [{ kind: decision === 'approved' ? 'approve' : 'reject', reason: reason ?? null }];
    },
  });

/**
 * Requires that the transfer waits for this decision.
 * @throws Problem 409 `invalid_transition`, and for an approval `account_closed`, `user_blocked`
 */
export async function assertDecidable<Terms, Word extends PartyWord>(
  tx: Tx,
  kind: ApprovedKind<Terms, Word>,
  situation: Situation<Terms, Word>,
  decision: DecideApproval['decision'],
): Promise<void> {
  const { status } = situation.transfer;
  if (status !== 'pending_approval')
    throw conflict('invalid_transition', `A ${kind.noun} that is ${status} cannot be ${decision}.`);
  if (decision === 'approved') await kind.assertApprovable?.(tx, situation);
}

/** Requires that account and user may pay, before an approval. @throws Problem 409 `account_closed`, `user_blocked` */
export async function assertMayPay(
  tx: Tx,
  { transfer: { accountId } }: { transfer: { accountId: string | null } },
): Promise<void> {
  await assertFundable(tx, await requireAccount(tx, null, accountId ?? ''));
}

/** The decision of an operator on a transfer that needs approval. */
export const approvalOf = (situation: Situation<{ needsApproval: boolean }>): Decision | undefined =>
  situation.transfer.terms.needsApproval ? first(situation, 'approve', 'reject') : undefined;

/** Selects transfers that wait for an operator's approval. */
export const TO_APPROVE = { status: 'pending_approval', kind: 'kind' } as const;
