import type { Tx } from '../kernel/db/database';
import type { Services } from '../services';
import { makeUnorderedDue } from './engine/due';
import { kindOf } from './kinds';

export { countUnordered } from './engine/due';

/** Makes due all transfers of a tenant that no party was told of, because the tenant is enabled again. */
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
