import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Tx } from '../../kernel/db/database';
import type { IdKind } from '../../kernel/ids';
import type { Permission } from '../../kernel/permissions';
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
  /** Unmasks what a decision needs. */
  reveal?: Reveal;
  /** Gives out the file that the record stands for. */
  download?: Download;
}

/** How operators see personal data that is masked elsewhere. */
export interface Reveal {
  /** `money` for a beneficiary, `review` for a person. */
  permission: Permission;
  /** Reads it. The desk audits who sees it, and why, before it is shown. @throws Problem 404 */
  read(tx: Tx, id: string): Promise<Revealed>;
}

/** How operators get the file of a record, such as a document. */
export interface Download {
  /** Noun and verb of the command: `kyc.document`. */
  name: string;
  title: string;
  permission: Permission;
  /** The choice of a file: a period, a format. The fields are options of the command. Absent: there is one file. */
  input?: z.ZodObject;
  /**
   * Reads it. The desk audits who gets it, and why, before it is sent.
   * @param input parsed by {@link input}
   * @throws Problem 404, 503
   */
  read(id: string, input: Record<string, unknown>): Promise<Downloaded>;
}

/** Declares a file that takes an input, with the type of the input. */
export const download = <Input extends z.ZodObject>(
  spec: Omit<Download, 'input' | 'read'> & {
    input: Input;
    read(id: string, input: z.output<Input>): Promise<Downloaded>;
  },
): Download => spec;

export interface Downloaded {
  /** Action in the audit log. */
  action: string;
  tenantId: string | null;
  /** The file that was chosen, with what the input left open, for the audit log. */
  after?: Record<string, unknown>;
  contentType: string;
  /** Name of the file, where it is not the id. */
  fileName?: string;
  content: Buffer | Readable;
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
