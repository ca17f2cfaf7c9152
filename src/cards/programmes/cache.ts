import type { Sql } from '../../kernel/db/database';
import { findProgrammes, type Programme } from './operations';

/** How long the terms of a programme are believed without reading them again: milliseconds. */
const FRESH_MS = 5_000;

export interface Programmes {
  of(sql: Sql, bins: string[]): Promise<Map<string, Programme>>;
}

/** Programmes change by an operator's hand, authorizations read them thousands of times a second: kept for seconds. */
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
