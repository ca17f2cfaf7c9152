import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Sql } from '../db/database';
import {
  HAND_OVER_SECONDS,
  type HandOver,
  type NumberedCommand,
  type WorkflowCommand,
} from '../outbox/commands';
import { forgetTaken } from '../outbox/waiting-commands';
import type { Presence } from './presence';
import { type Rest, tellTemporal } from './send-command';

/** Calls to Temporal under way at once: enough to hide its latency, few enough to leave it room for workers. */
const CONCURRENCY = 16;
/** About four seconds' work for Temporal; beyond it the relay is as quick. */
const QUEUE = 1_000;
/** After Temporal was found away, everything is left to the relay for so long. */
const PAUSE_MS = 1_000;
/** The relay takes a command when its lease ends: what waits so long that step and call might outlast it is left to it. */
const TOO_LATE_MS = (HAND_OVER_SECONDS - 7) * 1000;
/** Rows of commands that were taken are deleted together: so many, or all after so long. */
const FORGET_ROWS = 100;
const FORGET_MS = 25;

/**
 * Takes the first step of what a workflow is to be started for, so that it may begin asleep. Never throws, and answers
 * within two seconds.
 * @returns nothing where the workflow is to take it
 */
export type FirstStep = (command: WorkflowCommand) => Promise<Rest | undefined>;

export interface HandOverOptions {
  client: Client;
  database: Sql;
  log: Logger;
  /** Commands that may wait; what comes on top of them is left to the relay. */
  queueSize?: number;
  firstStep?: FirstStep;
  /** Told of each call without an answer. */
  onAway?: Presence['missed'];
}

export interface HandingOver extends HandOver {
  /** Takes nothing more; ends when what is under way has been told and forgotten. */
  stop(): Promise<void>;
}

/**
 * Takes commands to Temporal as soon as they are committed. It never throws, never waits and never holds more than its
 * queue: what does not fit, comes too late or fails stays in its row, and the relay takes it.
 */
export function createHandOver(options: HandOverOptions): HandingOver {
  const { client, database, log, queueSize = QUEUE, firstStep, onAway } = options;
  const queue: { command: NumberedCommand; since: number }[] = [];
  const running = new Set<Promise<void>>();
  /** The last that is told of each workflow: what is told of it next comes after. */
  const telling = new Map<string, Promise<void>>();
  const taken = createForgetting(database, log);
  let pausedUntil = 0;
  let stopped = false;

  async function hand(command: NumberedCommand): Promise<void> {
    const rest = command.action === 'start' ? await firstStep?.(command) : undefined;
    const told = await tellTemporal(client, command, rest);
    if (told.outcome === 'taken') taken.add(command.number);
    else if (told.outcome === 'away') {
      log.debug({ reason: told.reason }, 'Temporal gave no answer; commands wait');
      void onAway?.();
      pausedUntil = Date.now() + PAUSE_MS;
      queue.length = 0;
    }
  }

  function work(): void {
    while (running.size < CONCURRENCY) {
      const next = queue.shift();
      if (!next) return;
      if (Date.now() - next.since > TOO_LATE_MS) continue;
      const { workflowId } = next.command;
      const before = telling.get(workflowId) ?? Promise.resolve();
      const task = before
        .then(() => hand(next.command))
        .finally(() => {
          running.delete(task);
          if (telling.get(workflowId) === task) telling.delete(workflowId);
          work();
        });
      running.add(task);
      telling.set(workflowId, task);
    }
  }

  const handOver: HandOver = (commands) => {
    const now = Date.now();
    if (stopped || now < pausedUntil) return;
    const due = commands.filter(({ afterSeconds }) => afterSeconds === undefined);
    for (const command of due.slice(0, queueSize - queue.length)) queue.push({ command, since: now });
    // Not in the caller's turn: its answer goes out first.
    setImmediate(work);
  };

  return Object.assign(handOver, {
    async stop() {
      stopped = true;
      queue.length = 0;
      await Promise.all(running);
      await taken.stop();
    },
  });
}

/** Deletes taken commands in batches. One that is not deleted goes to Temporal again, which does no harm. */
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
      () => log.warn({ commands: batch.length }, 'taken commands could not be deleted; they go again'),
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
