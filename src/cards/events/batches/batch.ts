import { statementsSent, type Tx } from '../../../kernel/db/database';
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
import { type CardEventDeps, countWhenCommitted, loadBoard, recordWrites } from '../load-board';
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
  /**
   * Renders a success and a refusal as they are sent and stored under the key. Called after the whole batch is judged, so
   * the judgement's card may have gone further.
   */
  render(decision: Judgement): StoredAnswer;
  refuse(problem: Problem): StoredAnswer;
}

export type Result = { answer: KeyedAnswer } | { error: unknown };

/** The fate of a submission. `known` is the answer that its key has stored. */
type Outcome = { judgement: Judgement } | { known: KeyedAnswer } | { refusal: Problem };

/** From so many messages on, Postgres gains more by an early start than a second statement costs. */
const WORTH_TWO = 8;

/**
 * Judges a batch in one transaction. Keys, locks and reads travel together, and so do all writes and the commit. A
 * large batch sends its ledger's writes first, so that Postgres works on them while answers and events are rendered.
 */
export async function runBatch(tx: Tx, deps: CardEventDeps, batch: Submission[]): Promise<Result[]> {
  const keys = [...new Map(batch.flatMap(({ key }) => (key ? [[key.name, key] as const] : []))).values()];
  const messages = batch.map(({ message }) => message);
  const [lookups, board] = await Promise.all([
    keys.length > 0 ? lookUpKeys(tx, keys) : [],
    loadBoard(tx, deps, messages),
  ]);
  const found = new Map(keys.map((key, index) => [key.name, lookups[index]]));
  const outcomes = judgeAll(batch, board, found);
  tellWhenCommitted(tx);
  countWhenCommitted(tx, deps, board);
  const ledger = board.book.written();
  const isAhead = ledger !== undefined && batch.length >= WORTH_TWO;
  if (isAhead) {
    writeWithCommit(tx, [ledger]);
    await statementsSent();
  }
  const stored: KeptAnswer[] = [];
  const results = batch.map((submission, index) => resultOf(submission, outcomes[index]!, stored));
  writeWithCommit(tx, [...recordWrites(board), isAhead ? undefined : ledger, answersWrite(stored)]);
  return results;
}

function judgeAll(batch: Submission[], board: Board, found: Map<string, KeyLookup | undefined>): Outcome[] {
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

  return batch.map(({ message, key, trace }) => {
    try {
      const known = key && storedAnswer(key);
      if (known) return { known };
      board.tracedBy(trace);
      return { judgement: judge(board, message) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { refusal: error };
    }
  });
}

/** @param stored receives the answer when it is to be stored under the key */
function resultOf({ key, render, refuse }: Submission, outcome: Outcome, stored: KeptAnswer[]): Result {
  function kept(answer: StoredAnswer): Result {
    if (key) stored.push({ key, answer });
    return { answer: { ...answer, replayed: false } };
  }

  if ('known' in outcome) return { answer: outcome.known };
  if ('judgement' in outcome) return kept(render(outcome.judgement));
  const { refusal } = outcome;
  const stands = key && refusal.isResult && refusal.code !== 'idempotency_in_progress';
  return stands ? kept(refuse(refusal)) : { error: refusal };
}
