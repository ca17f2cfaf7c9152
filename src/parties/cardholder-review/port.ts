import type { IncomingHttpHeaders } from 'node:http';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { ReviewWord } from './word';

/**
 * The outside party that decides on the cardholders of B2C BINs. No other party receives the person's data. Each call
 * ends within twenty seconds. A callback and a change name the key of their application.
 */
export interface CardholderReview {
  /**
   * Hands in an application, idempotent by its key.
   * @returns its present state
   * @throws PartyRefused the party has refused for good; PartyAway nothing was handed in; OutcomeUnknown it may have
   * been
   */
  submit(application: Application): Promise<ReviewWord>;
  /** Reads the state of an application. @throws PartyAway the state is unknown now */
  outcome(key: string): Promise<ReviewWord | 'unknown_to_party'>;
  changes: ReadChanges;
  /** The reviewer may restrict a passed person later, and lists that change. The reasons hold no personal data. */
  readonly restrictsLater?: true;
  /** Undefined when the signature is wrong or too old, or when the message is not such a callback. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): PartyCallback | undefined;
}

export interface Application {
  /** Idempotency key of ours. Each submission has its own. */
  key: string;
  /** Our id of the person. */
  cardholderId: string;
  bin: string;
  /** The fields of `interface.md 2.1` by their names, with corrections applied. */
  person: Readonly<Partial<Record<string, string>>>;
  documents: ApplicationDocument[];
  /** Where the party reports that the application has changed. */
  callbackUrl: string;
}

export interface ApplicationDocument {
  /** `idFrontImg`, `idBackImg` or `idHoldImg`. */
  slot: string;
  contentType: string;
  content: Buffer;
}
