import { z } from 'zod';
import { type Route, route } from '../../http/route';
import type { Caller } from '../../kernel/caller';
import { invalid } from '../../kernel/errors';
import { MAX_SEARCH, MIN_SEARCH, search } from '../search';
import { assertPermitted } from './permitted';
import type { DeskHttp } from './services';

const q = z.string().trim().min(MIN_SEARCH).max(MAX_SEARCH);

const foundSchema = z.object({
  found: z.array(
    z.object({
      finder: z.string(),
      title: z.string().meta({ description: 'Which text has found which records.' }),
      rows: z.array(
        z.object({
          id: z.string(),
          tenantId: z.string().nullable(),
          status: z.string().nullable(),
          at: z.string().nullable(),
        }),
      ),
      more: z.boolean().meta({ description: 'Whether there are further records that are not shown.' }),
    }),
  ),
});

/** Addresses are logged on their way, so a search for a person's data has its text in the body. */
const PERSONAL = /@/;

export function searchRoutes(desk: DeskHttp): Route[] {
  const found = async ({ permissions = [], ...caller }: Caller, text: string) => {
    assertPermitted({ permissions, ...caller });
    const all = await search(desk.catalogue, desk, { text, may: (each) => permissions.includes(each) });
    return {
      found: all.map(({ rows, ...each }) => ({
        ...each,
        rows: rows.map(({ at, ...row }) => ({ ...row, at: at?.toISOString() ?? null })),
      })),
    };
  };
  return [
    route({
      method: 'GET',
      path: '/desk/v1/search',
      tag: 'Records',
      summary: 'Find records by a text',
      description:
        "By an id or its beginning, a client's or a party's reference, the last four digits of a card.",
      query: z.object({ q }),
      response: foundSchema,
      async read({ caller, query }) {
        if (PERSONAL.test(query.q)) throw invalid('Send an e-mail in the body, by POST.', 'q');
        return found(caller, query.q);
      },
    }),
    route({
      method: 'POST',
      path: '/desk/v1/search',
      tag: 'Records',
      summary: 'Find records by a text that no log may keep',
      description: 'As GET, and by an e-mail.',
      body: z.strictObject({ q }),
      response: foundSchema,
      read: ({ caller, body }) => found(caller, body.q),
    }),
  ];
}
