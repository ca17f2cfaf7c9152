import type { Logger } from 'pino';
import type { Database, Sql } from '../../kernel/db/database';
import { eachApart } from '../../kernel/each-apart';
import type { EngineDeps } from './board-store';
import { recordCardEvent } from './operations';

/** The place of an open authorization in the order in which they expire. */
export interface ExpiryPlace {
  /** ISO 8601: it passes through a workflow. */
  expiresAt: string;
  id: string;
}

export interface ExpiryResult {
  expired: number;
  /** How many could not be expired: they are in the log, stay open, and are tried again in the next run. */
  failed: number;
  /** Whether as many were due as one call looks for: there may be more. */
  more: boolean;
  /** Where the next call of the same run begins, so that no failure is met twice; nothing after the last. */
  after: ExpiryPlace | null;
}

export interface ExpiryOptions {
  /** Called before each, for whoever watches over a long run. */
  alive?: () => void;
  /** Where the call before has ended; the oldest when absent. */
  after?: ExpiryPlace | null;
}

type Due = ExpiryPlace & { cardId: string };

/**
 * Cancels what is held by authorizations that have outlived their programme's validity (decisions part 3): found by the
 * partial index of the open ones, one transaction a card, each whatever becomes of the others. Running it twice at once is
 * harmless: the second finds nothing held under the lock.
 * @param limit how many are looked at
 */
export async function expireAuthorizations(
  deps: EngineDeps & { database: Database; log: Logger },
  limit: number,
  { alive = () => undefined, after = null }: ExpiryOptions = {},
): Promise<ExpiryResult> {
  const { database, log } = deps;
  const due = await dueAuthorizations(database, after, limit);
  let expired = 0;
  const failures = await eachApart(
    due,
    async ({ id, cardId }) => {
      alive();
      const { transaction } = await database.transaction((tx) =>
        recordCardEvent(tx, deps, { type: 'expire', cardId, authorizationId: id, reach: null }),
      );
      if (transaction) expired += 1;
    },
    {
      log,
      failed: 'an authorization could not be expired',
      ids: ({ id, cardId }) => ({ authorizationId: id, cardId }),
    },
  );
  const last = due.length === limit ? due.at(-1) : undefined;
  return {
    expired,
    failed: failures.length,
    more: last !== undefined,
    after: last ? { expiresAt: last.expiresAt, id: last.id } : null,
  };
}

/** The oldest first, after that place. */
async function dueAuthorizations(sql: Sql, after: ExpiryPlace | null, limit: number): Promise<Due[]> {
  const rows = await sql.query<{ id: string; cardId: string; expiresAt: Date }>(
    `select id, card_id as "cardId", expires_at as "expiresAt" from authorizations
      where not closed and expires_at <= now()
        and ($1::timestamptz is null or (expires_at, id) > ($1, $2))
      order by expires_at, id limit $3`,
    [after?.expiresAt ?? null, after?.id ?? null, limit],
  );
  return rows.map(({ expiresAt, ...row }) => ({ ...row, expiresAt: expiresAt.toISOString() }));
}
