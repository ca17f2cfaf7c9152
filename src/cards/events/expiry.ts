import type { Logger } from 'pino';
import type { Database } from '../../kernel/db/database';
import { forEachIsolated } from '../../kernel/for-each-isolated';
import { keysOfEvents } from '../../kernel/outbox/told-events';
import { dueAuthorizations, type ExpiryPlace } from './authorization-store';
import type { CardEventDeps } from './load-board';
import { recordCardEvent } from './operations';

export type { ExpiryPlace } from './authorization-store';
export { AUTHORIZATIONS_DUE } from './authorization-store';

export interface ExpiryResult {
  expired: number;
  /** Authorizations that could not be expired. They are logged, stay open and are tried again in the next run. */
  failed: number;
  /** Whether the call found as many as its limit, so that there may be more. */
  more: boolean;
  /** Cursor for the next call of this run, so that no failure is tried twice. Null after the last page. */
  after: ExpiryPlace | null;
}

export interface ExpiryOptions {
  /** Called before each authorization, as the heartbeat of a long run. */
  alive?: () => void;
  /** The cursor of the call before; null starts with the oldest. */
  after?: ExpiryPlace | null;
}

/**
 * Releases the holds of authorizations whose validity has ended (decisions part 3). Each has a transaction of its own,
 * so that one failure does not stop the others. Two concurrent runs are harmless, because the second finds nothing
 * held. The events carry the idempotency key of the call that authorized (decisions part 1, Idempotency), read from the
 * event of that call.
 * @param limit the number of authorizations to look at
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
