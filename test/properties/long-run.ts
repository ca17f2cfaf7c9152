import { tryScripts } from './check';
import { openStage, type Proof } from './run';
import { type Script, sizeOf } from './script';

export interface ProofProgress {
  /** So far. */
  operations: number;
  refused: number;
  /** Card events that were recorded. */
  events: number;
  /** Scripts after which all held. */
  scripts: number;
  /** Transactions that had to be run again. */
  conflicts: number;
  seconds: number;
}

export interface LongRun {
  /** How many to carry out, at least. */
  operations: number;
  seed: number;
  /** How many run at once, at most. */
  connections: number;
  onProgress(progress: ProofProgress): void;
}

/** A database is left for a new one after so many operations: what is checked after each script grows with it. */
const OPERATIONS_OF_A_DATABASE = 15_000;
/** Scripts of one seed; a new seed begins where its scripts have grown to their full length. */
const RUNS_OF_A_SEED = 20;
const WAVES = 60;
const SECONDS_BETWEEN_REPORTS = 10;

/**
 * Plays scripts until so many operations were carried out.
 * @returns the smallest failing case as one reads it; nothing when all held
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
