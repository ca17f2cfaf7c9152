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

/** Concurrent calls to Temporal: enough to hide the latency, few enough to leave room for workers. */
const CONCURRENCY = 16;
/** About four seconds of work for Temporal. Beyond it the relay is as fast. */
const QUEUE = 1_000;
/** Pause after Temporal was found away. The relay sends all commands meanwhile. */
const PAUSE_MS = 1_000;
/** Age from which a queued command is left to the relay, because step and call might outlast its lease. */
const TOO_LATE_MS = (HAND_OVER_SECONDS - 7) * 1000;
/** Accepted commands are deleted together: after this many, or after this time. */
const FORGET_ROWS = 100;
const FORGET_MS = 25;

/**
 * Takes the first step of a record in this process, so that its workflow may start asleep. Never throws, and answers
 * within two seconds.
 * @returns undefined when the workflow must take the step
 */
export type FirstStep = (command: WorkflowCommand) => Promise<Rest | undefined>;

export interface HandOverOptions {
  client: Client;
  database: Sql;
  log: Logger;
  /** Length of the queue. Further commands are left to the relay. */
  queueSize?: number;
  firstStep?: FirstStep;
  /** Address of the desk, for links to records. */
  deskUrl?: string | undefined;
  /** Called after each call without an answer. */
  onAway?: Presence['missed'];
}

export interface HandingOver extends HandOver {
  /** Stops accepting commands. Resolves when calls and deletions under way have ended. */
  stop(): Promise<void>;
}

/**
 * Sends commands to Temporal right after their commit. Never throws, never blocks and never exceeds its queue. The
 * relay sends commands that do not fit, come too late or fail.
 */
export function createHandOver(options: HandOverOptions): HandingOver {
  const { client, database, log, queueSize = QUEUE, firstStep, deskUrl, onAway } = options;
  const queue: { command: NumberedCommand; since: number }[] = [];
  const running = new Set<Promise<void>>();
  /** The last call for each workflow. The next call for the same workflow waits for it. */
  const telling = new Map<string, Promise<void>>();
  const taken = createForgetting(database, log);
  let pausedUntil = 0;
  let stopped = false;

  async function hand(command: NumberedCommand): Promise<void> {
    const rest = command.action === 'start' ? await firstStep?.(command) : undefined;
    const told = await tellTemporal(client, command, { rest, deskUrl });
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
    // After the caller's turn, so that its answer goes out first.
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
