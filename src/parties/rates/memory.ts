import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { unavailable } from '../../kernel/errors';
import { PartyAway } from '../../process/party-errors';
import { type DroppedRate, type Rate, type RateSource, type RefreshedRates, UnreadableRates } from './port';
import { rateIn, rateOfItself, type Snapshot } from './snapshot';

export interface RatesOptions {
  log: Logger;
  /** Called for each answer, or row of an answer, that is dropped. */
  observeUnusable?: (what: 'rate_row' | 'rates' | 'rates_time') => void;
  now?: () => Date;
  /** Stores each accepted snapshot. @param freshUntil null: the snapshot never expires */
  keep?: (snapshot: Snapshot, freshUntil: Date | null) => Promise<void>;
  /** Greatest age of usable rates. The default of 60 suits a live feed; a daily file has five days. */
  maxAgeSeconds?: number;
  everyMs?: number;
  /** Delay after a failure, doubled with each up to `everyMs`. Short, because the party may start when we do. */
  retryMs?: number;
}

const MAX_AGE_SECONDS = 60;
const EVERY_MS = 10_000;
const RETRY_MS = 200;
/** How far the party's clock may be ahead of ours. */
const AHEAD_MS = 5_000;
/** Consecutive failures before a log line. Fewer are normal while we or the party start. */
const TOLD_FAILURES = 4;

/** Keeps one party's rates in memory and refreshes them in the background, with one request at a time. */
export function createRates(source: RateSource, options: RatesOptions): RefreshedRates {
  const { now = () => new Date(), maxAgeSeconds = MAX_AGE_SECONDS } = options;
  const take = createTaking(source, { ...options, now });
  let held: Snapshot | undefined;
  let asking: Promise<boolean> | undefined;
  let keeping: Promise<void> | undefined;
  let loop: { stop(): Promise<void> } | undefined;

  const isFresh = ({ asOf }: Pick<Snapshot, 'asOf'>) =>
    now().getTime() - asOf.getTime() <= maxAgeSeconds * 1000;

  /** @returns whether the party has given rates */
  function refresh(): Promise<boolean> {
    asking ??= take(held)
      .then((taken) => {
        held = taken ?? held;
        if (taken) keeping = keepTaken(taken);
        return taken !== undefined;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  }

  /** Failing to store rates does not stop their use. */
  async function keepTaken(taken: Snapshot): Promise<void> {
    const freshUntil = Number.isFinite(maxAgeSeconds)
      ? new Date(taken.asOf.getTime() + maxAgeSeconds * 1000)
      : null;
    await options.keep?.(taken, freshUntil).catch((error: unknown) => {
      options.log.warn({ party: 'rates', err: error }, 'rates could not be kept');
    });
  }

  const heldRate = (from: string, to: string) =>
    from === to ? rateOfItself(from, now()) : held && rateIn(held, from, to);
  const isDealtOn = ({ from, to, asOf }: Rate) => from === to || isFresh({ asOf });

  return {
    rate(from, to) {
      const rate = heldRate(from, to);
      if (!rate) throw unavailable(`There is no rate from ${from} to ${to}.`);
      if (!isDealtOn(rate)) throw unavailable(`The rate from ${from} to ${to} is too old.`);
      return rate;
    },
    worth(from, to) {
      const rate = heldRate(from, to);
      return rate && isDealtOn(rate) ? rate.mid : undefined;
    },
    snapshot() {
      if (!held) throw unavailable('There are no rates.');
      if (!isFresh(held)) throw unavailable('The rates are too old.');
      return held;
    },
    async ready() {
      if (!held || !isFresh(held)) await refresh();
      await keeping;
    },
    start() {
      loop ??= startLoop(refresh, options);
    },
    async stop() {
      await loop?.stop();
      await keeping;
      loop = undefined;
    },
  };
}

/** Reads the source. @returns an acceptable snapshot, or undefined */
function createTaking(source: RateSource, { log, observeUnusable, now }: RatesOptions & { now: () => Date }) {
  let failures = 0;

  /** Accepts the same moment again, because a source may not have moved. */
  function isTaken({ asOf }: Snapshot, held: Snapshot | undefined): boolean {
    return asOf.getTime() <= now().getTime() + AHEAD_MS && (!held || asOf >= held.asOf);
  }

  function tellDropped(dropped: readonly DroppedRate[]): void {
    if (dropped.length === 0) return;
    for (const _ of dropped) observeUnusable?.('rate_row');
    log.warn({ party: 'rates', dropped: dropped.slice(0, 20), count: dropped.length }, 'rates were dropped');
  }

  return async (held: Snapshot | undefined): Promise<Snapshot | undefined> => {
    try {
      const { snapshot, dropped } = await source.read();
      tellDropped(dropped);
      if (!isTaken(snapshot, held)) {
        observeUnusable?.('rates_time');
        log.warn({ party: 'rates', asOf: snapshot.asOf }, 'rates with an impossible time were rejected');
        return undefined;
      }
      if (failures >= TOLD_FAILURES) log.info({ party: 'rates' }, 'rates are available again');
      failures = 0;
      return snapshot;
    } catch (error) {
      failures += 1;
      if (error instanceof UnreadableRates) observeUnusable?.('rates');
      if (failures === TOLD_FAILURES || !(error instanceof PartyAway))
        log.warn({ party: 'rates', err: error }, 'rates are unavailable; the next attempt follows');
      return undefined;
    }
  };
}

function startLoop(
  refresh: () => Promise<boolean>,
  { everyMs = EVERY_MS, retryMs = RETRY_MS }: RatesOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = new Promise<false>((resolve) => signal.addEventListener('abort', () => resolve(false)));
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  const ended = (async () => {
    for (let failures = 0; !signal.aborted; ) {
      failures = (await Promise.race([refresh(), stopped])) ? 0 : failures + 1;
      await pause(failures === 0 ? everyMs : Math.min(retryMs * 2 ** (failures - 1), everyMs));
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
