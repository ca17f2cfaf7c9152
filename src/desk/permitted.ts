import type { Caller } from '../kernel/caller';
import { forbidden } from '../kernel/errors';
import type { Permission } from '../kernel/permissions';
import type { Asker } from './decide';

/** Requires that the operator may look. Decisions check it again in their transaction. @throws Problem 403 */
export function assertPermitted(caller: Caller, permission: Permission = 'view'): void {
  if (!isPermitted(caller, permission)) throw forbidden(`It takes the permission ${permission}.`);
}

export const isPermitted = ({ permissions = [] }: Caller, permission: Permission): boolean =>
  permissions.includes(permission);

export const askerOf = ({ caller, requestId }: { caller: Caller; requestId: string }): Asker => ({
  actor: caller.tenantId,
  session: caller.session,
  requestId,
});
