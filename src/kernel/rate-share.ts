import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from './db/database';

const EVERY_MS = 2_000;
/** A process that has not been heard of for so long serves no more. */
const ALIVE_SECONDS = 10;
const FORGOTTEN_SECONDS = 60;

/** What part of the tenants' rate limits one API process has. */
export interface RateShare {
  /** From 0 to 1: one part of as many as there are processes, as it was read last. */
  share(): number;
  /** Says that this process serves, and reads how many do. Where it cannot, the share stays. */
  beat(): Promise<void>;
  /** Says that it serves no more, so that the others have its share at once. */
  leave(): Promise<void>;
}

/** One statement a beat. All processes go by the database's clock. */
export function createRateShare(
  { database, log }: { database: Database; log: Logger },
  id: string = randomUUID(),
): RateShare {
  let processes = 1;

  async function announced(): Promise<number> {
    // Raw: each part by the database's clock. It does not see its own row: the process itself is counted beside the others.
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
          'the share of the rate limit could not be read: it stays',
        );
      }
    },
    async leave() {
      await database.query('delete from api_processes where id = $1', [id]).catch(() => undefined);
    },
  };
}

/** Beats until it is stopped. The first beat has been made when it resolves. */
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
