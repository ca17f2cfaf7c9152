import type { Tx } from '../../kernel/db/database';
import { RecordLost } from '../../process/lost-record';
import type { Services } from '../../services';
import { isDisabled } from '../../tenants/clients/operations';
import { type Apply, apply, isOrdered } from './apply';
import { effective } from './conclusion';
import { follow, systemDecision } from './follow';
import type { AnyKind, Clearance } from './kind';
import type { Situation } from './record';
import { type Locked, lockTransfer, readSituation } from './store';

export type Listed = NonNullable<Apply['listed']>;

/** What a step uses. */
export interface Stepping extends Services {
  /** False once the transfer's workflow may run beside this step. Absent: the step is the workflow's own. */
  mayCommit?: () => boolean;
}

/**
 * Runs a transaction of a step that locks the transfer. It commits only while the step may, judged at its end. A workflow that
 * starts later waits for the lock and then reads the commit. A workflow that runs already would not learn of it.
 */
export const stepTransaction = <T>(
  { database, mayCommit = () => true }: Stepping,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  database.transaction(async (tx) => {
    const result = await work(tx);
    if (!mayCommit()) throw new Error('the step is the workflow’s now');
    return result;
  });

interface StepStart {
  seen: Situation;
  /**
   * The order is due but waits, because the tenant is disabled or the transfer is not clear. The party knows nothing, so
   * it is not asked.
   */
  held: boolean;
}

/**
 * Begins a step: applies what decisions (and deadlines before the order) already demand, and commits `ordered_at`.
 *
 * Only this function commits `ordered_at`. It judges the transfer again under its lock first, so no order of a
 * disabled tenant is given, whatever the kind.
 * @throws RecordLost when the transfer is missing
 */
export async function beginStep(
  services: Stepping,
  kind: AnyKind,
  id: string,
  { listed, stopped }: { listed: Listed; stopped: boolean },
): Promise<StepStart> {
  const seen = await readSituation(services.database, kind, id, services.now());
  if (!seen) throw new RecordLost(kind.name, id);
  const { chosen, path, situation } = follow(kind, effective(kind, seen));
  const ordering = !stopped && situation.transfer.orderedAt === null && isOrdered(kind, situation);
  if (chosen.length + path.length === 0 && !ordering) return { seen, held: false };
  const clearance = ordering && kind.clear ? await kind.clear(services, situation) : CLEAR;
  if (clearance.verdict !== 'clear') return holdBack(services, kind, seen, clearance);
  return stepTransaction(services, async (tx) => {
    // Reads the tenant's status under the transfer's lock, so that `client enable` finds every order that was held.
    const [locked, isHeld] = await Promise.all([
      lock(tx, kind, id, services.now()),
      ordering && isDisabled(tx, seen.transfer.tenantId),
    ]);
    clearance.keep?.(tx, locked.situation);
    if (!isHeld) return { seen: await apply(tx, kind, locked, { listed, ordering }), held: false };
    // No party has the order, so no timer is set. `client enable` makes the transfer due.
    const after = await apply(tx, kind, locked, { listed: () => true, dueSeen: seen.transfer.dueBy });
    return {
      seen: after,
      held: after.transfer.orderedAt === null && isOrdered(kind, effective(kind, after)),
    };
  });
}

const CLEAR: Clearance = { verdict: 'clear' };

/**
 * Gives no order. A transfer that waits is polled. A decision ends it: the engine stores the decision and applies it, unless
 * the record has changed meanwhile, because people may have cleared it.
 */
async function holdBack(
  services: Stepping,
  kind: AnyKind,
  { transfer: { id, dueBy, revision } }: Situation,
  { verdict, keep }: Clearance,
): Promise<StepStart> {
  return stepTransaction(services, async (tx) => {
    const locked = await lock(tx, kind, id, services.now());
    const { situation } = locked;
    keep?.(tx, situation);
    const isStale = situation.transfer.revision !== revision;
    const ends = typeof verdict === 'object' && !isStale ? [verdict] : [];
    if (situation.transfer.orderedAt !== null) return { seen: situation, held: ends.length === 0 };
    const decided = ends.map((each) => systemDecision(each, services.now()));
    const after = await apply(tx, kind, locked, { decided, listed: () => false, dueSeen: dueBy });
    return { seen: after, held: decided.length === 0 };
  });
}

/** @throws RecordLost when the transfer is missing, because commands are committed together with their record */
export async function lock(tx: Tx, kind: AnyKind, id: string, at: Date): Promise<Locked> {
  const locked = await lockTransfer(tx, kind, id, at);
  if (!locked) throw new RecordLost(kind.name, id);
  return locked;
}
