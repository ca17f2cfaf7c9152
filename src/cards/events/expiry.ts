import type { Logger } from 'pino';
import type { Database } from '../../kernel/db/database';
import { forEachIsolated } from '../../kernel/for-each-isolated';
import { keysOfEvents } from '../../kernel/outbox/told-events';
import { dueAuthorizations, type ExpiryPlace } from './authorization-store';
import type { CardEventDeps } from './load-board';
import { recordCardEvent } from './operations';

export type { ExpiryPlace } from './authorization-store';

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

/**
 * Cancels what is held by authorizations that have outlived their programme's validity (decisions part 3): found by the
 * partial index of the open ones, one transaction a card, each whatever becomes of the others. Two runs at once are
 * harmless: the second finds nothing held under the lock. What they cause carries the key of the call that authorized (decisions
 * part 1, Idempotency), which stands with its event: the hot path need not keep it twice.
 * @param limit how many are looked at
 */
export async function expireAuthorizations(
  deps: CardEventDeps & { database: Database; log: Logger },
  limit: number,
  { alive = () => undefined, after = null }: ExpiryOptions = {},
): Promise<ExpiryResult> {
  const { database, log } = deps;
  const due = await dueAuthorizations(database, after, limit);
  const keys = await keysOfEvents(
    database,
    { event: 'card_transaction', type: 'authorization' },
    due.map(({ referenceId }) => referenceId),
  );
  let expired = 0;
  const failures = await forEachIsolated(
    due,
    async ({ id, cardId, referenceId }) => {
      alive();
      const idempotencyKey = keys.get(referenceId) ?? null;
      const { transaction } = await database.transaction((tx) =>
        recordCardEvent(tx, deps, {
          type: 'expire',
          cardId,
          authorizationId: id,
          reach: null,
          idempotencyKey,
        }),
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
