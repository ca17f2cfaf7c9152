import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../kernel/db/database';
import type { Commands } from '../../kernel/outbox/commands';
import { KNOWN_WITHIN_MS, type ProductClock } from '../../kernel/product-clock';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { lookAtAll, untilNoneOverdue } from './looks';

/** How long an answer waits for the records whose time has come. */
const WAIT_MS = 5_000;

interface AfterAdvanceDeps {
  database: Database;
  commands: Commands;
  productClock: ProductClock;
  rates: { ready(): Promise<void> };
  log: Logger;
  reconcilables: readonly Reconcilable[];
  /** Runs the schedules and moves the local chain. Absent in a process without them. */
  onClockAdvanced?: (() => Promise<void>) | undefined;
}

/**
 * Makes the steps after an advance of the clock. Every process learns the new time, the rates are refreshed, every open process is
 * told to look, and the schedules run. A step that fails is logged, and the reconciler makes up for it within minutes.
 */
export function afterAdvance(deps: AfterAdvanceDeps): () => Promise<void> {
  const { database, productClock, rates, log, reconcilables, onClockAdvanced } = deps;

  async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn({ what, err: error }, 'a step after the advance of the clock failed');
    }
  }

  return async () => {
    await attempt('clock', () => productClock.read(database));
    if (onClockAdvanced) await sleep(KNOWN_WITHIN_MS); // alone, this process knows the time already
    await attempt('rates', () => rates.ready());
    await attempt('looks', () => lookAtAll(deps));
    if (!onClockAdvanced) return; // without Temporal nothing looks
    await attempt('schedules and chain', onClockAdvanced);
    await attempt('overdue records', () =>
      untilNoneOverdue({ database, reconcilables }, productClock.now(), WAIT_MS),
    );
  };
}
