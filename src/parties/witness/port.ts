import type { HourlyHead } from '../../kernel/audit/heads';

/**
 * The witness of the audit log: a place outside the database that is told the head of the chain each hour. The owner of the
 * database can rewrite the log, and cannot rewrite the witness's copy of the heads.
 */
export interface Witness {
  /** Whether a place is configured. */
  configured: boolean;
  /**
   * Tells a head. Idempotent by its hour.
   * @throws PartyAway the head may not have been told; PartyRefused the place has another head of that hour, or refuses
   */
  tell(head: HourlyHead): Promise<void>;
  /**
   * Reads the told heads back. Undefined: the place takes heads and returns none.
   * @throws PartyAway; PartyRefused for an unreadable head
   */
  told?(): Promise<HourlyHead[]>;
}
