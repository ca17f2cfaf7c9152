import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { auditAdmin } from '../../../kernel/audit/audit';
import { createEventIds } from '../../../kernel/outbox/event-id';
import { REGISTRATIONS } from '../../../kernel/outbox/events';
import { idFilter, pageQuery, pageSchema } from '../../../kernel/wire/pages';
import type { Services } from '../../../services';
import { listEvents, readEvent, resendEvent } from './operations';
import { eventSchema, eventView } from './view';

const TAG = 'Webhooks';

/** Events as a resource. They are recorded whether or not a webhook URL is set. */
export function eventRoutes({ database, commands, keyring, now }: Services): Route[] {
  const ids = createEventIds(keyring);
  return [
    route({
      method: 'GET',
      path: '/v1/events',
      tag: TAG,
      summary: 'List events',
      description:
        'All events of the tenant, newest first, with their deliveries. An event is recorded whether or not a webhook URL is set, ' +
        'and kept for 90 days unless the operator says otherwise. `recordId` finds the events about a record or of a `referenceId`.',
      query: z.object({
        type: z.enum(REGISTRATIONS).optional().meta({ description: 'Only events of this webhook type.' }),
        recordId: idFilter('dep_01jz0000000000000000000000'),
        ...pageQuery,
      }),
      response: pageSchema(eventSchema),
      personal: ['body'],
      permission: 'view',
      read: ({ caller, query: { type, ...query } }) =>
        listEvents(database, ids, caller.tenantId, { ...query, registration: type }),
    }),
    route({
      method: 'GET',
      path: '/v1/events/{id}',
      tag: TAG,
      summary: 'Get an event',
      description:
        'An event with its deliveries: each URL with the newest 20 attempts, their time, HTTP status, duration and error.',
      response: eventSchema,
      personal: ['body'],
      permission: 'view',
      read: ({ caller, params }) => readEvent(database, ids, caller.reach, params['id'] ?? ''),
    }),
    route({
      method: 'POST',
      path: '/v1/events/{id}/resend',
      scope: 'manage',
      tag: TAG,
      summary: 'Send an event again',
      description:
        'Queues one event again with a new retry schedule, also one that was delivered. The body and `webhook-id` are the same ' +
        'as before, so a receiver recognizes the repeat. A 409 says that no URL is set for its type, or that the endpoint is ' +
        'disabled. `POST /v1/webhooks/resend` sends all undelivered events of a period.',
      response: eventSchema,
      personal: ['body'],
      personOf: () => null,
      status: 202,
      problems: ['invalid_transition'],
      async write(tx, { caller, requestId, params }) {
        const { id = '' } = params;
        const event = await resendEvent(tx, { commands, ids, now: now() }, caller.reach, id);
        const { tenantId } = event;
        await auditAdmin(tx, { caller, requestId, action: 'event.resend', subject: id, tenantId });
        return eventView(event, ids);
      },
    }),
  ];
}
