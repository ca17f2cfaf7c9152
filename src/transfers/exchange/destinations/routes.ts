import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { pageSchema, whole } from '../../../kernel/wire/pages';
import { currency } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { listDestinations } from './operations';
import { DESTINATION_STATUSES } from './record';
import { withdrawalDestinationSchema, withdrawalDestinationView } from './view';

/** `GET /v1/exchange/withdrawal-destinations`: the caller's own, unmasked (decisions part 1). */
export function withdrawalDestinationRoutes(services: Services): Route[] {
  const { database, now } = services;
  return [
    route({
      method: 'GET',
      path: '/v1/exchange/withdrawal-destinations',
      tag: 'Exchange',
      capability: 'exchange',
      party: 'exchange',
      summary: 'Allowed withdrawal destinations',
      description:
        'Newest first. The operator adds destinations. A new destination becomes active a day later.',
      query: z.object({
        currency: currency().optional(),
        status: z.enum(DESTINATION_STATUSES).optional(),
      }),
      response: pageSchema(withdrawalDestinationSchema),
      async read({ caller: { tenantId }, query }) {
        const found = await listDestinations(database, { tenantId, currency: query.currency });
        const shown = found.map((each) => withdrawalDestinationView(each, now()));
        return whole(shown.filter(({ status }) => query.status === undefined || status === query.status));
      },
    }),
  ];
}
