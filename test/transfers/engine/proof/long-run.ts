import { depositProof } from './deposits';
import { depositThroughPostgres } from './deposits-postgres';
import { proveKind } from './kind-proof';
import { proveThroughPostgres } from './postgres-proof';

/** Every kind that is proved so; a new one adds its two lines here. */
const PATHS: readonly { name: string; prove(runs: number, seed: number): void }[] = [
  { name: 'deposits', prove: (runs, seed) => void proveKind(depositProof, { runs, seed }) },
];
const THROUGH_POSTGRES: readonly {
  name: string;
  prove(transfers: number, seed: number): Promise<{ wrong: string[] }>;
}[] = [
  {
    name: 'deposits',
    prove: (transfers, seed) => proveThroughPostgres(depositThroughPostgres, { transfers, seed }),
  },
];

export interface TransfersRun {
  /** Random paths of each kind, on the pure functions. */
  paths: number;
  /** Transfers of each kind, through Postgres. */
  transfers: number;
  seed: number;
  onProgress(line: string): void;
}

/** Told of after so many; a database is left for a new one after so many transfers. */
const PATHS_OF_A_TURN = 50_000;
const TRANSFERS_OF_A_DATABASE = 2_500;

/**
 * Plays random lives of transfers of every kind.
 * @returns what does not hold, as one reads it; nothing when all does
 */
export async function proveTransfersLong(run: TransfersRun): Promise<string | undefined> {
  for (const { name, prove } of PATHS) {
    const failure = await inTurns(run.paths, PATHS_OF_A_TURN, async (count, done) => {
      prove(count, run.seed + done);
      run.onProgress(`${name}: ${done + count} random paths`);
      return undefined;
    });
    if (failure !== undefined) return failure;
  }
  for (const { name, prove } of THROUGH_POSTGRES) {
    const failure = await inTurns(run.transfers, TRANSFERS_OF_A_DATABASE, async (count, done) => {
      const { wrong } = await prove(count, run.seed + done);
      run.onProgress(`${name}: ${done + count} through Postgres`);
      return wrong.length === 0 ? undefined : wrong.join('\n');
    });
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function inTurns(
  all: number,
  atMost: number,
  turn: (count: number, done: number) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (let done = 0; done < all; done += atMost) {
    const failure = await turn(Math.min(atMost, all - done), done).catch((error: Error) => error.message);
    if (failure !== undefined) return failure;
  }
  return undefined;
}
