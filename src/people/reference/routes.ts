import { z } from 'zod';
import { cacheable } from '../../http/conditional-get';
import { type Route, route } from '../../http/route';
import { invalid } from '../../kernel/errors';
import { pageSchema, whole } from '../../kernel/wire/pages';
import { text } from '../../kernel/wire/schemas';
import type { Reference, ReferenceItem } from './reference';

const TAG = 'Cardholders';
const HOUR_SECONDS = 60 * 60;

const response = pageSchema(z.object({ code: z.string(), name: z.string() }).meta({ id: 'ReferenceItem' }));

/** A cacheable answer. The lists live as long as the process, so each list is its own cache key. */
const answer = (items: readonly ReferenceItem[]) => cacheable(items, whole([...items]), HOUR_SECONDS);

/**
 * Routes of the code lists that a cardholder's data is validated against (`interface.md 2.1`). Each list is one page.
 */
export function referenceRoutes({ reference }: { reference: Reference }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/cardholders/regions',
      tag: TAG,
      summary: 'Regions (country codes)',
      description: "Lists the codes that `country` and `nationality` of a user's `meta` accept.",
      response,
      read: async () => answer(reference.regions()),
    }),
    route({
      method: 'GET',
      path: '/v1/cardholders/cities',
      tag: TAG,
      summary: 'Cities of a region',
      description:
        "Lists the codes that `town` of a user's `meta` accepts. `region` is a code of `GET /v1/cardholders/regions`.",
      query: z.object({ region: text(10) }),
      response,
      async read({ query: { region } }) {
        if (!reference.isRegion(region))
          throw invalid('region must be a country code of GET /v1/cardholders/regions.', 'region');
        return answer(reference.cities(region));
      },
    }),
    route({
      method: 'GET',
      path: '/v1/cardholders/occupations',
      tag: TAG,
      summary: 'Occupations',
      description: "Lists the codes that `occupation` of a user's `meta` accepts.",
      response,
      read: async () => answer(reference.occupations()),
    }),
  ];
}
