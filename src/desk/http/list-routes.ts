import { z } from 'zod';
import { type ApiRequest, Reply, type Route, route } from '../../http/route';
import type { WaitingPlace } from '../../kernel/db/waiting';
import { pageSchema } from '../../kernel/wire/pages';
import { type List, rowOf } from '../../process/desk/list';
import { assertPermitted } from '../permitted';
import { placeOfCursor, readPage } from '../read-list';
import { csvOf } from './csv';
import type { DeskHttp } from './services';
import { upTo1000 } from './up-to-1000';

const MAX_ROWS = 1_000;
/** Rows of a CSV file. */
const MAX_CSV_ROWS = 100_000;

const paging = {
  limit: upTo1000(100),
  cursor: z.string().max(500).optional(),
  format: z
    .enum(['json', 'csv'])
    .default('json')
    .meta({ description: `\`csv\` has all rows, at most ${MAX_CSV_ROWS}.` }),
};

interface ListQuery {
  limit: number;
  cursor?: string | undefined;
  format: 'json' | 'csv';
}

const amount = z.object({ amount: z.string(), currency: z.string() });
const cell = z.union([z.string(), z.number(), amount]).nullable();

export const listRoutes = ({ catalogue }: DeskHttp): Route[] =>
  catalogue.lists.map((list) =>
    route({
      method: 'GET',
      path: `/desk/v1/lists/${list.name}`,
      role: 'operator',
      tag: 'Lists',
      summary: list.title,
      // Strict, so that a filter with a typing error does not show everything.
      query: z.strictObject({ ...list.filters.shape, ...paging }),
      produces: ['application/json', 'text/csv'],
      response: pageSchema(
        z.object(
          Object.fromEntries(
            Object.entries(list.columns).map(([name, { title }]) => [
              name,
              cell.meta({ description: title }),
            ]),
          ),
        ),
      ),
      // A filter may name a record that must exist.
      problems: ['not_found'],
      read: (request) => read(list, request as ApiRequest<ListQuery>),
    }),
  );

async function read(list: List, { caller, query }: ApiRequest<ListQuery>): Promise<unknown> {
  assertPermitted(caller, list.permission);
  const { limit, cursor, format, ...filters } = query;
  if (format === 'csv') return csvFile(list, filters, placeOfCursor(cursor));
  return readPage(list, { filters, cursor, limit });
}

async function csvFile(
  list: List,
  filters: Record<string, unknown>,
  from: WaitingPlace | undefined,
): Promise<Reply> {
  const rows: unknown[] = [];
  let after = from;
  while (rows.length < MAX_CSV_ROWS) {
    const page = await list.rows({ filters, after, limit: MAX_ROWS });
    for (const row of page) rows.push(row);
    if (page.length < MAX_ROWS) break;
    after = list.place(page.at(-1));
  }
  const body = csvOf(
    list,
    rows.map((row) => rowOf(list, row)),
  );
  return new Reply(200, Buffer.from(body), {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${list.name}.csv"`,
  });
}
