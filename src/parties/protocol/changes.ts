/** A record of the party's that has changed. */
export interface PartyChange {
  /** What the party is asked for: the order's key, or the party's own name of it. */
  ref: string;
  /** The party's version of it then, where it counts any: a change that is known already needs no look. */
  version?: number | undefined;
}

/** A page of what has changed, in the party's order. */
export interface ChangesPage {
  changes: PartyChange[];
  /** Rows that could not be read, each as a short text without personal data: shown to a person, and passed. */
  unreadable: string[];
  /** The place after this page; the place that was asked for when nothing came after it. */
  next: string | null;
  /** More stands after this page already. */
  more: boolean;
}

/**
 * What a party lists of what has changed, so that nothing depends on its callbacks.
 * @param after the place where the page before ended; null for the beginning
 * @throws PartyAway it cannot be asked just now
 */
export type ReadChanges = (after: string | null) => Promise<ChangesPage>;
