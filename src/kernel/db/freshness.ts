/**
 * Milliseconds for which a process trusts cached data after a confirmation, so that requests need no query. A change
 * made by another process takes effect within this time.
 */
export const FRESH_MS = 1_000;
/** Milliseconds after which a request starts a confirmation in the background. */
export const REVALIDATE_MS = 500;
/**
 * Milliseconds for which cached data is trusted in all while the database does not answer. Hides a broken connection
 * from clients.
 */
export const STALE_IF_ERROR_MS = 5_000;
