import type { IncomingHttpHeaders } from 'node:http';
import type { Decimal } from '../../kernel/money/money';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { ScreeningWord } from './word';

export const SCREENING_DIRECTIONS = ['inbound', 'outbound'] as const;
export type ScreeningDirection = (typeof SCREENING_DIRECTIONS)[number];

/**
 * The outside party that judges addresses and transactions of chains, such as a vendor of blockchain analytics. A
 * callback and a change name the key of their screening.
 */
export interface Screening {
  /** False when the installation leaves the party out, so that nothing is screened. */
  readonly isOn: boolean;
  /**
   * Asks for a screening, idempotent by its key.
   * @returns its present state
   * @throws PartyRefused the party does not screen this; PartyAway, OutcomeUnknown: repeat
   */
  screen(request: ScreeningRequest): Promise<ScreeningWord>;
  /** Reads the state of a screening. @throws PartyAway the state is unknown now */
  outcome(key: string): Promise<ScreeningWord | 'unknown_to_party'>;
  changes: ReadChanges;
  /** Undefined when the signature is wrong or too old, or when the message is not such a callback. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): PartyCallback | undefined;
}

export interface ScreeningRequest {
  /** Idempotency key of ours. */
  key: string;
  /** `inbound`: a payment that has arrived. `outbound`: a payment that is to be sent. */
  direction: ScreeningDirection;
  chain: string;
  asset: string;
  /** The other side: the sender of a payment that has arrived, or the destination. */
  address: string;
  /**
   * Our account that the payment is for, or comes from. Null: nobody's. Vendors ask for a customer of ours, whose
   * payments they judge together.
   */
  accountId: string | null;
  /** Our address that the payment has arrived at. Null: outbound. */
  ownAddress: string | null;
  txHash: string | null;
  /** Position of the log in the receipt. −1 for the native coin. Null: outbound. */
  ordinal: number | null;
  /** Time of the payment's first block, in ISO 8601. Null: outbound. */
  blockAt: string | null;
  amount: Decimal;
  /** Address for the party's callbacks. */
  callbackUrl: string;
}
