import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Sql } from '../../../kernel/db/database';
import { giveLeases, type Lease, renewLeases } from './leases-store';
import { createRounds } from './rounds';

/** Another process may take a shard whose lease was not renewed for this long, by the clock of Postgres. Milliseconds. */
export const SHARD_LEASE_MS = 15_000;
const RENEW_MS = 3_000;
/** Pause before a workflow asks again for a shard that another process holds. Milliseconds. */
const ASK_AGAIN_MS = 1_000;
/** A process counts its own lease as over earlier than others do. Milliseconds. */
const MARGIN_MS = 1_000;

/** The shards' leases in one process. */
export interface Leases {
  /** Fencing number under which this process may claim, send and record now. Undefined without a valid lease. */
  fence(shard: number): number | undefined;
  /** Whether this process took over the shard without a workflow and nobody has asked for it since. */
  standsIn(shard: number): boolean;
  /** Shards whose lease this process may still hold in Postgres. */
  held(): number[];
  /** Takes leases of shards that workflows have begun to want, as soon as possible. */
  ask(): void;
  /** Gives back leases that no workflow wants, so that another process can take them at once. */
  give(shards: number[]): Promise<void>;
  /** Begins to take over shards that nobody delivers. */
  standIn(): void;
  /** Ends the taking over. The shards that it brought are to be given back. */
  endStandIn(): void;
}

export interface LeasesDeps {
  database: Sql;
  log: Logger;
  standInAfterMs?: number | undefined;
  /** Milliseconds of the process's monotonic clock. */
  clock?: () => number;
  /** Shards that workflows want this process to deliver. */
  wanted(): number[];
  /** Called after each look at the leases, and after some were given back. `taken`: shards that this process did not hold before. */
  onLook(taken: number[]): void;
}

interface Held {
  fence: number;
  /** Milliseconds of the process's monotonic clock. */
  validUntil: number;
  standsIn: boolean;
}

/**
 * Keeps the leases of this process in Postgres. Renews them every three seconds, and takes free ones that a workflow
 * wants. While the process stands in, also takes old ones that nobody renews. A lost lease is dropped.
 *
 * Two clocks hold. Others take a lease by the clock of Postgres, 15 s after its renewal. The holder stops by its own
 * monotonic clock, a second earlier and counted from before the renewal was sent. A process that was stopped for longer
 * therefore knows at once that it may no longer send, and Postgres refuses its claims and outcomes by their number.
 */
export function createLeases(deps: LeasesDeps): Leases {
  const { database, log, wanted, onLook, standInAfterMs = SHARD_LEASE_MS } = deps;
  const { clock = () => performance.now() } = deps;
  const holder = `${hostname()} ${process.pid} ${randomBytes(4).toString('hex')}`;
  const leases = new Map<number, Held>();
  let standsInFrom: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;

  const rounds = createRounds(() => alone(look));

  async function look(): Promise<void> {
    const began = clock();
    const wishes = wanted();
    if (wishes.length === 0 && leases.size === 0 && standsInFrom === undefined) {
      clearInterval(timer);
      timer = undefined;
      return onLook([]);
    }
    try {
      const standsIn = standsInFrom !== undefined && began >= standsInFrom;
      const found = await renewLeases(database, {
        holder,
        wanted: wishes,
        standsIn,
        leaseMs: SHARD_LEASE_MS,
      });
      onLook(keep(found, began));
    } catch (error) {
      log.warn({ cause: (error as Error).message }, 'leases of webhook shards could not be renewed');
      onLook([]);
    }
    // Neither timer keeps a process alive, because the renewal of leases is no work of its own.
    timer ??= setInterval(() => rounds.ask(), RENEW_MS).unref();
    clearTimeout(again);
    if (wishes.some((shard) => !leases.has(shard)))
      again = setTimeout(() => rounds.ask(), ASK_AGAIN_MS).unref();
  }

  /** Statements on leases go one after another, so that no renewal overtakes the giving back of the same lease. */
  let last: Promise<void> = Promise.resolve();
  function alone(work: () => Promise<void>): Promise<void> {
    last = last.then(work);
    return last;
  }

  async function giveBack(shards: number[]): Promise<void> {
    const wishes = wanted();
    const given = shards.flatMap((shard) => {
      const held = leases.get(shard);
      return held && !wishes.includes(shard) ? [{ shard, fence: held.fence }] : [];
    });
    if (given.length === 0) return;
    for (const { shard } of given) leases.delete(shard);
    await giveLeases(database, given).catch((error: Error) =>
      log.debug({ cause: error.message }, 'leases of webhook shards were not given back; they run out'),
    );
    onLook([]);
  }

  /** @returns shards that this process did not hold before */
  function keep(found: Lease[], began: number): number[] {
    const isHeld = new Map(found.filter(({ isOurs }) => isOurs).map((lease) => [lease.shard, lease]));
    const lost = [...leases.keys()].filter((shard) => !isHeld.has(shard));
    for (const shard of lost) leases.delete(shard);
    if (lost.length > 0) log.warn({ shards: lost }, 'another process has taken over webhook shards');
    const taken: number[] = [];
    for (const { shard, fence, standsIn, isWanted } of isHeld.values()) {
      if (leases.get(shard)?.fence !== fence) taken.push(shard);
      const validUntil = began + SHARD_LEASE_MS - MARGIN_MS;
      leases.set(shard, { fence, validUntil, standsIn: standsIn && !isWanted });
    }
    const instead = taken.filter((shard) => leases.get(shard)?.standsIn);
    if (instead.length > 0)
      log.warn({ shards: instead }, 'webhook shards that no workflow delivered were taken over');
    return taken;
  }

  return {
    fence(shard) {
      const held = leases.get(shard);
      return held && held.validUntil > clock() ? held.fence : undefined;
    },
    standsIn: (shard) => standsInFrom !== undefined && leases.get(shard)?.standsIn === true,
    held: () => [...leases.keys()],
    ask: () => rounds.ask(),
    give: (shards) => alone(() => giveBack(shards)),
    standIn() {
      standsInFrom ??= clock() + standInAfterMs; // workflows come first after a start
      rounds.ask();
    },
    endStandIn() {
      standsInFrom = undefined;
    },
  };
}
