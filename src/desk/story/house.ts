import { findToldEvent } from '../../kernel/outbox/told-events';
import { findBreak } from '../../process/breaks/operations';
import { breakView } from '../../process/breaks/view';
import { findCallback } from '../../process/callbacks/operations';
import { commonLists, line } from '../../process/desk/common-lists';
import { storyOf, type Teller } from '../../process/desk/story';
import { findQuote } from '../../process/quotes/operations';

export const tellBreak: Teller = async ({ database }, id, limit) => {
  const found = await findBreak(database, id);
  if (!found) return undefined;
  const { tenantId, resolvedAt, createdAt } = found;
  return storyOf(
    id,
    {
      what: 'break',
      tenantId,
      status: resolvedAt ? 'resolved' : 'open',
      since: (resolvedAt ?? createdAt).toISOString(),
      record: line(breakView(found)),
    },
    await commonLists(database, { id }, limit),
    limit,
  );
};

/** A webhook event with its delivery. */
export const tellEvent: Teller = async ({ database }, id, limit) => {
  const found = await findToldEvent(database, id);
  if (!found) return undefined;
  const { tenantId, delivery, at, deliveredAt } = found;
  return storyOf(
    id,
    {
      what: 'webhook event',
      tenantId,
      status: delivery,
      since: (deliveredAt ?? at).toISOString(),
      record: line(found),
    },
    await commonLists(database, { id }, limit),
    limit,
  );
};

export const tellQuote: Teller = async ({ database, now }, id, limit) => {
  const found = await findQuote(database, id);
  if (!found) return undefined;
  const { tenantId, usedBy, expiresAt, createdAt } = found;
  const status = usedBy !== null ? 'used' : expiresAt <= now() ? 'expired' : 'open';
  return storyOf(
    id,
    { what: 'quote', tenantId, status, since: createdAt.toISOString(), record: line(found) },
    await commonLists(database, { id }, limit),
    limit,
  );
};

/** A verified callback of a party. Its content stays sealed. */
export const tellCallback: Teller = async ({ database }, id, limit) => {
  const found = await findCallback(database, id);
  if (!found) return undefined;
  const { receivedAt, handledAt } = found;
  return storyOf(
    id,
    {
      what: 'callback',
      tenantId: null,
      status: handledAt ? 'handled' : 'received',
      since: (handledAt ?? receivedAt).toISOString(),
      record: line(found),
    },
    await commonLists(database, { id }, limit),
    limit,
  );
};

/** Any other subject of an audit line or a break: a party's object, a BIN. */
export const tellSubject: Teller = async ({ database }, id, limit) => {
  const lists = await commonLists(database, { id }, limit);
  if (lists.audit?.length === 0 && lists.breaks?.length === 0) return undefined;
  return storyOf(
    id,
    { what: 'subject', tenantId: null, status: null, since: null, record: {} },
    lists,
    limit,
  );
};
