import type { Tx } from '../../kernel/db/database';
import type { IdKind } from '../../kernel/ids';
import type { Permission } from './permissions';
import type { Story } from './story';

/** A kind of record that operators look at, by the prefix of its id. */
export interface RecordOfDesk {
  /** Kind of the id (src/kernel/ids.ts). */
  kind: IdKind;
  title: string;
  /** Default: `view`. */
  permission?: Permission;
  /** Everything known about the record. Personal data is masked. @param limit newest lines of each list */
  story(id: string, limit: number): Promise<Story | undefined>;
  /** Unmasks what a decision needs. The desk audits who sees it, and why, before it is shown. @throws Problem 404 */
  reveal?(tx: Tx, id: string): Promise<Revealed>;
}

/** Personal data that only an approver may see: a beneficiary, an applicant. */
export interface Revealed {
  /** Action in the audit log: `payout.reveal`. */
  action: string;
  tenantId: string | null;
  data: object;
}

/** Declares a kind of record. */
export const record = (spec: RecordOfDesk): RecordOfDesk => spec;
