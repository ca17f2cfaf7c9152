import { assertFundable } from '../../accounts/accounts/internal-transfer';
import { requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import type { TransferKind } from '../engine/kind';
import { type Decision, first, type PartyWord, type Situation } from '../engine/record';

/** Money that leaves a tenant, above its thresholds by an operator's approval. */
export interface ApprovedKind<Terms, Word extends PartyWord> extends TransferKind<Terms, Word> {
  /** What people call one. */
  readonly noun: string;
  /** What else stands against an approval. @throws Problem 409 */
  assertApprovable?(tx: Tx, situation: Situation<Terms, Word>): Promise<void>;
}

/** The operator's word on one that waits for it. */
export interface DecideApproval {
  id: string;
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
}

/**
 * A person's decision on one of any kind: what is approved is ordered, what is rejected releases the hold. The reason of a rejected
 * payout becomes the description that the client reads.
 * @throws Problem 404; 409 `invalid_transition`, and for an approval `account_closed`, `user_blocked`
 */
export const decideApproval = <Terms, Word extends PartyWord>(
  deps: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  kind: ApprovedKind<Terms, Word>,
  { id, decision, reason, decidedBy }: DecideApproval,
): Promise<Decided<Situation<Terms, Word>>> =>
  decide(deps, tx, kind, {
    ...{ id, noun: kind.noun, decidedBy, asked: {} },
    async judge(situation) {
      const { status } = situation.transfer;
      if (status !== 'pending_approval')
        throw conflict('invalid_transition', `A ${kind.noun} that is ${status} cannot be ${decision}.`);
      if (decision === 'approved') await kind.assertApprovable?.(tx, situation);
      return [{ kind: decision === 'approved' ? 'approve' : 'reject', reason: reason ?? null }];
    },
  });

/** Before it is approved. @throws Problem 409 `account_closed`, `user_blocked` */
export async function assertMayPay(
  tx: Tx,
  { transfer: { accountId } }: { transfer: { accountId: string | null } },
): Promise<void> {
  await assertFundable(tx, await requireAccount(tx, null, accountId ?? ''));
}

/** What a person decided of one that needed it. */
export const approvalOf = (situation: Situation<{ needsApproval: boolean }>): Decision | undefined =>
  situation.transfer.terms.needsApproval ? first(situation, 'approve', 'reject') : undefined;

/** Those that wait for the operator's approval; `kind` names what people tell them apart by. */
export const TO_APPROVE = { status: 'pending_approval', kind: 'kind' } as const;
