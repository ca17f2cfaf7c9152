/** A callback only names the record that has changed. */
export interface PartyCallback {
  /** The party's id of the message, the same for a repeat. */
  externalId: string;
  /** Names the record as {@link ReadChanges} does. Null: the record is not ours. */
  ref: string | null;
}
