/** A callback says no more than which record to look at. */
export interface PartyCallback {
  /** The party's name for the message: the same when it comes again. */
  externalId: string;
  /** What {@link ReadChanges} calls `ref`; null: it is about none of ours. */
  ref: string | null;
}
