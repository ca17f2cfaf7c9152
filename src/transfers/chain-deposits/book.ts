import { inParallel, portionsOf } from '../../kernel/in-parallel';
import type { Services } from '../../services';
import { advanceAll } from '../engine/advance-all';
import { chainDepositKind } from './kind';

/** Deposits of a transaction. Bounds how long it holds its locks. */
const TOGETHER = 100;

/** Transactions at once: while one waits for the database, the nodes are asked for the next. */
const AT_ONCE = 2;

/**
 * Makes the next step of deposits, many in a transaction, as their workflows would one by one. Deposits that need more
 * than that get a workflow.
 */
export async function bookDeposits(services: Services, ids: readonly string[]): Promise<void> {
  await inParallel(portionsOf(ids, TOGETHER), AT_ONCE, (portion) =>
    advanceAll(services, chainDepositKind, portion),
  );
}
