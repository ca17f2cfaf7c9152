import type { Database, TransactionOptions } from '../../../kernel/db/database';
import { CommitUnknown, DatabaseAway, isLockTimeout, isOutOfReach } from '../../../kernel/db/faults';
import { afterUnknownOutcome, type KeyedAnswer } from '../../../kernel/idempotency';
import type { CardEventDeps } from '../load-board';
import { type Result, runBatch, type Submission } from './batch';
import { createLane, type Lane, type Queued } from './lane';

interface Waiting extends Submission, Queued {
  resolve(answer: KeyedAnswer): void;
  reject(error: unknown): void;
}

/** Transactions at once: while Postgres works on one, the next is judged. A third gained nothing. */
const MAX_TRANSACTIONS = 2;
/** A transaction costs as much before its first message as some ten messages do (`docs/benchmarks.md`). */
const GATHERING = { quietMs: 1, mostMs: 4 };

/** Others wait for whoever waits for a lock here, so it is not for long. */
const TOGETHER: TransactionOptions = { plansKept: true, lockSeconds: 0.5 };
/** Nobody waits but the same tenant's messages. */
const APART: TransactionOptions = { plansKept: true, lockSeconds: 5 };
/** A message that is tried alone has waited already, and others wait for it. */
const ALONE: TransactionOptions = { plansKept: true, lockSeconds: 0.5 };
/** So many in a row that wait in vain: the others would, too. */
const IN_VAIN = 3;
/** Whoever has sent a message waits no longer for its answer: it is not judged any more. */
const PATIENCE_MS = 10_000;

export interface Gatherer {
  submit(submission: Submission): Promise<KeyedAnswer>;
}

/**
 * The hot path. Requests that arrive while transactions are under way are gathered into the next one: one commit, one
 * lock of a busy master account and three round trips for all of them, and each caller gets its own answer. A batch that
 * waits for a lock is divided: each tenant's messages go on in a lane of their own until that is empty, so a slow lock is
 * waited for by its tenant alone. A message that fails by a fault of the database fails alone.
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
        const waiting = { ...submission, since: performance.now(), resolve, reject };
        (lanes.get(laneName(submission.message)) ?? together).push(waiting);
      }),
  };
}

/** Those of nobody's in particular share one, so that no lane is ever one of many for the same locks. */
const laneName = ({ reach }: Submission['message']): string => reach ?? '';

/** @returns why nothing of it was done, where nobody has been answered */
async function runAndAnswer(
  database: Database,
  deps: CardEventDeps,
  batch: Waiting[],
  options: TransactionOptions,
): Promise<{ error: unknown } | undefined> {
  if (batch.length === 0) return undefined;
  try {
    answerAll(batch, await database.transaction((tx) => runBatch(tx, deps, batch), options));
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

/** What has waited for too long is told so: whoever repeats it has it judged. */
function withoutStale(batch: Waiting[]): Waiting[] {
  const now = performance.now();
  return batch.filter(({ since, patienceMs = PATIENCE_MS, reject }) => {
    if (now - since <= patienceMs) return true;
    reject(new DatabaseAway('it has waited for too long'));
    return false;
  });
}
