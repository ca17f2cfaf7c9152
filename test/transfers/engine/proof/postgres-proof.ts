import fc from 'fast-check';
import type { Tx } from '../../../../src/kernel/db/database';
import { Problem } from '../../../../src/kernel/errors';
import type { MoneyParty } from '../../../../src/kernel/outbox/queues';
import { PartyAway } from '../../../../src/process/party-errors';
import type { Parties, Services } from '../../../../src/services';
import { discover } from '../../../../src/transfers/discover';
import { advance } from '../../../../src/transfers/engine/advance';
import { DOUBT_MS } from '../../../../src/transfers/engine/follow';
import type { PartyWord } from '../../../../src/transfers/engine/kind';
import { createReading } from '../../../../src/transfers/watch/watch';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { masterAccount } from '../../../support/cards';
import { auditTransfers } from './audit';
import { Crash, crashing } from './crashes';
import { type Act, type KindProof, type Step, stepsOf } from './kind-proof';
import { oneOf, randomOf } from './random';
import { createWordDouble, type WordDouble } from './word-double';

/** What a kind brings beside its proof on pure functions: how it is made, and what people do to it. */
export interface PostgresProof<Terms, Word extends PartyWord> {
  proof: KindProof<Terms, Word>;
  party: MoneyParty;
  /** What the party says of an order that it has just taken, or of something of its own. */
  firstWord(key: string | null): Word;
  /** The party's port, over what the double says. */
  port(double: WordDouble<Word>, refuses: (key: string) => boolean): Parties[MoneyParty];
  /** Makes one by our own API. */
  open(client: Client, random: () => number): Promise<{ id: string; ref: string }>;
  /** What the party has of its own accord, where money of nobody's can come. */
  foreign?(double: WordDouble<Word>): string;
  /** By the operations that people use. @throws Problem where it is not allowed */
  act(services: Services, tx: Tx, on: { id: string; account: string }, act: Act): Promise<unknown>;
}

export interface PostgresRun {
  transfers: number;
  seed: number;
  /** At once: what stands in one transaction meets another. */
  atOnce?: number;
  onProgress?(done: number): void;
}

export interface PostgresProven {
  /** What does not hold, each with its seed; empty when all does. */
  wrong: string[];
  /** How often the process has died, or an answer was lost. */
  faults: number;
  /** Transfers by the status in which they rest. */
  statuses: Record<string, number>;
  /** Decisions by their kind. */
  decisions: Record<string, number>;
}

/** One transfer, and all that happens to it. */
interface Played<Word> {
  /** null: nobody has found it yet. */
  id: string | null;
  ref: string;
  client: Client;
  /** Of the client's, in dollars: where money that was nobody's goes. */
  account: string;
  steps: Step<Word>[];
  random: () => number;
  isVersioned: boolean;
  version: number;
  /** Its own clock, in milliseconds before the world's. */
  ahead: number;
}

interface Stage<Terms, Word extends PartyWord> {
  api: TestApi;
  given: PostgresProof<Terms, Word>;
  double: WordDouble<Word>;
  clients: Client[];
  /** How often the process dies at a place where it may. */
  faults: { share: number; met: number };
}

const FAULTS_SHARE = 0.02;

/**
 * Plays random lives of transfers through Postgres: the process dies between any two lines, answers and callbacks are lost,
 * people decide meanwhile. When all have come to rest by what the party lists, judges all that is stored.
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
    await comeToRest(stage, all, atOnce);
    const { met: faults } = stage.faults;
    return {
      ...{ wrong: [...wrong, ...(await auditTransfers({ ...stage, all }))], faults },
      statuses: await counted(stage, 'select status as name, count(*) from transfers group by 1'),
      decisions: await counted(stage, 'select kind as name, count(*) from transfer_decisions group by 1'),
    };
  } finally {
    await stage.api.close();
  }
}

async function openStage<Terms, Word extends PartyWord>(
  given: PostgresProof<Terms, Word>,
  seed: number,
): Promise<Stage<Terms, Word>> {
  const random = randomOf(seed);
  const double = createWordDouble<Word>(
    (key) => given.firstWord(key),
    () => random() < 0.1,
  );
  const refuses = (key: string) => [...key].reduce((sum, char) => sum + char.charCodeAt(0), seed) % 7 === 0;
  const api = await testApi({ parties: { [given.party]: given.port(double, refuses) } });
  const clients = await Promise.all(Array.from({ length: 3 }, () => api.client()));
  const unlimited = { rateLimit: { perSecond: 100_000, burst: 1_000_000 } };
  await api.database.query('update tenants set settings = settings || $1::jsonb', [
    JSON.stringify(unlimited),
  ]);
  return { api, given, double, clients, faults: { share: FAULTS_SHARE, met: 0 } };
}

async function begun<Terms, Word extends PartyWord>(
  { given, clients, double }: Stage<Terms, Word>,
  seed: number,
): Promise<Played<Word>> {
  const random = randomOf(seed);
  const [steps = []] = fc.sample(stepsOf(given.proof), { seed, numRuns: 1 });
  const client = oneOf(random, clients);
  const isForeign = given.foreign !== undefined && random() < 0.15;
  const made = isForeign
    ? { id: null, ref: given.foreign?.(double) ?? '' }
    : await given.open(client, random);
  const account = await masterAccount(client);
  return { ...made, client, account, steps, random, isVersioned: random() < 0.4, version: 0, ahead: 0 };
}

/** One thing that happens: the party says something, somebody decides, time passes. */
async function take<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
  step: Step<Word>,
): Promise<void> {
  const { random } = played;
  if (!stage.double.now(played.ref)) await look(stage, played);
  if ('minutes' in step) played.ahead += step.minutes * 60_000;
  if ('word' in step && stage.double.now(played.ref)) await say(stage, played, step.word);
  if ('act' in step && played.id !== null) await decide(stage, played, step.act);
  const isTold = random() < 0.6;
  if (!isTold) return;
  await look(stage, played);
  if (random() < 0.2) await Promise.all([look(stage, played), look(stage, played)]);
}

