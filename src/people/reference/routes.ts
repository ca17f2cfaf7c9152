import { z } from 'zod';
import { cacheable } from '../../http/conditional-get';
import { type Route, route } from '../../http/route';
import { invalid } from '../../kernel/errors';
import { pageSchema, whole } from '../../kernel/wire/pages';
import { text } from '../../kernel/wire/schemas';
import type { Reference, ReferenceItem } from './reference';

const TAG = 'Cardholders';
const HOUR_SECONDS = 60 * 60;

const response = pageSchema(z.object({ code: z.string(), name: z.string() }));

/** The lists are kept for the life of the process, so each is its own key. */
const answer = (items: readonly ReferenceItem[]) => cacheable(items, whole([...items]), HOUR_SECONDS);

/** The code lists that a cardholder's data is validated against (`interface.md 2.1`). They come whole. */
export function referenceRoutes({ reference }: { reference: Reference }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/cardholders/regions',
      tag: TAG,
      summary: 'Regions (country codes)',
      description: "The codes that `country` and `nationality` of a user's `meta` takes.",
      response,
      read: async () => answer(reference.regions()),
    }),
    route({
      method: 'GET',
      path: '/v1/cardholders/cities',
      tag: TAG,
      summary: 'Cities of a region',
      description:
        "The codes that `town` of a user's `meta` takes. `region` is a code of `GET /v1/cardholders/regions`.",
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
      description: "The codes that `occupation` of a user's `meta` takes.",
      response,
      read: async () => answer(reference.occupations()),
    }),
  ];
}
