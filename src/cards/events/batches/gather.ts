import type { Database, TransactionOptions } from '../../../kernel/db/database';
import { CommitUnknown, DatabaseAway, isLockTimeout, isOutOfReach } from '../../../kernel/db/faults';
import { afterUnknownOutcome, type KeyedAnswer } from '../../../kernel/idempotency';
import { continuedTrace, presentTrace } from '../../../kernel/tracing/trace';
import type { CardEventDeps } from '../load-board';
import { type Result, runBatch, type Submission } from './batch';
import { createLane, GATHERING, type Lane, type Queued } from './lane';

interface Waiting extends Submission, Queued {
  resolve(answer: KeyedAnswer): void;
  reject(error: unknown): void;
}

/** Transactions under way at once: one is judged while Postgres works on the other. A third gained nothing. */
const MAX_TRANSACTIONS = 2;

/** A short lock wait, because all tenants share these batches. */
const TOGETHER: TransactionOptions = { plansKept: true, lockSeconds: 0.5 };
/** A longer lock wait, because only one tenant's messages wait. */
const APART: TransactionOptions = { plansKept: true, lockSeconds: 5 };
/** A short lock wait, because the message has waited before and others wait behind it. */
const ALONE: TransactionOptions = { plansKept: true, lockSeconds: 0.5 };
/** After this many lock timeouts in a row, the rest of the batch fails. */
const IN_VAIN = 3;
/** How long the sender of a message waits by default. The message is not judged after that. */
const PATIENCE_MS = 10_000;

export interface Gatherer {
  submit(submission: Submission): Promise<KeyedAnswer>;
}

/**
 * Creates the hot path of card events. Requests that arrive while transactions are under way are gathered into the next
 * one. They share one commit, one lock of a busy master account and two round trips, and each caller gets its own
 * answer. When a batch times out on a lock, each tenant's messages go to a lane of their own until it is empty, so that
 * a slow lock delays only its tenant. A message that fails by a fault of the database fails alone.
 */
export function createGatherer(database: Database, deps: CardEventDeps): Gatherer {
  const lanes = new Map<string, Lane<Waiting>>();
  const run = (batch: Waiting[], options: TransactionOptions) => runAndAnswer(database, deps, batch, options);

  const together = createLane<Waiting>({
    mostAtOnce: MAX_TRANSACTIONS,
    gathering: GATHERING,
    async run(waiting) {
      const batch = withoutStale(waiting);
      const failed = await run(batch, TOGETHER);
      if (failed && isLockTimeout(failed.error)) for (const each of batch) laneOf(each).push(each);
      else if (failed) await recover(batch, failed.error);
    },
  });

  function laneOf({ message }: Submission): Lane<Waiting> {
    const name = laneName(message);
    const lane =
      lanes.get(name) ??
      createLane({ mostAtOnce: 1, gathering: GATHERING, run: apart, emptied: () => lanes.delete(name) });
    lanes.set(name, lane);
    return lane;
  }

  async function apart(waiting: Waiting[]): Promise<void> {
    const batch = withoutStale(waiting);
    const failed = await run(batch, APART);
    if (failed) await recover(batch, failed.error);
  }

  async function recover(batch: Waiting[], error: unknown): Promise<void> {
    if (error instanceof CommitUnknown) {
      await Promise.all(batch.map((waiting) => readStoredAnswer(database, waiting, error)));
    } else if (batch.length > 1 && !isOutOfReach(error)) {
      await tryAlone(batch);
    } else {
      for (const waiting of batch) waiting.reject(error);
    }
  }

  async function tryAlone(batch: Waiting[]): Promise<void> {
    let inVain = 0;
    for (const waiting of batch) {
      if (inVain === IN_VAIN) {
        waiting.reject(new DatabaseAway('a lock'));
        continue;
      }
      const failed = await run([waiting], ALONE);
      inVain = failed && isLockTimeout(failed.error) ? inVain + 1 : 0;
      if (failed) await recover([waiting], failed.error);
    }
  }

  return {
    submit: (submission) =>
      new Promise((resolve, reject) => {
        const waiting = {
          ...submission,
          trace: presentTrace(),
          since: performance.now(),
          resolve,
          reject,
        };
        (lanes.get(laneName(submission.message)) ?? together).push(waiting);
      }),
  };
}

/** Messages without a tenant share one lane, so that never several lanes wait for the same locks. */
const laneName = ({ reach }: Submission['message']): string => reach ?? '';

/** Runs a batch and answers its callers. @returns the error when no caller was answered */
async function runAndAnswer(
  database: Database,
  deps: CardEventDeps,
  batch: Waiting[],
  options: TransactionOptions,
): Promise<{ error: unknown } | undefined> {
  if (batch.length === 0) return undefined;
  try {
    // The batch belongs to no single request, so it is in no trace. Each message's events are in its own.
    const results = await continuedTrace(undefined, () =>
      database.transaction((tx) => runBatch(tx, deps, batch), options),
    );
    answerAll(batch, results);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function answerAll(batch: Waiting[], results: Result[]): void {
  batch.forEach((waiting, index) => {
    const result = results[index];
    if (result && 'answer' in result) waiting.resolve(result.answer);
    else waiting.reject(result?.error);
  });
}

async function readStoredAnswer(database: Database, waiting: Waiting, error: CommitUnknown): Promise<void> {
  const { key, resolve, reject } = waiting;
  if (!key) return reject(error);
  await afterUnknownOutcome(database, key).then(resolve, reject);
}

/** Refuses messages that have waited for too long. A repeated message is judged. */
function withoutStale(batch: Waiting[]): Waiting[] {
  const now = performance.now();
  return batch.filter(({ since, patienceMs = PATIENCE_MS, reject }) => {
    if (now - since <= patienceMs) return true;
    reject(new DatabaseAway('it has waited for too long'));
    return false;
  });
}
