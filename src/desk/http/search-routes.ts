import { z } from 'zod';
import { type Route, route } from '../../http/route';
import type { Caller } from '../../kernel/caller';
import { assertPermitted, isPermitted } from '../permitted';
import { MAX_SEARCH, MIN_SEARCH, search } from '../search';
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

export function searchRoutes(desk: DeskHttp): Route[] {
  const found = async ({ permissions = [], ...caller }: Caller, text: string) => {
    assertPermitted({ permissions, ...caller });
    const all = await search(desk.catalogue, desk, {
      text,
      may: (each) => isPermitted({ permissions, ...caller }, each),
    });
    return {
      found: all.map(({ rows, ...each }) => ({
        ...each,
        rows: rows.map(({ at, ...row }) => ({ ...row, at: at?.toISOString() ?? null })),
      })),
    };
  };
  return [
    route({
      method: 'POST',
      path: '/desk/v1/search',
      role: 'operator',
      tag: 'Records',
      summary: 'Find records by a text',
      description:
        "By an id or its beginning, a client's or a party's reference, the last four digits of a card, an e-mail. The text is in the " +
        'body, because addresses are logged on their way.',
      body: z.strictObject({ q }),
      response: foundSchema,
      read: ({ caller, body }) => found(caller, body.q),
    }),
  ];
}
