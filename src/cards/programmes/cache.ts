import type { Sql } from '../../kernel/db/database';
import { findProgrammes, type Programme } from './operations';

/** How long a process uses a programme that it has read, in milliseconds. */
const FRESH_MS = 5_000;

export interface Programmes {
  of(sql: Sql, bins: string[]): Promise<Map<string, Programme>>;
}

/**
 * Keeps programmes in memory for five seconds, because authorizations read them far more often than operators change
 * them.
 */
export function createProgrammes(now: () => number = Date.now): Programmes {
  const known = new Map<string, { programme: Programme; readAt: number }>();
  return {
    async of(sql, bins) {
      const stale = bins.filter(
        (bin) => now() - (known.get(bin)?.readAt ?? Number.NEGATIVE_INFINITY) > FRESH_MS,
      );
      if (stale.length > 0) {
        for (const [bin, programme] of await findProgrammes(sql, stale))
          known.set(bin, { programme, readAt: now() });
      }
      return new Map(
        bins.flatMap((bin) => (known.has(bin) ? [[bin, known.get(bin)?.programme as Programme]] : [])),
      );
    },
  };
}
