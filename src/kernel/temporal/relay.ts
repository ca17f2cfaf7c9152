import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../db/database';
import { existsSign, lookoutOf, NONE } from '../db/lookout';
import { inParallel } from '../in-parallel';
import type { NumberedCommand } from '../outbox/commands';
import { forgetTaken, leaseDue, type Refusal, recordRefusals, release } from '../outbox/waiting-commands';
import type { Presence } from './presence';
import { type Told, tellTemporal } from './send-command';

const BATCH = 100;
const CONCURRENCY = 16;
/** Longer than a batch usually takes. If one takes longer, another relay repeats the commands, which is idempotent. */
const LEASE_SECONDS = 30;
/** A busy outbox is read again at once. An empty one is left to the lookout of the process. */
const DUE = existsSign(
  'commands',
  `from workflow_commands where parked_at is null and due_at <= clock_timestamp()
     and (leased_until is null or leased_until <= clock_timestamp()) order by due_at`,
);
/** Pauses while Temporal or the database is away. */
const AWAY_MS = [250, 2_000] as const;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10 * 60_000;

export interface RelayOptions {
  client: Client;
  database: Database;
  log: Logger;
  /** Milliseconds until a refused command is retried. */
  retryInMs?: (attempts: number) => number;
  leaseSeconds?: number;
  /** Address of the desk, for links to records. */
  deskUrl?: string | undefined;
  /** Called after each call without an answer. */
  onAway?: Presence['missed'];
}

export interface Relay {
  /** Resolves when the current batch has been sent. */
  stop(): Promise<void>;
}

/**
 * Sends commands that the committing process did not: it died, found Temporal away, or had too many. Any number of
 * relays may run. No transaction is open during a call to Temporal. The relay keeps no position that a late commit
 * could fall behind, because a row stays until Temporal has accepted it.
 */
export function startRelay(options: RelayOptions): Relay {
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(): Promise<void> {
    const lookout = lookoutOf(options.database);
    let awayMs = 0;
    while (!stopping.signal.aborted) {
      const pass = await relayOnce(options).catch((error: Error) => {
        options.log.warn({ error: error.name }, 'the outbox could not be read; the relay waits');
        return 'away' as const;
      });
      awayMs = pass === 'away' ? between(AWAY_MS, awayMs * 2) : 0;
      if (pass === 'idle') await lookout.until(DUE, NONE, { signal: stopping.signal });
      if (pass === 'away') await pause(awayMs);
    }
  }

  const ended = run();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

const between = ([least, most]: readonly [number, number], ms: number) => Math.max(least, Math.min(ms, most));

/**
 * One pass: leases due commands, sends them, and records the outcome.
 * @returns `idle` when nothing was due, `away` when Temporal did not answer, else `busy`
 */
export async function relayOnce(options: RelayOptions): Promise<'busy' | 'idle' | 'away'> {
  const {
    client,
    database,
    log,
    onAway,
    deskUrl,
    retryInMs = defaultRetryInMs,
    leaseSeconds = LEASE_SECONDS,
  } = options;
  const commands = await leaseDue(database, BATCH, leaseSeconds);
  if (commands.length === 0) return 'idle';
  const result = await tellAll(commands, (command) => tellTemporal(client, command, { deskUrl }));
  await forgetTaken(database, result.taken);
  await release(database, result.untried);
  // The command without an answer goes to the back, because it may be the cause and must not hold up the others.
  await release(database, result.away, AWAY_MS[1]);
  const refusals = result.refused.map(({ command, reason }): Refusal => {
    return { number: command.number, retryInMs: retryInMs(command.attempts + 1), reason };
  });
  for (const number of await recordRefusals(database, refusals)) {
    log.error({ command: number }, 'Temporal refused a command for good; the command is parked');
  }
  if (result.away.length > 0) {
    log.debug({ reason: result.awayReason }, 'Temporal gave no answer; commands wait');
    void onAway?.();
    return 'away';
  }
  return 'busy';
}

interface Result {
  taken: string[];
  refused: { command: NumberedCommand; reason: string }[];
  away: string[];
  untried: string[];
  awayReason?: string;
}

/** Sends several commands for one workflow as one call, because many `look` commands gather during an outage. */
async function tellAll(
  commands: NumberedCommand[],
  tell: (command: NumberedCommand) => Promise<Told>,
): Promise<Result> {
  const result: Result = { taken: [], refused: [], away: [], untried: [] };
  await inParallel([...groupsOf(commands).values()], CONCURRENCY, async (group) => {
    if (result.away.length > 0) result.untried.push(...group.map((command) => command.number));
    else record(result, group, await tell(group[0] as NumberedCommand));
  });
  return result;
}

function record(result: Result, group: NumberedCommand[], told: Told): void {
  const numbers = group.map((command) => command.number);
  if (told.outcome === 'taken') result.taken.push(...numbers);
  else if (told.outcome === 'refused') {
    result.refused.push(...group.map((command) => ({ command, reason: told.reason })));
  } else {
    result.away.push(...numbers);
    result.awayReason = told.reason;
  }
}

function groupsOf(commands: NumberedCommand[]): Map<string, NumberedCommand[]> {
  const groups = new Map<string, NumberedCommand[]>();
  for (const command of commands) {
    const key = `${command.action} ${command.workflow} ${command.workflowId}`;
    const group = groups.get(key);
    if (group) group.push(command);
    else groups.set(key, [command]);
  }
  return groups;
}

/** Doubles from half a second to ten minutes, with jitter, so that refused commands do not return together. */
function defaultRetryInMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS) * (0.8 + Math.random() * 0.4);
}
