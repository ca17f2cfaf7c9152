import type { Decimal } from '../../kernel/money/money';
import type { ScreeningDirection, ScreeningRequest } from '../../parties/screening/port';
import type { ScreeningResult, ScreeningWord } from '../../parties/screening/word';

/** A screening of a transfer, as it stands. */
export interface Screening {
  /** Our key at the party. */
  key: string;
  /** The transfer. */
  subject: string;
  tenantId: string | null;
  direction: ScreeningDirection;
  chain: string;
  asset: string;
  amount: Decimal;
  status: ScreeningResult;
  reason: string | null;
  score: string | null;
  version: number | null;
  /** Whether the transfer waits for the party while the result is `pending`. */
  waits: boolean;
  /** The decision of people. Null: nobody has decided. */
  decided: Verdict | null;
  /** `operator:<name>`. */
  decidedBy: string | null;
  decidedAt: Date | null;
  askedAt: Date;
  updatedAt: Date;
}

/** A decision of people on a screening that the party left open or has refused. */
export type Verdict = 'cleared' | 'refused';

/** A change of a screening: a result of the party, or a decision of people. */
export interface ScreeningChange
  extends Pick<Screening, 'key' | 'status' | 'reason' | 'score' | 'version' | 'decidedBy'> {
  at: Date;
}

/** Path of the party's callbacks. */
export const SCREENING_CALLBACKS = '/callbacks/screening';

/** The decision on a deposit that the party, or an operator, has refused. Also the failure code of deposits and payouts. */
export const SCREENING_REFUSED = 'screening_refused';

/** The decision of two operators to clear what the party left open or has refused. */
export const SCREENING_CLEARED = 'screening_cleared';

/** Break of a screening that has waited for longer than a day. */
export const SCREENING_WAITS = 'screening_waits';

/** A payment to screen, before the address for callbacks is known. */
export type Screened = Omit<ScreeningRequest, 'callbackUrl'>;

/** A result that the party has given, or `pending` while it gave none. */
export type Result = ScreeningWord;

export const PENDING: Result = { status: 'pending' };

/**
 * Key of a screening. A reorganisation may change the amount, and each amount has a screening of its own.
 * @param units absent where the amount never changes
 */
export const screeningKey = (transferId: string, units?: string): string =>
  units === undefined ? transferId : `${transferId}-${units}`;

/** Id of the transfer in a key. Undefined for a key that is not ours. */
export const subjectOfKey = (key: string): string | undefined =>
  /^([a-z]+_[0-9a-z]{26})(?:-\d{1,78})?$/.exec(key)?.[1];
