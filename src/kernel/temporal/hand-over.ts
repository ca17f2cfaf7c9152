import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Sql } from '../db/database';
import {
  HAND_OVER_SECONDS,
  type HandedCommand,
  type HandOver,
  type NumberedCommand,
  type WorkflowCommand,
} from '../outbox/commands';
import { forgetTaken } from '../outbox/waiting-commands';
import { continuedTrace } from '../tracing/trace';
import type { Presence } from './presence';
import { type Rest, tellTemporal } from './send-command';

/** Concurrent calls to Temporal: enough to hide the latency, few enough to leave room for workers. */
const CONCURRENCY = 16;
/** About four seconds of work for Temporal. Beyond it the relay is as fast. */
const QUEUE = 1_000;
/** Pause after Temporal was found away. The relay sends all commands meanwhile. */
const PAUSE_MS = 1_000;
const LEASE_MS = HAND_OVER_SECONDS * 1000;
/** Age from which a queued command is left to the relay, because step, hold and call might outlast its lease. */
const TOO_LATE_MS = LEASE_MS - 9_000;
/** Accepted commands are deleted together: after this many, or after this time. */
const FORGET_ROWS = 100;
const FORGET_MS = 25;

/**
 * How long the start of a resting workflow is held after its first step. Many parties decide within it. Their reports then cost
 * Temporal nothing, because this process takes these steps too. Longer, and workflows would be missed in Temporal's UI.
 */
const HOLD_MS = 1_000;

/**
 * Takes a step of a new record in this process, so that its workflow may start asleep, or when the record has ended. Never
 * throws, and answers within two seconds.
 * @param isLeased false once a relay may have the command. The step then commits nothing, because nobody would tell the
 *   workflow that the relay has started
 * @returns undefined when the workflow must take the step
 */
export type FirstStep = (command: WorkflowCommand, isLeased: () => boolean) => Promise<Rest | undefined>;

export interface HandOverOptions {
  client: Client;
  database: Sql;
  log: Logger;
  /** Length of the queue. Further commands are left to the relay. */
  queueSize?: number;
  firstStep?: FirstStep;
  /** Milliseconds for which a start is held after its first step. */
  holdMs?: number;
  /** Address of the desk, for links to records. */
  deskUrl?: string | undefined;
  /** Called after each call without an answer. */
  onAway?: Presence['missed'];
}

export interface HandingOver extends HandOver {
  /** Stops accepting commands and sends held starts. Resolves when calls and deletions under way have ended. */
  stop(): Promise<void>;
}

/** A start whose record waits for a report. */
interface Held {
  start: HandedCommand;
  /** Undefined after a step that has failed. */
  rest: Rest | undefined;
  /** Signals that this process has answered by a step. */
  looks: HandedCommand[];
  timer: NodeJS.Timeout;
}

/**
 * Sends commands to Temporal right after their commit. Never throws, never blocks and never exceeds its queue. The
 * relay sends commands that do not fit, come too late or fail.
 */
