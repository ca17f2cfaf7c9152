import { z } from 'zod';
import { commonLists, line } from '../../process/desk/common-lists';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type Story, storyOf } from '../../process/desk/story';
import type { Services } from '../../services';
import { listTenants, tenantOf } from '../../tenants/clients/operations';
import type { Tenant } from '../../tenants/clients/record';
import { allNumbersOf, liveSecrets } from '../../tenants/clients/secrets';
import { listEndpoints } from '../../tenants/webhooks/operator';
import { accessDecisions } from './access';
import { changeSettings } from './change-settings';
import { secretList } from './secret-list';
import { secretDecisions } from './secrets';
import { shownSettings } from './settings';

export type ClientDeskServices = Pick<Services, 'database' | 'keyring' | 'commands' | 'mode' | 'now'>;

const columns = columnsOf<Tenant>();

/** All tenants have this moment in their place, because their ids alone order them. */
const ONE_MOMENT = new Date(0);

/** The desk of tenants: their secrets, their access, their settings. It knows the settings of every domain. */
export function clientDesk(services: ClientDeskServices): Desk {
  const { database } = services;
  return defineDesk({
    name: 'client',
    title: 'Tenants and their credentials',
    lists: [
      list({
        name: 'clients',
        title: 'all tenants, oldest first',
        filters: z.object({}),
        columns: {
          id: columns.id('id', ({ id }) => id),
          name: columns.text('name', ({ name }) => name),
          role: columns.text('role', ({ role }) => role),
          status: columns.status('status', ({ status }) => status),
        },
        rows: ({ after, limit }) => listTenants(database, { after: after?.id, limit }),
        place: ({ id }) => ({ since: ONE_MOMENT, id }),
      }),
      secretList(database),
    ],
    records: [
      record({
        kind: 'tenant',
        title: 'A tenant, with its settings and its endpoints',
        story: (id, limit) => storyOfTenant(services, id, limit),
      }),
    ],
    decisions: [...secretDecisions(services), ...accessDecisions(services), changeSettings],
  });
}

async function storyOfTenant(
  { database }: ClientDeskServices,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const tenant = await tenantOf(database, id);
  if (!tenant) return undefined;
  const { name, role, status, settings } = tenant;
  const secrets = allNumbersOf(await liveSecrets(database, id));
  const endpoints = await listEndpoints(database, { tenantId: id });
  return storyOf(
    id,
    {
      what: 'tenant',
      tenantId: id,
      status,
      since: null,
      record: { name, role, secrets, settings: shownSettings(settings) },
    },
    {
      ...(await commonLists(database, { id }, limit)),
      related: endpoints.map(({ tenantId: _, ...endpoint }) => line(endpoint)),
    },
    limit,
  );
}
