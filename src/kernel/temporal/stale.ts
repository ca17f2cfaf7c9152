/** Milliseconds after which a record that has not moved is overdue. The reconciler then sends its command again. */
export const STALE_MS = 5 * 60_000;
