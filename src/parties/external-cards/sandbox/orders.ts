import type { Tx } from '../../../kernel/db/database';
import { changeTimes, recordChange, versionAt } from '../../sandbox/changes';
import type { PartyOptions } from '../../sandbox/options';
import { secondsSince } from '../../sandbox/time';
import { momentsOf, type ToldOrder, wordAt } from './progress';
import { scenarioOf } from './scenarios';
import {
  lockByPage,
  lockOrder,
  type NewOrder,
  noteCall,
  readByPage,
  readOrder,
  type SandboxCardOrder,
  saveDecision,
} from './store';

/** A taken order in its present state. */
export interface PresentOrder {
  order: SandboxCardOrder;
  word: ToldOrder;
}

/** `another`: the key was used for another order. */
type Taken = 'taken' | 'another' | 'unreachable' | 'silent';

/** The acquirer's operations on orders. */
export interface Orders {
  /** Takes an order. @returns `taken`, or why the caller gets no answer */
  take(given: NewOrder): Promise<Taken>;
  /** Undefined where no such order was taken. */
  present(by: { key: string } | { page: string }): Promise<PresentOrder | undefined>;
  /** Records the payer's decision on the page. Only the first decision before the expiry counts. */
  decide(page: string, decision: 'confirm' | 'refuse'): Promise<void>;
}

export function createOrders({ database, now }: Pick<PartyOptions, 'database' | 'now'>): Orders {
  return {
    take: (given) => database.transaction((tx) => takeOrder(tx, given, now)),
    present: (by) =>
      database.transaction(async (tx) => {
        const order = await ('key' in by ? readOrder(tx, by.key) : readByPage(tx, by.page));
        if (!order?.acceptedAt) return undefined;
        const times = await changeTimes(tx, 'external-cards', order.key);
        const at = now();
        return { order, word: wordAt(order, versionAt(times, at), at) };
      }),
    decide: (page, decision) =>
      database.transaction(async (tx) => {
        const order = await lockByPage(tx, page);
        const at = now();
        if (!order || order.confirmedAt || order.refusedAt || order.expiresAt <= at) return;
        const decided = { ...order, [decision === 'confirm' ? 'confirmedAt' : 'refusedAt']: at };
        await saveDecision(tx, decided);
        record(tx, decided, at);
      }),
  };
}

/** Whether the key was used for another order. Addresses are not compared, because ours may change. */
const isAnother = (given: NewOrder, known: SandboxCardOrder): boolean =>
  (['kind', 'token', 'currency'] as const).some((field) => given[field] !== known[field]) ||
  !given.amount.eq(known.amount);

async function takeOrder(tx: Tx, given: NewOrder, now: () => Date): Promise<Taken> {
  const order = await lockOrder(tx, given, now());
  if (isAnother(given, order)) return 'another';
  const at = now();
  const { unreachableSeconds = 0, losesFirstAnswer } = scenarioOf(order.token);
  if (secondsSince(order.firstAskedAt, at) < unreachableSeconds) return 'unreachable';
  noteCall(tx, order.key, at);
  if (order.acceptedAt === null) record(tx, { ...order, acceptedAt: at }, at);
  return order.calls === 0 && losesFirstAnswer ? 'silent' : 'taken';
}

/** Records that the order changes now, and its planned changes. */
function record(tx: Tx, order: SandboxCardOrder, at: Date): void {
  const { key: ref, callbackUrl, token } = order;
  const { sendsNoCallbacks: quiet = false, repeatsCallbacks: repeats = false } = scenarioOf(token);
  const changing = { party: 'external-cards', ref, callbackUrl, repeats } as const;
  recordChange(tx, changing, [{ at, quiet }], momentsOf(order));
}
