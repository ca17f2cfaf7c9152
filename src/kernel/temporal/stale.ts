/** A record that has not moved for so long after its time is overdue: the reconciler tells it again. Milliseconds. */
export const STALE_MS = 5 * 60_000;
