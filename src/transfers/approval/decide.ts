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
  /** Stores what else follows from an operator's decision. */
  decided?(tx: Tx, situation: Situation<Terms, Word>, made: DecideApproval & { at: Date }): Promise<void>;
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
  made: DecideApproval,
): Promise<Decided<Situation<Terms, Word>>> => {
  const { id, decision, reason, decidedBy } = made;
  return decide(deps, tx, kind, {
    id,
    noun: kind.noun,
    decidedBy,
    asked: {},
    async judge(situation) {
      await assertDecidable(tx, kind, situation, decision);
      await kind.decided?.(tx, situation, { ...made, at: deps.now() });
      return [{ kind: decision === 'approved' ? 'approve' : 'reject', reason: reason ?? null }];
    },
  });
};

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

/** Terms by which a transfer waits. */
interface Waiting {
  needsApproval: boolean;
  /** Absent: the destination of the money is not new. */
  rest?: { until: string } | undefined;
}

/** The system's decision that a new destination has rested. Ignored where a person must approve. */
export const RESTED = 'rested';

/** The decision on a transfer that waits: an operator's, or the end of the rest of a new destination. */
export function approvalOf(situation: Situation<Waiting>): Decision | undefined {
  const { needsApproval, rest } = situation.transfer.terms;
  if (needsApproval) return first(situation, 'approve', 'reject');
  return rest && first(situation, 'approve', 'reject', RESTED);
}

/** When a new destination has rested, if the transfer waits for nothing else. Null: an operator decides, or has decided. */
export function restsUntil(situation: Situation<Waiting>): Date | null {
  const { status, terms } = situation.transfer;
  if (status !== 'pending_approval' || terms.needsApproval || !terms.rest || approvalOf(situation))
    return null;
  return new Date(terms.rest.until);
}

/** Whether a new destination has rested, and the transfer waits for nothing else. */
export function hasRested(situation: Situation<Waiting>): boolean {
  const until = restsUntil(situation);
  return until !== null && situation.at >= until;
}

/** Selects transfers that wait for an operator's approval. */
export const TO_APPROVE = { status: 'pending_approval', kind: 'kind' } as const;
