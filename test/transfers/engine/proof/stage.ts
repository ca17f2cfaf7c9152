import fc from 'fast-check';
import type { Tx } from '../../../../src/kernel/db/database';
import { CommitUnknown, DatabaseAway } from '../../../../src/kernel/db/faults';
import type { MoneyParty } from '../../../../src/kernel/outbox/queues';
import type { Parties } from '../../../../src/parties/parties';
import { PartyAway } from '../../../../src/process/party-errors';
import type { Services } from '../../../../src/services';
import { discover } from '../../../../src/transfers/discover';
import { advance } from '../../../../src/transfers/engine/advance';
import type { PartyWord } from '../../../../src/transfers/engine/record';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { Crash, crashing } from './crashes';
import { type Act, type KindProof, type Step, stepsOf } from './kind-proof';
import { oneOf, randomOf } from './random';
import { createWordDouble, type WordDouble } from './word-double';

/** What a kind brings beside its proof on pure functions: how it is made, and what people do to it. */
export interface PostgresProof<Terms, Word extends PartyWord> {
  proof: KindProof<Terms, Word>;
  /** What the party says of an order that it has just taken. */
  firstWord(key: string): Word;
  /** The party's port, over what the double says. */
  port(double: WordDouble<Word>, refuses: (key: string) => boolean): Parties[MoneyParty];
  /** Gives a client what it needs. @param n its number among the clients */
  prepare?(api: TestApi, client: Client, n: number): Promise<void>;
  /** Makes one by our own API, or at the party, where nobody has found it yet. */
  open(at: Opening<Word>): Promise<{ id: string | null; ref: string }>;
  /** Whether the party's word is one that a transfer is made of. */
  mustBeFound?(word: Word): boolean;
  /** How what nobody has ordered is found; by the party's name for it when absent. */
  find?(stage: Stage<Terms, Word>, services: Services, played: Played<Word>): Promise<void>;
  /** How a party that lists nothing is read at last: whatever it has is found, or told to look. */
  readAgain?(stage: Stage<Terms, Word>, refs: readonly string[]): Promise<void>;
  /** What is stored once the party has said this, where not all of a word is its own. @param before all that it has ever said */
  heard?(said: Word, stored: Word, before: readonly Word[]): Word;
  /** What else a process meets that is not as it ought to be. */
  around?(services: Services, double: WordDouble<Word>): Services;
  /** What many of them come to, and are decided: else there was little to prove. */
  comesTo: readonly string[];
  decided: readonly string[];
  /** What people do to this kind alone, by the operations that they use. @throws Problem where it is not allowed */
  act?(services: Services, tx: Tx, id: string, act: Act): Promise<unknown> | undefined;
}

export interface Opening<Word extends PartyWord> {
  api: TestApi;
  client: Client;
  double: WordDouble<Word>;
  random: () => number;
}

/** One transfer, and all that happens to it. */
export interface Played<Word> {
  /** null: nobody has found it yet. */
  id: string | null;
  ref: string;
  client: Client;
  steps: Step<Word>[];
  random: () => number;
  isVersioned: boolean;
  version: number;
  /** The operator has stopped the party, as this transfer meets it. */
  isStopped: boolean;
  /** Its own clock, in milliseconds before the world's. */
  ahead: number;
}

export interface Stage<Terms, Word extends PartyWord> {
  api: TestApi;
  given: PostgresProof<Terms, Word>;
  double: WordDouble<Word>;
  clients: Client[];
  /** How often the process dies at a place where it may. */
  faults: { share: number; met: number };
}

const FAULTS_SHARE = 0.02;

/** The real API over the double's port, on a database of its own, with three clients. */
export async function openStage<Terms, Word extends PartyWord>(
  given: PostgresProof<Terms, Word>,
  seed: number,
): Promise<Stage<Terms, Word>> {
  const random = randomOf(seed);
  const double = createWordDouble<Word>(given.firstWord, () => random() < 0.1);
  const refuses = (key: string) => [...key].reduce((sum, char) => sum + char.charCodeAt(0), seed) % 7 === 0;
  const { party } = given.proof.kind;
  const api = await testApi({ parties: { [party]: given.port(double, refuses) } });
  const clients = await Promise.all(Array.from({ length: 3 }, () => api.client()));
  const unlimited = { rateLimit: { perSecond: 100_000, burst: 1_000_000 } };
  await api.database.query('update tenants set settings = settings || $1::jsonb', [
    JSON.stringify(unlimited),
  ]);
  for (const [n, client] of clients.entries()) await given.prepare?.(api, client, n);
  return { api, given, double, clients, faults: { share: FAULTS_SHARE, met: 0 } };
}

/** Makes a transfer, and what is to happen to it: the same for the same seed. */
export async function begun<Terms, Word extends PartyWord>(
  { api, given, clients, double }: Stage<Terms, Word>,
  seed: number,
): Promise<Played<Word>> {
  const random = randomOf(seed);
  const [steps = []] = fc.sample(stepsOf(given.proof), { seed, numRuns: 1 });
  const client = oneOf(random, clients);
  const made = await given.open({ api, client, double, random });
  return {
    ...made,
    client,
    steps,
    random,
    isVersioned: random() < 0.4,
    version: 0,
    isStopped: false,
    ahead: 0,
  };
}

/** Of a process that may die at any place, on the transfer's own clock. */
export const servicesOf = <Terms, Word extends PartyWord>(
  { api, given, double, faults }: Stage<Terms, Word>,
  { random, ahead, isStopped }: Played<Word>,
): Services => {
  const world = given.around?.(api.services, double) ?? api.services;
  const { party: stateOf } = world.switches;
  const switches = { ...world.switches, party: isStopped ? async () => 'stopped' as const : stateOf };
  const own = { ...world, switches, now: () => new Date(Date.now() + ahead) };
  return crashing<Services>(own, given.proof.kind.party, () => {
    const fails = random() < faults.share;
    if (fails) faults.met += 1;
    return fails;
  });
};

/** The process died there, the party could not be asked, or a busy machine has kept Postgres waiting: tried again it goes well. */
export const hasPassed = (error: unknown): boolean =>
  [Crash, PartyAway, DatabaseAway, CommitUnknown].some((away) => error instanceof away);

/** As a workflow looks: again until it ends, or dies for good until somebody tells it to look. */
export async function look<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    try {
      await lookOnce(stage, played);
      return;
    } catch (error) {
      if (!hasPassed(error)) throw error;
    }
  }
}

/** As a workflow's turn; what nobody has found yet is discovered first. */
export async function lookOnce<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  const services = servicesOf(stage, played);
  const { kind } = stage.given.proof;
  if (played.id === null) {
    if (stage.given.find) await stage.given.find(stage, services, played);
    else await discover(services, kind.party, played.ref);
    played.id = await idOf(stage, played);
  }
  if (played.id !== null) await advance(services, kind, played.id);
}

/** Ours, of the party's name for it. */
export async function idOf<Terms, Word extends PartyWord>(
  { api, given }: Stage<Terms, Word>,
  { ref }: Played<Word>,
): Promise<string | null> {
  const text = 'select id from transfers where party = $1 and party_ref = $2';
  const [row] = await api.database.query<{ id: string }>(text, [given.proof.kind.party, ref]);
  return row?.id ?? null;
}
