import type { Sql } from '../../kernel/db/database';
import { hasSeenSecret, ownerOf } from '../../tenants/clients/operations';
import { callerOf } from '../engine/read';
import type { Situation } from '../engine/record';

/**
 * Whether the operator who approves a transfer may be the person who asked for it, so that another must approve it too. It is
 * so for a transfer that an admin's credential asked for, unless that credential belongs to another operator. It is also so
 * for an operator who has ever seen a secret of the tenant: whoever makes or rotates a secret can ask in the tenant's name.
 */
export async function isOfOneHand(sql: Sql, { transfer }: Situation, actor: string): Promise<boolean> {
  const callerId = await callerOf(sql, transfer.id);
  const owner = callerId === null ? undefined : await ownerOf(sql, callerId);
  if (owner?.role === 'admin') return owner.operator === undefined || owner.operator === actor;
  return transfer.tenantId !== null && (await hasSeenSecret(sql, transfer.tenantId, actor));
}
