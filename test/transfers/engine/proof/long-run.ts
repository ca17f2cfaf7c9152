import { PROOFS } from './kinds/all';
import { proveKind } from './paths';
import { proveThroughPostgres } from './postgres-proof';

export interface TransfersRun {
  /** Random paths for each kind, on the pure functions. */
  paths: number;
  /** Transfers for each kind, through Postgres. */
  transfers: number;
  seed: number;
  /** Names of the kinds to prove. Default: all. */
  kinds?: readonly string[];
  onProgress(line: string): void;
}

/** Paths between two progress lines, and transfers until a new database. */
const PATHS_OF_A_TURN = 50_000;
const TRANSFERS_OF_A_DATABASE = 2_500;

/**
 * Plays random transfers, kind after kind.
 * @returns the problems as text. Undefined if all holds
 */
export async function proveTransfersLong(run: TransfersRun): Promise<string | undefined> {
  const wanted = PROOFS.filter(({ proof: { kind } }) => run.kinds?.includes(kind.name) ?? true);
  for (const { proof } of wanted) {
    const failure = await inTurns(run.paths, PATHS_OF_A_TURN, async (count, done) => {
      proveKind(proof, { runs: count, seed: run.seed + done });
      run.onProgress(`${proof.kind.name}: ${done + count} random paths`);
      return undefined;
    });
    if (failure !== undefined) return failure;
  }
  for (const given of wanted) {
    const failure = await inTurns(run.transfers, TRANSFERS_OF_A_DATABASE, async (count, done) => {
      const { wrong } = await proveThroughPostgres(given, { transfers: count, seed: run.seed + done });
      run.onProgress(`${given.proof.kind.name}: ${done + count} through Postgres`);
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
