/**
 * The outside party that decides on the cardholders of B2C BINs. The person's data goes to it and nowhere else. Both calls
 * end within twenty seconds.
 */
export interface CardholderReview {
  /**
   * Hands in an application. Asking again with the same key gives the first one's outcome and never a second review.
   * @param key ours, one a submission
   * @throws ReviewerUnreachable nothing was handed in; ReviewerTimeout the outcome is not known
   */
  submit(key: string, application: Application): Promise<ReviewOutcome>;
  /** What became of it; nothing when the party has never heard of the key. @throws as `submit` */
  outcome(key: string): Promise<ReviewOutcome | undefined>;
}

export interface Application {
  /** Our name of the person. */
  cardholderId: string;
  bin: string;
  /** The fields of `interface.md 2.1` by their names, corrected. */
  person: Readonly<Partial<Record<string, string>>>;
  documents: ApplicationDocument[];
}

export interface ApplicationDocument {
  /** `idFrontImg`, `idBackImg` or `idHoldImg`. */
  slot: string;
  contentType: string;
  content: Buffer;
}

/**
 * `refused`: the data itself was not taken, so that there is no review. `reason` is shown to the client and told to its
 * webhooks: an adapter gives it in words without personal data.
 */
export type ReviewOutcome =
  | { status: 'processing' }
  | { status: 'passed' }
  | { status: 'rejected'; reason: string }
  | { status: 'refused'; reason: string };

/** The party could not be reached: it has not heard of this call. */
export class ReviewerUnreachable extends Error {
  override name = 'ReviewerUnreachable';
  constructor() {
    super('the reviewer of cardholders cannot be reached');
  }
}

/** No answer came in time: the party may or may not have taken the application. */
export class ReviewerTimeout extends Error {
  override name = 'ReviewerTimeout';
  constructor() {
    super('the reviewer of cardholders gave no answer; the outcome is not known');
  }
}
