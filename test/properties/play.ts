import type { Message } from '../../src/cards/events/record';
import type { TestApi } from '../support/api';
import { bufferedOperation, isBuffered, type KnownQuote } from './buffered-operations';
import type { Market } from './market';
import { isMessage, type MessageOperation, messageOf, type Picked, short, textOf } from './messages';
import { otherOperation } from './other-operations';
import type { Processor } from './processor';
import type { AgainOperation, Operation, Script } from './script';
import { type Answer, createSubmit, keyFor, type Submit } from './submit';
import type { World } from './world';

/** A request with an idempotency key, and all its answers. */
export interface Submission {
  key: string;
  text: string;
  message: Message;
  answers: Answer[];
}

type HeardMessage = Extract<Message, { type: 'network' }>;

/** The requests and answers of a script, during and after its run. */
export interface Played {
  world: World;
  /** The script as text, a line for each operation. */
  lines: string[];
  /** Forbidden outcomes: an unexpected error, access by another tenant, two effects under one key. */
  faults: string[];
  /** The ids of the card events in the answers. */
  told: Set<string>;
  /** Newest first. */
  submissions: Submission[];
  /** Quotes, and the ids of accepted operations. Both lists begin with the newest. */
  quotes: KnownQuote[];
  operations: string[];
  /** The messages of card networks, each with its first answer. */
  heard: { text: string; message: HeardMessage; answer: Answer }[];
  /** By card, the references of its chains: first those of authorizations, with the newest one first. */
  references: Map<string, string[]>;
  /** Counts of all operations, and of the refused or declined ones. */
  done: number;
  refused: number;
}

export interface Stage {
  api: TestApi;
  market: Market;
  processor: Processor;
  submit: Submit;
}

export const createStage = (api: TestApi, market: Market, processor: Processor): Stage => ({
  api,
  market,
  processor,
  submit: createSubmit(api.services),
});

/** The result of an operation, kept after its whole wave. */
interface Result {
  text: string;
  answers: Answer[];
  cardId?: string;
  stranger?: boolean;
  message?: Message;
  submission?: Submission;
  quotes?: KnownQuote[];
  operations?: string[];
  fault?: string;
}

/**
 * Plays wave after wave, and stops after a wave with a problem. The operations of a wave run at once.
 * @param between checks the world after each wave and returns the problems
 */
export async function play(
  stage: Stage,
  world: World,
  script: Script,
  between: (wave: number) => Promise<string[]>,
): Promise<Played> {
  const played: Played = {
    world,
    lines: [],
    faults: [],
    told: new Set(),
    submissions: [],
    quotes: [],
    operations: [],
    heard: [],
    references: new Map(),
    done: 0,
    refused: 0,
  };
  for (const [number, wave] of script.entries()) {
    await playWave(stage, played, wave, number + 1);
    played.faults.push(...(await between(number + 1)));
    if (played.faults.length > 0) break;
  }
  return played;
}

export async function playWave(
  stage: Stage,
  played: Played,
  wave: Operation[],
  number: number,
): Promise<void> {
  for (const operation of wave) if (operation.do === 'market') stage.market.moveTo(operation.epoch);
  const results = await Promise.all(
    wave.map((operation, index) => run(stage, played, operation, `${number}.${index}`)),
  );
  for (const [index, result] of results.entries()) keep(played, result, `${number}${letter(index)}`);
}

const letter = (index: number): string =>
  (index >= 26 ? letter(Math.floor(index / 26) - 1) : '') + String.fromCharCode(97 + (index % 26));

async function run(stage: Stage, played: Played, operation: Operation, name: string): Promise<Result> {
  try {
    if (operation.do === 'market')
      return { text: `the market moves to epoch ${operation.epoch}`, answers: [] };
    if (operation.do === 'again') return await again(stage, played, operation);
    if (isMessage(operation)) return await send(stage, played, operation, name);
    if (isBuffered(operation)) return await bufferedOperation(stage, played, operation, name);
    return await otherOperation(stage, played.world, played.references, operation);
  } catch (error) {
    return { text: operation.do, answers: [], fault: String((error as Error).stack ?? error) };
  }
}

