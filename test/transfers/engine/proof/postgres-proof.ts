import { presentSession } from '../../../../src/desk/operators/store';
import { Problem } from '../../../../src/kernel/errors';
import type { PartyWord } from '../../../../src/transfers/engine/record';
import { droppedWord } from '../../../../src/transfers/engine/restored';
import { readSituation } from '../../../../src/transfers/engine/store';
import { followAgain } from '../../../../src/transfers/restored';
import { actOnAny, OPERATOR } from './acts';
import { auditTransfers } from './audit';
import { type Act, restoredTo, type Step, saidAgain } from './kind-proof';
import { comeToRest, inParallel } from './rest';
import {
  begun,
  isTransient,
  look,
  openStage,
  type Played,
  type PostgresProof,
  type Stage,
  servicesOf,
} from './stage';
export interface PostgresRun {
  transfers: number;
  seed: number;
  /** Transfers at once, so that transactions meet. */
  atOnce?: number;
  onProgress?(done: number): void;
}

export interface PostgresProven {
  /** The problems, each with its seed. Empty if all holds. */
  wrong: string[];
  /** Crashes of the process and lost answers. */
  faults: number;
  /** Transfers by final status. */
  statuses: Record<string, number>;
  /** Decisions by kind. */
  decisions: Record<string, number>;
}

/**
 * Plays random transfers through Postgres. The process crashes at any place, answers and callbacks are lost, and
 * operators decide meanwhile. When all transfers are at rest by the party's list, the stored records are audited.
 */
export async function proveThroughPostgres<Terms, Word extends PartyWord>(
  given: PostgresProof<Terms, Word>,
  { transfers, seed, atOnce = 8, onProgress = () => undefined }: PostgresRun,
): Promise<PostgresProven> {
  const stage = await openStage(given, seed);
  try {
    const all: Played<Word>[] = [];
    const wrong: string[] = [];
    await inParallel(
      atOnce,
      Array.from({ length: transfers }, (_, n) => n),
      async (n) => {
        const played = await begun(stage, seed + n);
        all.push(played);
        try {
          for (const step of played.steps) await take(stage, played, step);
        } catch (error) {
          wrong.push(`seed ${seed + n}: ${String((error as Error).stack ?? error)}`);
        }
        if ((all.length & 127) === 0) onProgress(all.length);
      },
    );
    stage.faults.share = 0;
    stage.double.settle();
    for (const played of all) played.isStopped = false;
    await comeToRest(stage, all, atOnce);
    while (await followedAll(stage, all)) await comeToRest(stage, all, atOnce);
    const { met: faults } = stage.faults;
    return {
      wrong: [...wrong, ...(await auditTransfers({ ...stage, all }))],
      faults,
      statuses: await counted(stage, 'select status as name, count(*) from transfers group by 1'),
      decisions: await counted(stage, 'select kind as name, count(*) from transfer_decisions group by 1'),
    };
  } finally {
    await stage.api.close();
  }
}

/** Plays a step: a word of the party, a decision, or passing time. */
async function take<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
  step: Step<Word>,
): Promise<void> {
  const { random } = played;
  // Mostly the order comes before any other step.
  if (!stage.double.now(played.ref) && random() < 0.8) await look(stage, played);
  if ('minutes' in step) played.ahead += step.minutes * 60_000;
  if ('word' in step && stage.double.now(played.ref)) await say(stage, played, step.word);
  if ('stopped' in step) played.isStopped = step.stopped;
  if ('again' in step) sayAgain(stage, played, step);
  if ('restored' in step && played.isVersioned) {
    played.version = restoredTo(played.version);
    sayAgain(stage, played, { again: 1 });
  }
  if ('act' in step && played.id !== null) {
    const meanwhile = random() < 0.2 ? [look(stage, played)] : [];
    await Promise.all([decide(stage, played, step.act), ...meanwhile]);
  }
  const isTold = random() < 0.6;
  if (!isTold) return;
  await look(stage, played);
  if (random() < 0.2) await Promise.all([look(stage, played), look(stage, played)]);
}

async function say<Terms, Word extends PartyWord>(
  { api, given: { proof }, double }: Stage<Terms, Word>,
  played: Played<Word>,
  word: Word,
): Promise<void> {
  const { id, ref } = played;
  const situation =
    id === null ? undefined : await readSituation(api.database, proof.kind, id, api.services.now());
  const before = double.now(ref) ?? null;
  played.version += 1;
  const { version: _, ...said } = proof.addressed(word, { situation, before });
  double.say(ref, { ...said, ...(played.isVersioned ? { version: played.version } : {}) } as Word);
}

/** Follows every restored party, as operators do in the end. @returns whether there was one */
async function followedAll<Terms, Word extends PartyWord>(
  { api, given }: Stage<Terms, Word>,
  all: readonly Played<Word>[],
): Promise<boolean> {
  let isAny = false;
  for (const { id } of all) {
    const found = id && (await readSituation(api.database, given.proof.kind, id, api.services.now()));
    if (!found || !droppedWord(found)) continue;
    isAny = true;
    const decision = { transferId: found.transfer.id, reason: 'restored', decidedBy: OPERATOR };
    await api.database.transaction((tx) => followAgain(api.services, tx, decision));
  }
  return isAny;
}

/** The party repeats an earlier word. */
function sayAgain<Terms, Word extends PartyWord>(
  { double }: Stage<Terms, Word>,
  played: Played<Word>,
  step: { again: number },
): void {
  const word = saidAgain(
    double.history(played.ref),
    step,
    played.isVersioned ? played.version + 1 : undefined,
  );
  if (!word) return;
  played.version += 1;
  double.say(played.ref, word);
}

async function decide<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
  act: Act,
): Promise<void> {
  const services = servicesOf(stage, played);
  const { id, client } = played;
  try {
    await services.database.transaction(async (tx) => {
      await presentSession(tx, stage.session);
      await (stage.given.act?.(services, tx, String(id), act) ??
        actOnAny(services, tx, { id: String(id), tenantId: client.clientId }, act));
    });
  } catch (error) {
    if (!(error instanceof Problem || isTransient(error))) throw error;
  }
}

async function counted<Terms, Word extends PartyWord>(
  { api }: Stage<Terms, Word>,
  text: string,
): Promise<Record<string, number>> {
  const rows = await api.database.query<{ name: string; count: string }>(text);
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
}