async function say<Terms, Word extends PartyWord>(
  { api, given, double }: Stage<Terms, Word>,
  played: Played<Word>,
  word: Word,
): Promise<void> {
  const { id, ref } = played;
  const orders = await api.database.query<{ id: string }>(
    `select id from transfer_decisions where transfer_id = $1 and decided_by <> 'system' order by number`,
    [id],
  );
  played.version += 1;
  const { version: _, ...said } = given.proof.addressed(word, {
    id,
    orders: orders.map((order) => order.id),
  });
  double.say(ref, { ...said, ...(played.isVersioned ? { version: played.version } : {}) } as Word);
}

async function decide<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
  act: Act,
): Promise<void> {
  const services = servicesOf(stage, played);
  const { id } = played;
  try {
    await services.database.transaction((tx) =>
      stage.given.act(services, tx, { id: String(id), account: played.account }, act),
    );
  } catch (error) {
    if (!(error instanceof Problem || error instanceof Crash)) throw error;
  }
}

const servicesOf = <Terms, Word extends PartyWord>(
  { api, given, faults }: Stage<Terms, Word>,
  { random, ahead }: Played<Word>,
): Services => {
  const own = { ...api.services, now: () => new Date(Date.now() + ahead) };
  return crashing<Services>(own, given.party, () => {
    const fails = random() < faults.share;
    if (fails) faults.met += 1;
    return fails;
  });
};

/** As a workflow looks: again until it ends, or dies for good until somebody tells it to look. */
async function look<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    try {
      await lookOnce(stage, played);
      return;
    } catch (error) {
      if (!(error instanceof Crash || error instanceof PartyAway)) throw error;
    }
  }
}

async function lookOnce<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  const services = servicesOf(stage, played);
  const { kind } = stage.given.proof;
  if (played.id === null) {
    await discover(services, stage.given.party, played.ref);
    played.id = await idOf(stage, played);
  }
  if (played.id !== null) await advance(services, kind, played.id);
}

async function idOf<Terms, Word extends PartyWord>(
  { api, given }: Stage<Terms, Word>,
  { ref }: Played<Word>,
): Promise<string | null> {
  const text = 'select id from transfers where party = $1 and party_ref = $2';
  const [row] = await api.database.query<{ id: string }>(text, [given.proof.kind.party, ref]);
  return row?.id ?? null;
}

/** Nobody calls back any more: what the party lists, what was committed for a workflow, and time alone lead to the end. */
async function comeToRest<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  all: readonly Played<Word>[],
  atOnce: number,
): Promise<void> {
  const { api, given } = stage;
  const named = new Map(
    all.flatMap((played) => [[played.ref, played] as const, [played.id, played] as const]),
  );
  const reading = createReading(api.services, given.party);
  for (let answered = 0; ; ) {
    for (let turn = 0; turn < 2; turn += 1) await reading.read();
    const told = new Set(api.commands.slice(answered).map(({ args }) => String(args[0])));
    answered = api.commands.length;
    if (told.size === 0) return;
    await inParallel(atOnce, [...told], async (name) => {
      const played = named.get(name);
      if (!played) throw new Error(`nobody has made ${name}`);
      if (name === played.ref) await found(stage, played);
      else await rested(stage, played);
      named.set(played.id, played);
    });
  }
}

/** As the workflow of a name that no transfer has: it is asked for until it is known what it is. */
async function found<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    const { given } = stage;
    const is = await discover(servicesOf(stage, played), given.party, played.ref);
    played.id ??= await idOf(stage, played);
    if (is !== 'open') return;
    await rested(stage, played);
  }
  throw new Error(`${played.ref} stays open`);
}

/** As a workflow's turn and the one after it, when what takes something back has been read twice. */
async function rested<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    await lookOnce(stage, played);
    played.ahead += DOUBT_MS + 1_000;
  }
}

async function counted<Terms, Word extends PartyWord>(
  { api }: Stage<Terms, Word>,
  text: string,
): Promise<Record<string, number>> {
  const rows = await api.database.query<{ name: string; count: string }>(text);
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
}

async function inParallel<T>(
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
