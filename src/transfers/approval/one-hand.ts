import type { Sql } from '../../kernel/db/database';
import { isOneHand } from '../../process/approvals/one-hand';
import { hasSeenSecret, ownerOf } from '../../tenants/clients/owner';
import { callerOf } from '../engine/read';
import type { Situation } from '../engine/record';

/**
 * Whether the operator who approves a transfer may be the person who asked for it, so that another must approve it too. An
 * admin's credential asked for the transfer, and does not belong to an operator of another hand. Or an operator of his hand
 * has seen a secret of the tenant, and so can ask in the tenant's name.
 */
export async function isOfOneHand(sql: Sql, { transfer }: Situation, actor: string): Promise<boolean> {
  const callerId = await callerOf(sql, transfer.id);
  const owner = callerId === null ? undefined : await ownerOf(sql, callerId);
  if (owner?.role === 'admin') return owner.operator === undefined || isOneHand(sql, owner.operator, actor);
  return transfer.tenantId !== null && (await hasSeenSecret(sql, transfer.tenantId, actor));
}
