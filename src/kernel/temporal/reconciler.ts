import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { WRITTEN } from '../db/commit-marks';
import type { Database, Sql } from '../db/database';
import { lookoutOf, type SignValue } from '../db/lookout';
import type { Commands, WorkflowCommand } from '../outbox/commands';
import { SHARDS } from '../outbox/events';
import { QUEUES, WATCHED_PARTIES, type WatchedParty } from '../outbox/queues';
import { PARTY_WORDS } from '../parties';
import type { Presence } from './presence';
import { ensureSchedules, SCHEDULES, type Schedule } from './schedules';
import { registerSearchAttributes } from './search-attributes';
import { tellTemporal } from './send-command';
import { STALE_MS } from './stale';

const EVERY_MS = 60_000;
/** Rounds between two looks at records while nothing is written and none was overdue lately. */
const QUIET_ROUNDS = 5;
const LIMIT = 1_000;
/** Advisory lock that admits one reconciler at a time, because concurrent rounds would only repeat each other. */
const LOCK = 7_204_120;

/** Records that a workflow drives to an end. */
export interface Reconcilable {
  /** For the log: `cards`. */
  name: string;
  /**
   * Commands for records that are not final and have not moved since `olderThan`, longest overdue first. `look` also
   * wakes a running workflow that missed a signal.
   * @param except ids of workflows that were told lately, so that they do not crowd out others
   */
  stale(sql: Sql, olderThan: Date, limit: number, except: string[]): Promise<WorkflowCommand[]>;
}

export interface ReconcilerOptions {
  client: Client;
  database: Database;
  commands: Commands;
  reconcilables: Reconcilable[];
  log: Logger;
  /** The product's time, in milliseconds since 1970. */
  now?: () => number;
  schedules?: readonly Schedule[];
  /** Parties whose lists are followed, all by default. */
  watched?: readonly WatchedParty[];
  /** Further workflows that never end, by the present records: the watchers of chains. */
  followers?: (sql: Sql) => Promise<WorkflowCommand[]>;
  /** Called after each part that failed. Failures are logged at `debug` while Temporal is away. */
  onAway?: Presence['missed'];
}

/**
 * Reconciles at its start and once a minute. Ensures search attributes, schedules and dispatchers in Temporal, and
 * restarts workflows of overdue records. Temporal may therefore lose its whole store without losing work.
 */
export function startReconciler(options: ReconcilerOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const reconcile = createReconciler(options);
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      await reconcile();
      await sleep(EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

/** One round. A part that fails does not stop the others and is retried in the next round. */
export function createReconciler(options: ReconcilerOptions): () => Promise<void> {
  const { client, log, reconcilables, schedules = SCHEDULES, now = Date.now } = options;
  const { watched = WATCHED_PARTIES, followers = async () => [], database, onAway } = options;
  const told = new Map<string, number>();
  let renewed = false;
  let quiet: { written: SignValue; rounds: number } | undefined;

  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const told = (await onAway?.()) ? 'debug' : 'warn';
      log[told]({ what, error: (error as Error).name }, 'could not be reconciled; retried in a minute');
    }
  }

  /** While nothing is written, only time makes a record overdue, and a quiet installation is looked at less often. */
  async function startAllStale(): Promise<void> {
    const written = await lookoutOf(database).value(WRITTEN);
    if (quiet && quiet.written === written && quiet.rounds < QUIET_ROUNDS) {
      quiet.rounds += 1;
      return;
    }
    let found = 0;
    let failed = 0;
    for (const reconcilable of reconcilables)
      await attempt(reconcilable.name, async () => {
        failed += 1;
        found += await startStale(options, reconcilable, told);
        failed -= 1;
      });
    quiet = found + failed + told.size === 0 ? { written, rounds: 1 } : undefined;
  }

  return async () => {
    for (const [id, at] of told) if (now() - at >= STALE_MS) told.delete(id);
    await attempt('overdue records', startAllStale);
    await attempt('search attributes', () => registerSearchAttributes(client));
    await attempt('schedules', async () => {
      renewed = (await ensureSchedules(client, schedules, !renewed)) || renewed;
    });
    await attempt('dispatchers', () => startAll(client, neverEnding(watched)));
    await attempt('followers', async () => startAll(client, await followers(database)));
  };
}

async function startStale(
  { database, commands, log, now = Date.now }: ReconcilerOptions,
  reconcilable: Reconcilable,
  told: Map<string, number>,
): Promise<number> {
  const stale = (sql: Sql) => reconcilable.stale(sql, new Date(now() - STALE_MS), LIMIT, [...told.keys()]);
  if ((await stale(database)).length === 0) return 0;
  const found = await database.transaction(async (tx) => {
    const [lock] = await tx.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [LOCK]);
    if (!lock?.held) return [];
    const candidates = await stale(tx);
    const fresh = candidates.filter(({ workflowId }) => !told.has(workflowId));
    const waiting = await alreadyWaiting(tx, fresh);
    const missing = fresh.filter(({ workflowId }) => !waiting.has(workflowId));
    commands.append(tx, missing);
    return missing;
  });
  for (const { workflowId } of found) told.set(workflowId, now());
  if (found.length > 0)
    log.warn({ what: reconcilable.name, records: found.length }, 'overdue records were started again');
  return found.length;
}

/** Workflows that already have a command, waiting or parked. A parked command waits for the operator. */
async function alreadyWaiting(sql: Sql, commands: WorkflowCommand[]): Promise<Set<string>> {
  if (commands.length === 0) return new Set();
  const rows = await sql.query<{ workflow_id: string }>(
    'select distinct workflow_id from workflow_commands where workflow_id = any($1)',
    [commands.map(({ workflowId }) => workflowId)],
  );
  return new Set(rows.map((row) => row.workflow_id));
}

/**
 * Starts the workflows that never end. They are started directly, because no record exists for them. A refusal does not
 * stop the others, but an absence of Temporal does.
 */
async function startAll(client: Client, commands: readonly WorkflowCommand[]): Promise<void> {
  const refused: string[] = [];
  for (const command of commands) {
    const told = await tellTemporal(client, command);
    if (told.outcome === 'away') throw new Error(told.reason);
    if (told.outcome === 'refused') refused.push(told.reason);
  }
  if (refused.length > 0) throw new Error(refused.join('; '));
}

/** Workflows that never end: one per shard of webhook endpoints, and one per party whose list is followed. */
export const neverEnding = (watched: readonly WatchedParty[]): WorkflowCommand[] => [
  ...dispatchers(),
  ...watchers(watched),
];

/** Workflows that follow a party's list of changes. */
const watchers = (watched: readonly WatchedParty[]): WorkflowCommand[] =>
  watched.map((party) => ({
    workflow: 'partyWatcher',
    workflowId: `party-watcher-${party}`,
    taskQueue: QUEUES.processes,
    action: 'start',
    args: [party],
    summary: `Follows the list of changes of ${PARTY_WORDS[party]}`,
  }));

export function dispatchers(): WorkflowCommand[] {
  return Array.from({ length: SHARDS }, (_, shard) => ({
    workflow: 'webhookDispatcher',
    workflowId: `webhook-dispatcher-${shard}`,
    taskQueue: QUEUES.webhooks,
    action: 'start',
    args: [{ shard }],
    summary: `Delivers webhooks, shard ${shard} of ${SHARDS}`,
  }));
}