export function createHandOver(options: HandOverOptions): HandingOver {
  const { client, database, log, queueSize = QUEUE, firstStep, deskUrl, onAway, holdMs = HOLD_MS } = options;
  const held = new Map<string, Held>();
  const taken = createForgetting(database, log);
  const tasks = createTasks();
  let pausedUntil = 0;
  let stopped = false;

  /** @returns undefined when Temporal does not have the command */
  async function tell(command: NumberedCommand, rest?: Rest): Promise<'new' | 'found' | undefined> {
    const told = await tellTemporal(client, command, { rest, deskUrl });
    if (told.outcome === 'taken') taken.add(command.number);
    else if (told.outcome === 'away') {
      log.debug({ reason: told.reason }, 'Temporal gave no answer; commands wait');
      void onAway?.();
      pausedUntil = Date.now() + PAUSE_MS;
      tasks.drop();
      for (const { timer } of held.values()) clearTimeout(timer);
      held.clear();
    }
    return told.outcome === 'taken' ? (told.found ? 'found' : 'new') : undefined;
  }

  function hold(start: HandedCommand, rest: Rest, until: Date): void {
    const { workflowId } = start;
    const release = () => tasks.add(workflowId, () => unhold(workflowId));
    const timer = setTimeout(release, Math.min(holdMs, until.getTime() - Date.now()));
    held.set(workflowId, { start, rest, looks: [], timer });
  }

  /**
   * Sends the start. When this process was frozen for longer than its lease, the relay has started the workflow already.
   * The running workflow lacks the steps of this process, so one signal follows.
   */
  async function unhold(workflowId: string): Promise<void> {
    const known = held.get(workflowId);
    if (!known) return;
    const { start, rest, looks, timer } = known;
    clearTimeout(timer);
    held.delete(workflowId);
    let told = await tell(start, rest);
    if (told === 'found' && looks[0]) told = await tell(looks[0]);
    if (told) for (const { number } of looks) taken.add(number);
  }

  const step = async (command: HandedCommand) => firstStep?.(command, () => ageOf(command) < LEASE_MS);

  async function start(command: HandedCommand): Promise<void> {
    const rest = await step(command);
    if (rest?.until && !stopped) hold(command, rest, rest.until);
    else await tell(command, rest);
  }

  async function look(command: HandedCommand): Promise<void> {
    const { workflowId } = command;
    const known = held.get(workflowId);
    const rest = known && (await step(command));
    // The start may have been dropped meanwhile, because Temporal is away.
    if (!known || !held.has(workflowId)) {
      await tell(command);
      return;
    }
    known.looks.push(command);
    known.rest = rest;
    // A workflow that starts awake looks anyway.
    if (!rest?.until || stopped) await unhold(workflowId);
  }

  const handOver: HandOver = (commands) => {
    if (stopped || Date.now() < pausedUntil) return;
    const due = commands.filter(({ afterSeconds }) => afterSeconds === undefined);
    for (const command of due.slice(0, Math.max(0, queueSize - tasks.waiting())))
      tasks.add(command.workflowId, async () => {
        if (ageOf(command) > TOO_LATE_MS) return;
        await continuedTrace(command.traceparent, () => (command.action === 'start' ? start : look)(command));
      });
  };

  return Object.assign(handOver, {
    async stop() {
      stopped = true;
      tasks.drop();
      for (const workflowId of held.keys()) tasks.add(workflowId, () => unhold(workflowId));
      await tasks.ended();
      await taken.stop();
    },
  });
}

const ageOf = ({ appendedAt }: HandedCommand): number => performance.now() - appendedAt;

/** Runs tasks, some at once, but those of one workflow one after the other. */
function createTasks() {
  const queue: { workflowId: string; work: () => Promise<void> }[] = [];
  const running = new Set<Promise<void>>();
  /** The last task of each workflow. The next one waits for it. */
  const last = new Map<string, Promise<void>>();

  function work(): void {
    while (running.size < CONCURRENCY) {
      const next = queue.shift();
      if (!next) return;
      const { workflowId } = next;
      const before = last.get(workflowId) ?? Promise.resolve();
      const task = before.then(next.work).finally(() => {
        running.delete(task);
        if (last.get(workflowId) === task) last.delete(workflowId);
        work();
      });
      running.add(task);
      last.set(workflowId, task);
    }
  }

  return {
    waiting: () => queue.length,
    /** @param task never throws */
    add(workflowId: string, task: () => Promise<void>): void {
      queue.push({ workflowId, work: task });
      // After the caller's turn, so that its answer goes out first.
      setImmediate(work);
    },
    drop(): void {
      queue.length = 0;
    },
    async ended(): Promise<void> {
      for (work(); running.size > 0; ) await Promise.all(running);
    },
  };
}

/** Deletes accepted commands in batches. A command that is not deleted is sent again, which is idempotent. */
function createForgetting(database: Sql, log: Logger) {
  let numbers: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = numbers;
    numbers = [];
    last = Promise.all([last, forgetTaken(database, batch)]).then(
      () => undefined,
      () =>
        log.warn({ commands: batch.length }, 'accepted commands could not be deleted; they are sent again'),
    );
  }

  return {
    add(number: string): void {
      numbers.push(number);
      if (numbers.length >= FORGET_ROWS) flush();
      else timer ??= setTimeout(flush, FORGET_MS);
    },
    async stop(): Promise<void> {
      flush();
      await last;
    },
  };
}
