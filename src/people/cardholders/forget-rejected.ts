import type { Database } from '../../kernel/db/database';
import { inPortions } from '../../kernel/db/portions';
import type { Services } from '../../services';
import { requireTenant } from '../../tenants/clients/operations';
import { retainedSince } from '../retention';
import { forgetRejectedRows, tenantsOfRejected } from './store';

/**
 * Removes what names the person from cardholders that were not approved and have not changed for the retention of their
 * tenant. The user stays, and a new submission fills the record again. Idempotent.
 * @returns the number of changed cardholders
 */
export async function forgetRejected({
  database,
  now,
}: Pick<Services, 'now'> & { database: Database }): Promise<number> {
  let total = 0;
  for (const tenantId of await tenantsOfRejected(database)) {
    const { settings } = await requireTenant(database, tenantId);
    const before = retainedSince(settings, now());
    total += await inPortions(database, (tx, limit) => forgetRejectedRows(tx, { tenantId, before }, limit));
  }
  return total;
}
