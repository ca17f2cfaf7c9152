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
  askedAt: Date;
  updatedAt: Date;
}

/** Path of the party's callbacks. */
export const SCREENING_CALLBACKS = '/callbacks/screening';

/** The decision of the system on a deposit that the party has refused, and the failure code of deposits and payouts. */
export const SCREENING_REFUSED = 'screening_refused';

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
