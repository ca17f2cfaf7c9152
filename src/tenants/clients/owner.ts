import type { Sql } from '../../kernel/db/database';
import { operatorActor } from '../../process/approvals/actors';
import type { Tenant } from './record';
import { readAccess } from './store';

export { hasSeenSecret } from './store';

/** The owner of a credential: its role, and the operator of an admin, as decisions name him. Undefined for an unknown one. */
export async function ownerOf(
  sql: Sql,
  clientId: string,
): Promise<{ role: Tenant['role']; operator: string | undefined } | undefined> {
  const found = (await readAccess(sql, [clientId])).get(clientId);
  return (
    found && {
      role: found.tenant.role,
      operator: found.operator ? operatorActor(found.operator.name) : undefined,
    }
  );
}