async function send(
  stage: Stage,
  played: Played,
  operation: MessageOperation,
  name: string,
): Promise<Result> {
  const picked: Picked = messageOf(played.world, played.references, operation);
  const text = textOf(played.world, picked, operation);
  const { message } = picked;
  const { stranger } = operation;
  const result: Result = { text, answers: [], cardId: message.cardId, stranger, message };
  try {
    if (operation.keyed === 0) {
      result.answers.push(await stage.submit(operation.via, message));
      return result;
    }
    const key = `${played.world.tenants[0]}-${name}`;
    const keyed = { ...message, idempotencyKey: key };
    const twins = Array.from({ length: operation.keyed }, () =>
      stage.submit(operation.via, keyed, keyFor(keyed, key)),
    );
    result.answers = await Promise.all(twins);
    result.submission = { key, text, message: keyed, answers: [] };
  } catch (error) {
    result.fault = String((error as Error).stack ?? error);
  }
  return result;
}

async function again(stage: Stage, played: Played, { of, via, altered }: AgainOperation): Promise<Result> {
  const submission = played.submissions[of % Math.max(played.submissions.length, 1)];
  if (!submission) return { text: 'again: nothing to repeat', answers: [] };
  const { message, key } = submission;
  const text = `again${altered ? ', altered' : ''} (${submission.text})`;
  const result: Result = { text, answers: [], cardId: message.cardId, message, submission };
  try {
    result.answers.push(await stage.submit(via, message, keyFor(message, key, altered)));
  } catch (error) {
    result.fault = String((error as Error).stack ?? error);
  }
  return result;
}

function keep(played: Played, result: Result, name: string): void {
  const { text, answers, cardId, submission, fault } = result;
  played.lines.push(
    `${name.padEnd(4)} ${text} → ${fault ? 'FAULT' : answers.map(toldAs).join(' | ') || 'done'}`,
  );
  if (fault) played.faults.push(`${name} ${text}: ${fault}`);
  for (const answer of answers) keepAnswer(played, answer, cardId);
  if (
    result.stranger &&
    answers.some(({ status, code }) => status !== 404 && code !== 'idempotency_in_progress')
  )
    played.faults.push(`${name} ${text}: a stranger was not told 404`);
  played.quotes.unshift(...(result.quotes ?? []));
  played.operations.unshift(...(result.operations ?? []).filter((id) => !played.operations.includes(id)));
  if (result.message?.type === 'network') keepHeard(played, result.message, result);
  if (!submission) return;
  submission.answers.push(...answers);
  if (!played.submissions.includes(submission)) played.submissions.unshift(submission);
}

function keepAnswer(played: Played, answer: Answer, cardId: string | undefined): void {
  const { status, transactionId, type, opens, referenceId, replayed } = answer;
  if (replayed) return;
  if (status < 300 && type !== 'decline') played.done += 1;
  else played.refused += 1;
  if (transactionId) played.told.add(transactionId);
  if (!cardId || !opens || !referenceId) return;
  const known = played.references.get(cardId) ?? [];
  if (known.includes(referenceId)) return;
  // Messages mostly name an authorization, the newest first. A later event of the chain can name the chain, too.
  played.references.set(cardId, type === 'authorization' ? [referenceId, ...known] : [...known, referenceId]);
}

function keepHeard(played: Played, message: HeardMessage, { text, answers }: Result): void {
  const first = answers.filter(({ replayed }) => !replayed);
  played.heard.push(...first.map((answer) => ({ text, message, answer })));
}

function toldAs({ status, code, type, reason, billing, referenceId, replayed }: Answer): string {
  const told =
    code ??
    (type ? [type, reason, billing, referenceId && short(referenceId)].filter(Boolean).join(' ') : 'done');
  return `${status} ${told}${replayed ? ' (replayed)' : ''}`;
}
