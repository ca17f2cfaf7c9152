import type { Database, TransactionOptions, Tx } from '../../kernel/db/database';
import { CommitUnknown, isOutOfReach } from '../../kernel/db/faults';
import { writeTogether } from '../../kernel/db/writes';
import { inProgress, Problem } from '../../kernel/errors';
import {
  afterUnknownOutcome,
  answersWrite,
  type IdempotencyKey,
  type KeptAnswer,
  type KeyedAnswer,
  lookUpKeys,
  type StoredAnswer,
  settledAnswer,
} from '../../kernel/idempotency';
import { tellWhenCommitted } from '../../kernel/outbox/events';
import { boardWrites, type CardEventDeps, loadBoard } from './load-board';
import type { Message } from './record';
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

type Settled = { answer: KeyedAnswer } | { error: unknown };

/** The most messages of one transaction: past this a batch gains nothing and its first caller waits for its last. */
const MOST = 64;
/** The most transactions at once: while Postgres works on one, the next is decided. A third gained nothing. */
const TRANSACTIONS = 2;

/** Whoever is tried alone has waited already, and others wait behind. */
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
      while (queue.length > 0 && isTime()) void settleNext();
    });
  }

  /** Beside another, a batch begins when as many wait as are under way: small ones would cost more than they bring. */
  function isTime(): boolean {
    return transactions === 0 || (transactions < TRANSACTIONS && queue.length >= underWay);
  }

  async function settleNext(): Promise<void> {
    const batch = queue.splice(0, MOST);
    transactions += 1;
    underWay += batch.length;
    try {
      await settleAll(batch);
    } finally {
      transactions -= 1;
      underWay -= batch.length;
      plan();
    }
  }

  async function settleAll(batch: Waiting[], options: TransactionOptions = {}): Promise<void> {
    try {
      const whole = { plansKept: true, ...options };
      hand(batch, await database.transaction((tx) => runBatch(tx, deps, batch), whole));
    } catch (error) {
      await settleFailed(batch, error);
    }
  }

  async function settleFailed(batch: Waiting[], error: unknown): Promise<void> {
    if (error instanceof CommitUnknown) {
      await Promise.all(batch.map((one) => lookAgain(one, error)));
    } else if (batch.length > 1 && !isOutOfReach(error)) {
      for (const one of batch) await settleAll([one], ALONE);
    } else {
      for (const one of batch) one.reject(error);
    }
  }

  async function lookAgain(one: Waiting, error: CommitUnknown): Promise<void> {
    if (!one.key) return one.reject(error);
    await afterUnknownOutcome(database, one.key).then(one.resolve, one.reject);
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

function hand(batch: Waiting[], results: Settled[]): void {
  batch.forEach((one, index) => {
    const result = results[index];
    if (result && 'answer' in result) one.resolve(result.answer);
    else one.reject(result?.error);
  });
}

/** One transaction: keys, locks and reads travel together; then every message is decided; then all is written. */
async function runBatch(tx: Tx, deps: CardEventDeps, batch: Submission[]): Promise<Settled[]> {
  const keys = [...new Map(batch.flatMap(({ key }) => (key ? [[nameOf(key), key] as const] : []))).values()];
  const [lookups, board] = await Promise.all([
    keys.length > 0 ? lookUpKeys(tx, keys) : [],
    loadBoard(
      tx,
      deps,
      batch.map(({ message }) => message),
    ),
  ]);
  const lookup = new Map(keys.map((key, index) => [nameOf(key), lookups[index]]));
  const taken = new Set<string>();
  const stored: KeptAnswer[] = [];

  function settle(one: Submission): Settled {
    try {
      if (one.key) {
        const known = settledAnswer(one.key, lookup.get(nameOf(one.key)));
        if (known) return { answer: known };
        if (taken.has(nameOf(one.key))) throw inProgress(); // another of this batch has it
        taken.add(nameOf(one.key));
      }
      return { answer: { ...keep(one, one.render(judge(board, one.message))), replayed: false } };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const stands = one.key && error.isResult && error.code !== 'idempotency_in_progress';
      return stands ? { answer: { ...keep(one, one.refuse(error)), replayed: false } } : { error };
    }
  }

  function keep(one: Submission, answer: StoredAnswer): StoredAnswer {
    if (one.key) stored.push({ key: one.key, answer });
    return answer;
  }

  const results = batch.map(settle);
  tellWhenCommitted(tx);
  tx.defer(writeTogether(tx, [...boardWrites(board), answersWrite(stored)]));
  return results;
}

function nameOf(key: IdempotencyKey): string {
  return `${key.tenantId} ${key.scope} ${key.key}`;
}
