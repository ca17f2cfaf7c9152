import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from './db/database';

const EVERY_MS = 2_000;
/** A process without a beat for this time counts as stopped. */
const ALIVE_SECONDS = 10;
const FORGOTTEN_SECONDS = 60;

/** Share of the tenants' rate limits that one API process may use. */
export interface RateShare {
  /** From 0 to 1: one divided by the number of processes at the last beat. */
  share(): number;
  /** Announces this process and counts the others. If that fails, the share stays. */
  beat(): Promise<void>;
  /** Removes this process, so that the others take over its share at once. */
  leave(): Promise<void>;
}

/** Each beat is one statement. All processes use the database's clock. */
export function createRateShare(
  { database, log }: { database: Database; log: Logger },
  id: string = randomUUID(),
): RateShare {
  let processes = 1;

  async function announced(): Promise<number> {
    // Raw, because each part uses the database's clock. The statement does not see its own insert, so the process adds
    // itself.
    const [row] = await database.query<{ others: string }>(
      `with pruned as (
         delete from api_processes where id in (
           select id from api_processes where beat_at < clock_timestamp() - make_interval(secs => $3) for update skip locked)
       ), beat as (
         insert into api_processes (id, beat_at) values ($1, clock_timestamp())
         on conflict (id) do update set beat_at = excluded.beat_at
       )
       select count(*) as others from api_processes
        where id <> $1 and beat_at > clock_timestamp() - make_interval(secs => $2)`,
      [id, ALIVE_SECONDS, FORGOTTEN_SECONDS],
    );
    return Number(row?.others ?? 0) + 1;
  }

  return {
    share: () => 1 / processes,
    async beat() {
      try {
        processes = await announced();
      } catch (error) {
        log.debug(
          { error: (error as Error).name },
          'the share of the rate limit could not be read; the last one is kept',
        );
      }
    },
    async leave() {
      await database.query('delete from api_processes where id = $1', [id]).catch(() => undefined);
    },
  };
}

/** Beats until it is stopped. Resolves after the first beat. */
export async function keepRateShare(share: RateShare): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  await share.beat();
  const ended = (async () => {
    const { signal } = stopping;
    while (!signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await share.beat();
    }
    await share.leave();
  })();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
