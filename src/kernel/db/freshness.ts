/**
 * What a process keeps of the database so that no request need ask: believed for so long after it was confirmed (milliseconds).
 * A change made by another process counts within the first.
 */
export const FRESH_MS = 1_000;
/** From this age on a request starts a confirmation, and does not wait for it. */
export const REVALIDATE_MS = 500;
/**
 * Where confirming fails, because the database does not answer just now, it is believed for this long in all: that lets a broken
 * connection pass unnoticed.
 */
export const STALE_IF_ERROR_MS = 5_000;
