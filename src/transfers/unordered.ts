import type { Tx } from '../kernel/db/database';
import type { Services } from '../services';
import { makeUnorderedDue } from './engine/due';
import { kindOf } from './kinds';

/** Has all transfers of a tenant looked at that no party was told of: the tenant was disabled, and is enabled again. */
export async function lookAtUnordered(
  { commands, now }: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  tenantId: string,
): Promise<void> {
  const waiting = await makeUnorderedDue(tx, tenantId, now());
  commands.append(
    tx,
    waiting.map((each) => kindOf(each.kind).process.look(each)),
  );
}
