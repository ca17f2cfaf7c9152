import type { Sql } from '../../kernel/db/database';
import type { SubjectSpec } from '../../process/desk/decision';
import { stopsOf } from '../../process/stops/operations';
import type { StopKind } from '../../process/stops/record';
import { lockedTenant, tenantExists, tenantOf } from '../../tenants/clients/operations';
import type { LiveSecret, Tenant } from '../../tenants/clients/record';
import { liveSecrets } from '../../tenants/clients/secrets';

/** A tenant, as operators judge it. */
export interface Client extends Tenant {
  stops: StopKind[];
  /** Those that authenticate. */
  secrets: readonly LiveSecret[];
}

/** Tenants as the subject of decisions. The lock keeps other changes of the tenant and its secrets away. */
export const clients: SubjectSpec<Client> = {
  noun: 'client',
  kinds: ['tenant'],
  async read(sql, id) {
    const found = await tenantOf(sql, id);
    return found && withMore(sql, found);
  },
  lock: async (tx, id) =>
    (await tenantExists(tx, id)) ? withMore(tx, await lockedTenant(tx, id)) : undefined,
  tenantOf: ({ id }) => id,
};

const withMore = async (sql: Sql, tenant: Tenant): Promise<Client> => ({
  ...tenant,
  stops: await stopsOf(sql, ['tenant', 'tenant_api'], tenant.id),
  secrets: await liveSecrets(sql, tenant.id),
});
