import type { Tx } from '../../../kernel/db/database';
import { writeWithCommit } from '../../../kernel/db/writes';
import { inProgress, Problem } from '../../../kernel/errors';
import {
  answersWrite,
  type IdempotencyKey,
  type KeptAnswer,
  type KeyedAnswer,
  type KeyLookup,
  lookUpKeys,
  type StoredAnswer,
  settledAnswer,
} from '../../../kernel/idempotency';
import { tellWhenCommitted } from '../../../kernel/outbox/events';
import { boardWrites, type CardEventDeps, countWhenCommitted, loadBoard } from '../load-board';
import type { Message } from '../record';
import type { Board } from '../rules/board';
import { type Judgement, judge } from '../rules/judge';

export interface Submission {
  message: Message;
  key?: IdempotencyKey;
  /** Trace of the request, where traces are on. */
  trace?: string | undefined;
  /** How long the sender waits for its answer, when it is no usual request. The message is not judged after that. */
  patienceMs?: number;
  /** Renders a success and a refusal as they are sent and stored under the key. */
  render(decision: Judgement): StoredAnswer;
  refuse(problem: Problem): StoredAnswer;
}

export type Result = { answer: KeyedAnswer } | { error: unknown };

/**
 * Judges a batch in one transaction. Keys, locks and reads travel together; after judging, all writes travel as one
 * statement.
 */
export async function runBatch(tx: Tx, deps: CardEventDeps, batch: Submission[]): Promise<Result[]> {
  const keys = [...new Map(batch.flatMap(({ key }) => (key ? [[key.name, key] as const] : []))).values()];
  const messages = batch.map(({ message }) => message);
  const [lookups, board] = await Promise.all([
    keys.length > 0 ? lookUpKeys(tx, keys) : [],
    loadBoard(tx, deps, messages),
  ]);
  const found = new Map(keys.map((key, index) => [key.name, lookups[index]]));
  const stored: KeptAnswer[] = [];
  const results = answersOf(batch, board, found, stored);
  tellWhenCommitted(tx);
  countWhenCommitted(tx, deps, board);
  writeWithCommit(tx, [...boardWrites(board), answersWrite(stored)]);
  return results;
}

/** @param stored receives the answers to store under the keys */
function answersOf(
  batch: Submission[],
  board: Board,
  found: Map<string, KeyLookup | undefined>,
  stored: KeptAnswer[],
): Result[] {
  const taken = new Set<string>();

  /** The answer stored under a key. @throws Problem when another message of this batch has the key */
  function storedAnswer(key: IdempotencyKey): KeyedAnswer | undefined {
    const name = key.name;
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

  return batch.map(({ message, key, trace, render, refuse }) => {
    try {
      const known = key && storedAnswer(key);
      board.tracedBy(trace);
      return known ? { answer: known } : keep(key, render(judge(board, message)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const stands = key && error.isResult && error.code !== 'idempotency_in_progress';
      return stands ? keep(key, refuse(error)) : { error };
    }
  });
}
