import { z } from 'zod';
import type { Database, Sql, Tx } from '../../../kernel/db/database';
import { inPortions } from '../../../kernel/db/portions';
import { conflict, notFound } from '../../../kernel/errors';
import type { Commands } from '../../../kernel/outbox/commands';
import type { EventIds } from '../../../kernel/outbox/event-id';
import { tellWhenCommitted } from '../../../kernel/outbox/events';
import { foreignCursor, type Page, pageOf, positionOf, positionPart } from '../../../kernel/wire/pages';
import { recoveryCommand } from '../recovery-command';
import { probeNow } from '../store';
import {
  deleteOldEvents,
  deleteOldUrls,
  type EventsPage,
  findEvent,
  findEvents,
  makeDue,
  type StoredEvent,
} from './store';
import { type EventView, eventView } from './view';

/** Events of a tenant with their deliveries: listed, read and sent again. */

export interface EventsQuery extends Pick<EventsPage, 'registration' | 'recordId' | 'from' | 'to'> {
  limit: number;
  cursor?: string | undefined;
}

/**
 * A page of a tenant's events, newest first.
 * @throws Problem 400 when the cursor does not belong to this list
 */
export async function listEvents(
  sql: Sql,
  ids: EventIds,
  tenantId: string,
  { limit, cursor, ...filter }: EventsQuery,
): Promise<Page<EventView>> {
  const after = afterEvent(ids, cursor);
  const found = await findEvents(sql, { ...filter, tenantId, after, rows: limit + 1 });
  return pageOf(
    found,
    limit,
    (event) => [ids.derived(event)],
    (event) => eventView(event, ids),
  );
}

function afterEvent(ids: EventIds, cursor: string | undefined): EventsPage['after'] {
  const [id] = positionOf(cursor, z.tuple([positionPart.id('event')])) ?? [];
  if (id === undefined) return undefined;
  const place = ids.find(id);
  if (!place || 'dataId' in place) throw foreignCursor();
  return place;
}

/** @param reach the caller's tenant; null for an admin, who reaches every tenant's. @throws Problem 404 */
export const readEvent = async (
  sql: Sql,
  ids: EventIds,
  reach: string | null,
  id: string,
): Promise<EventView> => eventView(await requireEvent(sql, ids, reach, id), ids);

async function requireEvent(sql: Sql, ids: EventIds, reach: string | null, id: string): Promise<StoredEvent> {
  const place = ids.find(id);
  const found = place && (await findEvent(sql, reach, place));
  if (!found) throw notFound('event');
  return found;
}

/**
 * Queues one event again, whatever became of its delivery. A failing endpoint is probed at once.
 * @throws Problem 404; 409 `invalid_transition` when no URL of its type is set, or the endpoint is disabled
 */
export async function resendEvent(
  tx: Tx,
  { commands, ids, now }: { commands: Commands; ids: EventIds; now: Date },
  reach: string | null,
  id: string,
): Promise<StoredEvent> {
  const event = await requireEvent(tx, ids, reach, id);
  const { tenantId, registration, number } = event;
  // The endpoint is locked before its event, as in a recovery.
  const failing = await probeNow(tx, { tenantId, registration, now });
  if (!(await makeDue(tx, number)))
    throw conflict('invalid_transition', `No working webhook URL is set for the type ${registration}.`);
  commands.append(
    tx,
    failing.map((endpoint) => recoveryCommand(endpoint)),
  );
  tellWhenCommitted(tx);
  return requireEvent(tx, ids, reach, id);
}

/** Deletes events older than `days`, with their attempts and former URLs. @returns the number of deleted events */
export async function forgetOldEvents(database: Database, days: number): Promise<number> {
  let after = '0';
  const forgotten = await inPortions(database, async (tx, limit) => {
    const { deleted, last } = await deleteOldEvents(tx, { days, limit, after });
    after = last;
    return deleted;
  });
  await deleteOldUrls(database, days);
  return forgotten;
}
