import type { Database, TransactionOptions, Tx } from '../../kernel/db/database';
import { CommitUnknown, isOutOfReach } from '../../kernel/db/faults';
import { writeWithCommit } from '../../kernel/db/writes';
import { inProgress, Problem } from '../../kernel/errors';
import {
  afterUnknownOutcome,
  answersWrite,
  type IdempotencyKey,
  type KeptAnswer,
  type KeyedAnswer,
  type KeyLookup,
  lookUpKeys,
  type StoredAnswer,
  settledAnswer,
} from '../../kernel/idempotency';
import { tellWhenCommitted } from '../../kernel/outbox/events';
import { boardWrites, type CardEventDeps, loadBoard } from './load-board';
import type { Message } from './record';
import type { Board } from './rules/board';
import { type Judgement, judge } from './rules/judge';

export interface Submission {
  message: Message;
  key?: IdempotencyKey;
  /** Renders a success and a refusal as they are sent, and stored under the key. */
  render(decision: Judgement): StoredAnswer;
  refuse(problem: Problem): StoredAnswer;
}

interface Waiting extends Submission {
  resolve(answer: KeyedAnswer): void;
  reject(error: unknown): void;
}

type Result = { answer: KeyedAnswer } | { error: unknown };

/** Messages of one transaction: past this a batch gains nothing and its first caller waits for its last. */
const MAX_BATCH = 64;
/** Transactions at once: while Postgres works on one, the next is judged. A third gained nothing. */
const MAX_TRANSACTIONS = 2;

/** A message that is tried alone has waited already, and others wait for it. */
const ALONE: TransactionOptions = { lockSeconds: 1 };

/**
 * The hot path. Requests that arrive while transactions are under way are gathered into the next one: one commit, one
 * lock of a busy master account and three round trips for all of them, and each caller gets its own answer. A message
 * that fails by a fault of the database, or waits too long for a lock, fails alone: the batch is then tried one by one.
 */
export function createGatherer(database: Database, deps: CardEventDeps) {
  const queue: Waiting[] = [];
  let transactions = 0;
  let underWay = 0;
  let planned = false;

  /** Whatever else this turn of the event loop brings in joins the batch. */
  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      while (queue.length > 0 && mayBegin()) void runNext();
    });
  }

  /** While another is under way, a batch begins when as many wait as that one has: small ones cost more than they bring. */
  function mayBegin(): boolean {
    return transactions === 0 || (transactions < MAX_TRANSACTIONS && queue.length >= underWay);
  }

  async function runNext(): Promise<void> {
    const batch = queue.splice(0, MAX_BATCH);
    transactions += 1;
    underWay += batch.length;
    try {
      await run(batch);
    } finally {
      transactions -= 1;
      underWay -= batch.length;
      plan();
    }
  }

  async function run(batch: Waiting[], options: TransactionOptions = {}): Promise<void> {
    try {
      const whole = { plansKept: true, ...options };
      answerAll(batch, await database.transaction((tx) => runBatch(tx, deps, batch), whole));
    } catch (error) {
      await recover(batch, error);
    }
  }

  async function recover(batch: Waiting[], error: unknown): Promise<void> {
    if (error instanceof CommitUnknown) {
      await Promise.all(batch.map((waiting) => readStoredAnswer(waiting, error)));
    } else if (batch.length > 1 && !isOutOfReach(error)) {
      for (const waiting of batch) await run([waiting], ALONE);
    } else {
      for (const waiting of batch) waiting.reject(error);
    }
  }

  async function readStoredAnswer(waiting: Waiting, error: CommitUnknown): Promise<void> {
    const { key, resolve, reject } = waiting;
    if (!key) return reject(error);
    await afterUnknownOutcome(database, key).then(resolve, reject);
  }

  return {
    submit(submission: Submission): Promise<KeyedAnswer> {
      return new Promise((resolve, reject) => {
        queue.push({ ...submission, resolve, reject });
        plan();
      });
    },
  };
}

function answerAll(batch: Waiting[], results: Result[]): void {
  batch.forEach((waiting, index) => {
    const result = results[index];
    if (result && 'answer' in result) waiting.resolve(result.answer);
    else waiting.reject(result?.error);
  });
}

/** One transaction: keys, locks and reads travel together; then every message is judged; then all is written. */
async function runBatch(tx: Tx, deps: CardEventDeps, batch: Submission[]): Promise<Result[]> {
  const keys = [...new Map(batch.flatMap(({ key }) => (key ? [[nameOf(key), key] as const] : []))).values()];
  const messages = batch.map(({ message }) => message);
  const [lookups, board] = await Promise.all([
    keys.length > 0 ? lookUpKeys(tx, keys) : [],
    loadBoard(tx, deps, messages),
  ]);
  const found = new Map(keys.map((key, index) => [nameOf(key), lookups[index]]));
  const stored: KeptAnswer[] = [];
  const results = answersOf(batch, board, found, stored);
  tellWhenCommitted(tx);
  writeWithCommit(tx, [...boardWrites(board), answersWrite(stored)]);
  return results;
}

/** @param stored receives what is to be stored under the keys */
function answersOf(
  batch: Submission[],
  board: Board,
  found: Map<string, KeyLookup | undefined>,
  stored: KeptAnswer[],
): Result[] {
  const taken = new Set<string>();

  /** The answer that stands under the key. @throws Problem when another of this batch has the key */
  function storedAnswer(key: IdempotencyKey): KeyedAnswer | undefined {
    const name = nameOf(key);
    const known = settledAnswer(key, found.get(name));
    if (known) return known;
    if (taken.has(name)) throw inProgress();
    taken.add(name);
    return undefined;
  }

  function keep(key: IdempotencyKey | undefined, answer: StoredAnswer): Result {
    if (key) stored.push({ key, answer });
    return { answer: { ...answer, replayed: false } };
  }

  return batch.map(({ message, key, render, refuse }) => {
    try {
      const known = key && storedAnswer(key);
      return known ? { answer: known } : keep(key, render(judge(board, message)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const stands = key && error.isResult && error.code !== 'idempotency_in_progress';
      return stands ? keep(key, refuse(error)) : { error };
    }
  });
}

function nameOf(key: IdempotencyKey): string {
  return `${key.tenantId} ${key.scope} ${key.key}`;
}
