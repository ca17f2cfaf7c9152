import { setTimeout as sleep } from 'node:timers/promises';
import type { Received } from '../../support/outside/receiver';
import { PATIENCE_MS } from '../persistent';
import { FAULTS, type Fault, type FaultName } from './faults';
import { startLoad } from './load';
import { PROOFS } from './proofs';
import { createRandom, type Random } from './random';
import { createTally, type Tally } from './tally';
import { type ChaosWorld, openWorld } from './world';

/**
 * A chaos run: a load of every kind on an installation of separate processes, faults drawn from a seed, a time of rest, and proofs.
 * The seed repeats which faults come in which order, with their victims and lengths; the processes' own timing stays by chance.
 */
export interface ChaosOptions {
  minutes: number;
  seed: number;
  /** Faults to draw from. Default: all. */
  faults?: readonly FaultName[];
  /** Folder of another commit, which the second API and the second worker run. */
  other?: string | undefined;
  show?: (line: string) => void;
  /** Time in which everything must come to rest. Default: {@link REST_MS}. */
  restMs?: number;
  /** Ends the processes of the run at once. */
  signal?: AbortSignal;
}

export interface ChaosReport {
  rows: ReturnType<Tally['rows']>;
  /** Number by kind. */
  faults: Record<string, number>;
  /** Faults that were not possible, and why. */
  skipped: Record<string, string>;
  longestGapMs: number;
  longestWaitMs: number;
  /** Violated proofs with their difference. */
  violated: Record<string, string>;
  proven: string[];
  /** Folder with the logs of the processes. */
  logs: string;
}

/** Limit for the lives, for the records and for the workflows after the last fault. Only a hang reaches the limit. */
export const REST_MS = PATIENCE_MS;
/** Answers between two faults, so that work goes on also on a busy machine. */
const ANSWERS_BETWEEN = 40;
const PAUSE_MS = 8_000;
const TELL_EVERY_MS = 30_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { minutes, seed, other, restMs = REST_MS, show = () => undefined } = options;
  const random = createRandom(seed);
  const tally = createTally();
  const world = await openWorld(other);
  options.signal?.addEventListener('abort', () => void world.close());
  try {
    failNowAndThen(world, createRandom(seed + 1));
    show(`The installation serves and logs to ${world.logs}. Undisturbed lives come first.`);
    const load = await startLoad(world, createRandom(seed + 2), tally);
    const played = await playFaults(world, random, {
      ...options,
      until: performance.now() + minutes * 60_000,
    });
    show('The faults are over. Everything must come to rest.');
    const violated: Record<string, string> = {};
    const proven: string[] = [];
    const prove = async (name: string, proof: () => Promise<void>) => {
      try {
        await proof();
        proven.push(name);
      } catch (error) {
        violated[name] = String((error as Error).message ?? error);
      }
      show(name in violated ? `VIOLATED: ${name}\n${violated[name]}` : `proven: ${name}`);
    };
    const telling = setInterval(
      () => show(`Lives that go on: ${load.open().join(', ') || 'none'}`),
      TELL_EVERY_MS,
    );
    await prove('each life ends', () => load.stop(restMs)).finally(() => clearInterval(telling));
    for (const [name, proof] of Object.entries(PROOFS))
      await prove(name, () => proof({ world, load, random, restMs }));
    return {
      rows: tally.rows(),
      ...played,
      longestGapMs: load.longestGapMs(),
      longestWaitMs: longestWaitOf(world),
      violated,
      proven,
      logs: world.logs,
    };
  } finally {
    await world.close();
  }
}

const longestWaitOf = ({ client, onChain }: ChaosWorld): number =>
  Math.max(client.longestWaitMs, onChain.client.longestWaitMs, onChain.admin.longestWaitMs);

/** Refuses one webhook of thirty, and answers one of a hundred never. */
function failNowAndThen({ receiver }: ChaosWorld, random: Random): void {
  receiver.answer('/', (_: Received, response) => {
    const drawn = random.next();
    if (drawn < 0.01) return;
    response.writeHead(drawn < 0.04 ? 500 : 204).end();
  });
}

interface Playing extends ChaosOptions {
  until: number;
}

/** Plays one fault after another, each kind once in a round. */
async function playFaults(
  world: ChaosWorld,
  random: Random,
  { faults, until, show = () => undefined }: Playing,
) {
  const skipped: Record<string, string> = {};
  const kinds = (faults ?? (Object.keys(FAULTS) as FaultName[])).filter((name) => {
    const reason = (FAULTS[name] as Fault).skipped?.(world);
    if (reason !== undefined) skipped[name] = reason;
    return reason === undefined;
  });
  const counts: Record<string, number> = {};
  let deck: FaultName[] = [];
  while (performance.now() < until && kinds.length > 0) {
    if (deck.length === 0) deck = random.shuffled(kinds);
    const name = deck.pop() as FaultName;
    await workGoesOn(world, until);
    await sleep(random.between(0, 2_000));
    const began = performance.now();
    show(`${new Date().toISOString()} ${name}`);
    const victim = await (FAULTS[name] as Fault).play(world, random);
    const lasted = `over after ${((performance.now() - began) / 1_000).toFixed(1)} s`;
    show(`${new Date().toISOString()} ${lasted}${typeof victim === 'string' ? `, victim: ${victim}` : ''}`);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return { faults: counts, skipped };
}

/** Waits until clients got answers again, or for a while. */
async function workGoesOn({ client }: ChaosWorld, until: number): Promise<void> {
  const [answers, end] = [client.settled.length, Math.min(until, performance.now() + PAUSE_MS)];
  while (client.settled.length < answers + ANSWERS_BETWEEN && performance.now() < end) await sleep(100);
}
