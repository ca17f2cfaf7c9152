import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  findMarks,
  forgetOldMarks,
  type KnownMark,
  lossOf,
  setMark,
  WRITTEN,
} from '../kernel/db/commit-marks';
import { isAway } from '../kernel/db/faults';
import { lookoutOf } from '../kernel/db/lookout';
import { makeFolder } from '../kernel/folders';
import type { Services } from '../services';
import { noteLostCommits } from '../watch/lost-commits';
import { readState, writeState } from './embedded/state-file';
import { repeatedly } from './embedded/supervise';

/** Least interval of marks. Only commits since the last mark may be lost unnoticed, and only where no timeline tells of them. */
const EVERY_MS = 1_000;
/** Longest interval. Work that {@link WRITTEN} does not show is marked by it alone. */
const LATEST_MS = 20_000;
/** The memory of a process in DATA_DIR, so that a loss is also noticed after a restart. */
const FILE = 'commits.json';

type Watched = Pick<Services, 'database' | 'log' | 'now'>;

/**
 * Marks the database a second after the last mark when something was written since, else every twenty seconds. Begins the recovery when
 * commits were lost. The first look is over when this resolves, unless Postgres is away.
 * @returns ends the watch
 */
export async function keepCommitWatch(
  services: Watched,
  dataDir: string,
  everyMs = EVERY_MS,
): Promise<{ end(): Promise<void> }> {
  const path = join(dataDir, FILE);
  const watch = createCommitWatch(services, await readState<KnownMark>(path).catch(() => undefined), {
    keep: keeperOf(path, services.log),
  });
  // Where the folder cannot be made, the first mark that cannot be kept tells so.
  await makeFolder('DATA_DIR', dataDir).catch(() => undefined);
  const lookout = lookoutOf(services.database);
  await watch.turn();
  const loop = repeatedly(async (signal) => {
    const before = await lookout.value(WRITTEN).catch(() => null);
    await watch.turn();
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    await lookout.until(WRITTEN, before, { signal, mostMs: LATEST_MS });
    return 0;
  });
  return { end: () => loop.end() };
}

/** Keeps a mark in the file. A process that cannot keep it remembers in memory alone, and warns once. */
function keeperOf(path: string, log: Logger): (mark: KnownMark) => Promise<void> {
  let warned = false;
  return (mark) =>
    writeState(path, mark).catch((error: unknown) => {
      if (!warned)
        log.warn(
          { path, err: error },
          'DATA_DIR cannot be written to: after a restart this worker notices no loss of commits',
        );
      warned = true;
    });
}

/** @param remembered the last confirmed mark of an earlier run */
export function createCommitWatch(
  { database, log, now }: Watched,
  remembered: KnownMark | undefined,
  { keep }: { keep(mark: KnownMark): Promise<void> },
) {
  let known = remembered;
  let isClean = false;
  const fresh = { process: randomUUID(), number: 0 };

  async function look(): Promise<void> {
    const { process } = known ?? fresh;
    const found = await findMarks(database, process);
    const loss = known && lossOf(found, known);
    if (loss) {
      const isFirst = await noteLostCommits(database, loss, now());
      log.error(
        { ...loss, isFirst },
        'commits were lost: parties and chains are asked again, and a break is open',
      );
    }
    known = await setMark(database, known ?? fresh, found);
    await keep(known);
    if (!isClean) await forgetOldMarks(database);
    isClean = true;
  }

  return {
    /** One look and one mark. Waits for the next turn when Postgres is away. */
    async turn(): Promise<void> {
      try {
        await look();
      } catch (error) {
        if (isAway(error)) log.debug({ err: error }, 'no mark could be set');
        else log.error({ err: error }, 'commits cannot be watched over; it is tried again');
      }
    },
  };
}
