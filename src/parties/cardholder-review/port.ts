import type { IncomingHttpHeaders } from 'node:http';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { ReviewWord } from './word';

/**
 * The outside party that decides on the cardholders of B2C BINs. The person's data goes to it and nowhere else. Each call
 * ends within twenty seconds. A callback and a change name the key of the application that they are about.
 */
export interface CardholderReview {
  /**
   * Hands in an application: its state at once, or that of the first one under that key, and never a second review.
   * @throws PartyRefused it will never take it; PartyAway nothing was handed in; OutcomeUnknown it may have been
   */
  submit(application: Application): Promise<ReviewWord>;
  /** What became of it. @throws PartyAway nothing is known just now */
  outcome(key: string): Promise<ReviewWord | 'unknown_to_party'>;
  changes: ReadChanges;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): PartyCallback | undefined;
}

export interface Application {
  /** Ours, one a submission. */
  key: string;
  /** Our name of the person. */
  cardholderId: string;
  bin: string;
  /** The fields of `interface.md 2.1` by their names, corrected. */
  person: Readonly<Partial<Record<string, string>>>;
  documents: ApplicationDocument[];
  /** Where the party tells that the application has moved. */
  callbackUrl: string;
}

export interface ApplicationDocument {
  /** `idFrontImg`, `idBackImg` or `idHoldImg`. */
  slot: string;
  contentType: string;
  content: Buffer;
}
