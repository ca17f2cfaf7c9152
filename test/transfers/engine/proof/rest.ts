import { OutcomeUnknown } from '../../../../src/process/party-errors';
import { discover } from '../../../../src/transfers/discover';
import { DOUBT_MS } from '../../../../src/transfers/engine/follow';
import type { PartyWord } from '../../../../src/transfers/engine/record';
import { createReading } from '../../../../src/watch/watch';
import { idOf, isTransient, look, type Played, type Stage, servicesOf } from './stage';

/** Brings all transfers to rest without callbacks: by the party's list, by committed commands, and by time. */
export async function comeToRest<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  all: readonly Played<Word>[],
  atOnce: number,
): Promise<void> {
  const { api } = stage;
  const named = new Map(
    all.flatMap((played) => [[played.ref, played] as const, [played.id, played] as const]),
  );
  const read = await readerOf(stage, all);
  for (let answered = 0; ; ) {
    for (let turn = 0; turn < 2; turn += 1) await read();
    const told = new Set(api.commands.slice(answered).map(({ args }) => String(args[0])));
    answered = api.commands.length;
    if (told.size === 0) return;
    await inParallel(atOnce, [...told], async (name) => {
      const played = named.get(name) ?? all.find(({ id }) => id === name);
      if (!played) throw new Error(`${name} is no transfer of this run`);
      if (isUnknown(stage, played, name)) await found(stage, played);
      if (played.id !== null) await rested(stage, played);
      named.set(played.id, played);
    });
  }
}

/** Reads the party's list. A party without a list is read completely once. */
async function readerOf<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  all: readonly Played<Word>[],
): Promise<() => Promise<void>> {
  const { api, given } = stage;
  const { party } = given.proof.kind;
  if (party !== 'chain') {
    const reading = createReading(api.services, party);
    return () => reading.read();
  }
  await given.readAgain?.(
    stage,
    all.map(({ ref }) => ref),
  );
  for (const played of all) played.id ??= await idOf(stage, played);
  return async () => undefined;
}

/** Whether no transfer had this name when the signal was sent. */
const isUnknown = <Terms, Word extends PartyWord>(
  { given }: Stage<Terms, Word>,
  { id, ref }: Played<Word>,
  name: string,
): boolean => id === null || (name === ref && name !== id && given.proof.kind.namedBy === undefined);

/** Looks into a party's name like its workflow, until it is resolved or unreadable. */
async function found<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    const { party } = stage.given.proof.kind;
    try {
      const is = await discover(servicesOf(stage, played), party, played.ref);
      played.id ??= await idOf(stage, played);
      if (is !== 'open') return;
    } catch (error) {
      if (error instanceof OutcomeUnknown) return;
      if (!isTransient(error)) throw error;
    }
    await rested(stage, played);
  }
  throw new Error(`${played.ref} stays open`);
}

/** Makes two steps a minute apart, so that a word that takes something back is read twice. */
async function rested<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    await look(stage, played);
    played.ahead += DOUBT_MS + 1_000;
  }
}

export async function inParallel<T>(
  atOnce: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
    }),
  );
}
