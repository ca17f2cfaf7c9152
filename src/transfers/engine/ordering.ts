import type { Tx } from '../../kernel/db/database';
import type { Services } from '../../services';
import { isDisabled } from '../../tenants/clients/operations';
import { type Apply, apply, isOrdered } from './apply';
import { effective } from './conclusion';
import { follow } from './follow';
import type { AnyKind } from './kind';
import type { Situation } from './record';
import { type Locked, lockTransfer, readSituation } from './store';

export type Listed = NonNullable<Apply['listed']>;

interface Begun {
  seen: Situation;
  /** The order is due and is not given, because the tenant is disabled. The party knows of nothing, and is not asked. */
  held: boolean;
}

/**
 * What decisions alone lead to comes first, time too where the party knows of nothing yet. `ordered_at` is committed here and
 * nowhere else: the transfer is judged once more under its lock, and then the party may hear of it. So whatever the kind, the
 * order of a tenant that was disabled before that is not given.
 */
export async function begun(
  services: Services,
  kind: AnyKind,
  id: string,
  { listed, stopped }: { listed: Listed; stopped: boolean },
): Promise<Begun> {
  const seen = await readSituation(services.database, kind, id, services.now());
  if (!seen) throw new Error(`there is no ${kind.name} ${id}`);
  const { chosen, path, situation } = follow(kind, effective(kind, seen));
  const ordering = !stopped && situation.transfer.orderedAt === null && isOrdered(kind, situation);
  if (chosen.length + path.length === 0 && !ordering) return { seen, held: false };
  return services.database.transaction(async (tx) => {
    // The tenant's status is read under the transfer's lock, so the end of a stop finds all that it has held.
    const [locked, isHeld] = await Promise.all([
      lock(tx, kind, id, services.now()),
      ordering && isDisabled(tx, seen.transfer.tenantId),
    ]);
    if (!isHeld) return { seen: await apply(tx, kind, locked, { listed, ordering }), held: false };
    // No party has the order, so no timer asks for the order. `client enable` has the transfer looked at.
    const after = await apply(tx, kind, locked, { listed: () => true, dueSeen: seen.transfer.dueBy });
    return {
      seen: after,
      held: after.transfer.orderedAt === null && isOrdered(kind, effective(kind, after)),
    };
  });
}

/** @throws Error when there is none: ids come from commands that were committed with their record */
export async function lock(tx: Tx, kind: AnyKind, id: string, at: Date): Promise<Locked> {
  const locked = await lockTransfer(tx, kind, id, at);
  if (!locked) throw new Error(`there is no ${kind.name} ${id}`);
  return locked;
}
