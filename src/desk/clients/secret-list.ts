import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { columnsOf, type List, list } from '../../process/desk/list';
import { listSecrets, type TenantSecret } from '../../tenants/clients/secrets';

const columns = columnsOf<TenantSecret>();

/** The secrets that authenticate, by their names and numbers. */
export const secretList = (database: Sql): List =>
  list({
    name: 'client-secrets',
    title: 'the secrets of tenants that authenticate, the newest first',
    verb: 'secret.list',
    permission: 'security',
    filters: z.object({
      client: z.string().max(200).optional().meta({ description: 'Id of the tenant.' }),
    }),
    about: { client: ['tenant'] },
    columns: {
      client: columns.id('client', ({ tenantId }) => tenantId),
      name: columns.text('name', ({ name }) => name),
      number: columns.text('number', ({ id }) => id),
      scopes: columns.text('scopes', ({ scopes }) => scopes?.join(' ') ?? 'all'),
      addresses: columns.text('from', ({ addresses }) => addresses?.join(' ') ?? 'anywhere'),
      ends: columns.time('ends', ({ endsAt }) => endsAt),
      since: columns.since('since', ({ createdAt }) => createdAt),
    },
    rows: ({ filters: { client }, after, limit }) =>
      listSecrets(database, { tenantId: client, below: after?.id, limit }),
    place: ({ id, createdAt }) => ({ since: createdAt, id }),
  });
