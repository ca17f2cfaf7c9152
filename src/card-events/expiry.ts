import type { Database, Sql } from '../db/database';
import { recordCardEvent } from './record';
import type { EngineDeps } from './store';

export interface ExpiryResult {
  expired: number;
  /** Whether as many were due as one call looks for: there may be more. */
  more: boolean;
}

/**
 * Cancels what is held by authorizations that have outlived their programme's validity (decisions part 3): found by the
 * partial index of the open ones, one transaction a card. Running it twice at once is harmless: the second finds nothing
 * held under the lock.
 * @param alive called after each, for whoever watches over a long run
 */
export async function expireAuthorizations(
  deps: EngineDeps & { database: Database },
  limit: number,
  alive: () => void = () => undefined,
): Promise<ExpiryResult> {
  const due = await dueAuthorizations(deps.database, limit);
  let expired = 0;
  for (const { id, cardId } of due) {
    const { transaction } = await deps.database.transaction((tx) =>
      recordCardEvent(tx, deps, { type: 'expire', cardId, authorizationId: id, reach: null }),
    );
    if (transaction) expired += 1;
    alive();
  }
  return { expired, more: due.length === limit };
}

async function dueAuthorizations(sql: Sql, limit: number) {
  return sql.query<{ id: string; cardId: string }>(
    `select id, card_id as "cardId" from authorizations where not closed and expires_at <= now()
      order by expires_at limit $1`,
    [limit],
  );
}
