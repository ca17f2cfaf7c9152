import type { Decimal } from '../../kernel/money/money';
import { CHALLENGE_TRANSITIONS, type Challenge, type ChallengeStatus, type ChallengeTrigger } from './record';

/** The number of wrong codes that fails a challenge. */
export const MAX_WRONG_CODES = 3;
/** How often a code may be sent again. */
export const MAX_RESENDS = 3;
/** How long a code is valid, in milliseconds. */
export const CODE_MS = 5 * 60_000;
/** How long the mail server may be unreachable before the challenge becomes unavailable, in milliseconds. */
export const SEND_MS = 60_000;

type Timed = Pick<Challenge, 'status' | 'sendBy' | 'codeEndsAt' | 'expiresAt'>;

/** The status that a trigger leads to; undefined when the table has no such row. */
export function transition(from: ChallengeStatus, on: ChallengeTrigger): ChallengeStatus | undefined {
  return CHALLENGE_TRANSITIONS.find((row) => row.from === from && row.on === on)?.to;
}

/** The status at a moment. A time limit ends a challenge even if no process has recorded its end. */
export function statusAt({ status, sendBy, codeEndsAt, expiresAt }: Timed, at: Date): ChallengeStatus {
  if (at >= codeEndsAt || at >= expiresAt) return transition(status, 'time_over') ?? status;
  if (at >= sendBy) return transition(status, 'mail_overdue') ?? status;
  return status;
}

/** The latest time for the mail of a new code, and the end of the code's validity. */
export function codeTimes(at: Date, expiresAt: Date): Pick<Challenge, 'sendBy' | 'codeEndsAt'> {
  const until = (ms: number) => new Date(Math.min(at.getTime() + ms, expiresAt.getTime()));
  return { sendBy: until(SEND_MS), codeEndsAt: until(CODE_MS) };
}

export type VerifyResult = 'approved' | 'failed' | 'expired' | 'cancelled';

export interface Verdict {
  result: VerifyResult;
  triesLeft: number;
  /** Changes of the challenge; absent where nothing changes. */
  change?: Partial<Pick<Challenge, 'status' | 'wrongCodes'>>;
}

const RESULT_OF: Readonly<Record<ChallengeStatus, VerifyResult>> = {
  sending: 'failed',
  sent: 'failed',
  approved: 'failed',
  used: 'failed',
  failed: 'failed',
  expired: 'expired',
  unavailable: 'expired',
  cancelled: 'cancelled',
};

/**
 * Judges a code that the payer typed. The right code approves an approved challenge again, because the first answer may
 * have been lost. Each wrong code counts, whatever the status, so that no code can be guessed.
 */
export function judgeCode(challenge: Challenge, isRight: boolean, at: Date): Verdict {
  const status = statusAt(challenge, at);
  const isOpen = status === 'sending' || status === 'sent';
  const isApproved = status === 'approved' || status === 'used';
  const triesLeft = isOpen || isApproved ? Math.max(0, MAX_WRONG_CODES - challenge.wrongCodes) : 0;
  if (triesLeft === 0) return { result: RESULT_OF[status], triesLeft };
  if (isRight) {
    const approved = transition(status, 'right_code');
    return { result: 'approved', triesLeft, ...(approved && { change: { status: approved } }) };
  }
  const wrongCodes = challenge.wrongCodes + 1;
  const left = MAX_WRONG_CODES - wrongCodes;
  const failed = left === 0 ? transition(status, 'last_wrong_code') : undefined;
  return { result: 'failed', triesLeft: left, change: { wrongCodes, ...(failed && { status: failed }) } };
}

/** The parts of an authorization that must agree with its challenge. */
export interface Purchase {
  cardId: string;
  /** In `currency`. */
  amount: Decimal;
  currency: string;
  merchant?: { id?: string } | undefined;
}

/**
 * Whether an approved challenge authenticates this purchase: same card, currency and merchant, and at most its amount.
 */
export function serves(challenge: Challenge, { cardId, amount, currency, merchant }: Purchase): boolean {
  return (
    transition(challenge.status, 'authorization') !== undefined &&
    challenge.cardId === cardId &&
    challenge.currency === currency &&
    challenge.merchant.id === merchant?.id &&
    amount.lte(challenge.amount)
  );
}
