import { tryScripts } from './check';
import { openStage, type Proof } from './run';
import { type Script, sizeOf } from './script';

export interface ProofProgress {
  /** Operations so far. */
  operations: number;
  refused: number;
  /** Card events that were recorded. */
  events: number;
  /** Scripts that passed. */
  scripts: number;
  /** Transactions that were retried. */
  conflicts: number;
  seconds: number;
}

export interface LongRun {
  /** The least number of operations. */
  operations: number;
  seed: number;
  /** The most operations at once. */
  connections: number;
  onProgress(progress: ProofProgress): void;
}

/** Operations until a new database, because the checks after each script grow with the database. */
const OPERATIONS_OF_A_DATABASE = 15_000;
/** Scripts of one seed. By then the scripts have their full length, and a new seed begins. */
const RUNS_OF_A_SEED = 20;
const WAVES = 60;
const SECONDS_BETWEEN_REPORTS = 10;

/**
 * Plays scripts until the number of operations is reached.
 * @returns the smallest failing case as text. Undefined if no script failed
 */
export async function proveLong({
  operations,
  seed,
  connections,
  onProgress,
}: LongRun): Promise<string | undefined> {
  const sum = { operations: 0, refused: 0, events: 0, scripts: 0, conflicts: 0, seconds: 0 };
  const tell = reporter(sum, onProgress);
  let next = seed;
  while (sum.operations < operations) {
    const until = Math.min(operations, sum.operations + OPERATIONS_OF_A_DATABASE);
    const stage = await openStage();
    try {
      for (; sum.operations < until; next += 1) {
        const trial = { seed: next, runs: RUNS_OF_A_SEED, waves: WAVES, width: connections };
        const failure = await tryScripts(stage, { ...trial, onProof: tell });
        if (failure !== undefined) return failure;
      }
    } finally {
      await stage.close();
    }
  }
  onProgress(sum);
  return undefined;
}

function reporter(sum: ProofProgress, onProgress: LongRun['onProgress']) {
  const began = Date.now();
  let told = began;
  return (script: Script, { wrong, played, events, conflicts }: Proof): void => {
    if (wrong.length > 0)
      console.log(`A script of ${sizeOf(script)} operations fails: ${wrong[0]}\nLooking for the smallest …`);
    sum.operations += sizeOf(script);
    sum.refused += played.refused;
    sum.events += events;
    sum.conflicts += conflicts;
    if (wrong.length === 0) sum.scripts += 1;
    sum.seconds = (Date.now() - began) / 1000;
    if (Date.now() - told < SECONDS_BETWEEN_REPORTS * 1000) return;
    told = Date.now();
    onProgress(sum);
  };
}
