import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import {
  idFilter,
  pageOf,
  pageQuery,
  pageSchema,
  positionOf,
  positionPart,
} from '../../../kernel/wire/pages';
import { text } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { GUARDED_READ } from '../guarded';
import { listOperations, requireOperation } from './read';
import { GAS_OPERATION_STATUSES, GAS_OPERATION_TYPES } from './record';
import { gasOperationSchema, gasOperationView } from './view';

const path = '/v1/gas-station/operations';

/** Routes of sweeps and top-ups together (`interface.md 4.1`, Gas station). */
export const gasOperationListRoutes = (services: Services): Route[] => [
  listRoute(services, {
    at: path,
    open: true,
    summary: 'List pending operations',
    description: 'Sweeps and top-ups that have not ended.',
  }),
  listRoute(services, {
    at: `${path}/history`,
    open: false,
    summary: 'List all operations',
    description: 'Sweeps and top-ups, whatever their status.',
  }),
  readRoute(services),
];

const query = z.object({
  ...pageQuery,
  chain: text(100).optional(),
  status: z.enum(GAS_OPERATION_STATUSES).optional(),
  type: z.enum(GAS_OPERATION_TYPES).optional(),
  asset: text(20).optional(),
  walletId: idFilter('wal_01jz0000000000000000000000'),
});

/** Pages by time, because ids of the two types do not sort by time together. */
const position = z.tuple([
  positionPart.instant(),
  z.union([positionPart.id('sweepOperation'), positionPart.id('topupOperation')]),
]);

interface List {
  at: string;
  /** Only open operations. */
  open: boolean;
  summary: string;
  description: string;
}

const listRoute = ({ database }: Services, { at, open, ...described }: List): Route =>
  route({
    method: 'GET',
    path: at,
    ...GUARDED_READ,
    ...described,
    query,
    response: pageSchema(gasOperationSchema),
    async read({ query: { limit, cursor, from, to, ...filter } }) {
      const after = positionOf(cursor, position);
      const rows = await listOperations(database, filter, { after, rows: limit + 1, from, to }, { open });
      return pageOf(rows, limit, ({ createdAt, id }) => [createdAt.toISOString(), id], gasOperationView);
    },
  });

const readRoute = ({ database }: Services): Route =>
  route({
    method: 'GET',
    path: `${path}/{id}`,
    ...GUARDED_READ,
    summary: 'Operation details',
    description: 'One sweep or top-up.',
    response: gasOperationSchema,
    read: async ({ params }) => gasOperationView(await requireOperation(database, params['id'] ?? '', null)),
  });
