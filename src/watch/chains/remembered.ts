/**
 * What a process that follows a chain remembers from step to step, of what it has told and shown. It is no truth: without it all is
 * told once more.
 */
export interface Remembered {
  /** The deposits that were told of the last height, by name, each with the revision that its row had then. */
  told: ReadonlyMap<string, number>;
  /** When the chain was shown to stand still; null: it goes on; absent: not known. */
  shownStill?: Date | null;
}

export const nothingRemembered = (): Remembered => ({ told: new Map() });
