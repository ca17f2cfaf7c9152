import type { Tx } from '../../kernel/db/database';
import type { Services } from '../../services';
import { type Apply, apply, isOrdered } from './apply';
import { effective } from './conclusion';
import { follow } from './follow';
import type { AnyKind } from './kind';
import type { Situation } from './record';
import { type Locked, lockTransfer, readSituation } from './store';

export type Listed = NonNullable<Apply['listed']>;

/**
 * What decisions alone lead to comes first, time too where the party knows of nothing yet. `ordered_at` is committed here and
 * nowhere else: the transfer is judged once more under its lock, and then the party may hear of it.
 */
export async function begun(
  services: Services,
  kind: AnyKind,
  id: string,
  { listed, stopped }: { listed: Listed; stopped: boolean },
): Promise<Situation> {
  const seen = await readSituation(services.database, kind, id, services.now());
  if (!seen) throw new Error(`there is no ${kind.name} ${id}`);
  const { chosen, path, situation } = follow(kind, effective(kind, seen));
  const ordering = !stopped && situation.transfer.orderedAt === null && isOrdered(kind, situation);
  if (chosen.length + path.length === 0 && !ordering) return seen;
  return services.database.transaction(async (tx) =>
    apply(tx, kind, await lock(tx, kind, id, services.now()), { listed, ordering }),
  );
}

/** @throws Error when there is none: ids come from commands that were committed with their record */
export async function lock(tx: Tx, kind: AnyKind, id: string, at: Date): Promise<Locked> {
  const locked = await lockTransfer(tx, kind, id, at);
  if (!locked) throw new Error(`there is no ${kind.name} ${id}`);
  return locked;
}
