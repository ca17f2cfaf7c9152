import fc from 'fast-check';
import { addFirstOperator } from '../../../../src/desk/operators/operations';
import { proofsOf } from '../../../../src/desk/operators/proofs';
import { signIn } from '../../../../src/desk/sign-in/operations';
import { SIGN_IN_RULES } from '../../../../src/desk/sign-in/rules';
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
import { OPERATOR } from './acts';
import { Crash, crashing } from './crashes';
import { type Act, type KindProof, type Step, stepsOf } from './kind-proof';
import { oneOf, randomOf } from './random';
import { createWordDouble, type WordDouble } from './word-double';

/** The inputs of a kind's proof through Postgres: creation of a transfer, the party's port, and acts of operators. */
export interface PostgresProof<Terms, Word extends PartyWord> {
  proof: KindProof<Terms, Word>;
  /** The party's word on a new order. */
  firstWord(key: string): Word;
  /** The party's port over the double. */
  port(double: WordDouble<Word>, refuses: (key: string) => boolean): Parties[MoneyParty];
  /** Prepares a client. @param n its number among the clients */
  prepare?(api: TestApi, client: Client, n: number): Promise<void>;
  /** Creates a transfer by the API, or at the party, where it waits for its discovery. */
  open(at: Opening<Word>): Promise<{ id: string | null; ref: string }>;
  /** Whether a discovery of this word must create a transfer. */
  mustBeFound?(word: Word): boolean;
  /** Discovers money without an order. Default: by the party's name. */
  find?(stage: Stage<Terms, Word>, services: Services, played: Played<Word>): Promise<void>;
  /** Reads a party without a list at the end, so that all its records are found or looked at. */
  readAgain?(stage: Stage<Terms, Word>, refs: readonly string[]): Promise<void>;
  /** The word that must be stored, if a part of it is not the party's. @param before all earlier words */
  heard?(said: Word, stored: Word, before: readonly Word[]): Word;
  /** Adds further faults to the services. */
  around?(services: Services, double: WordDouble<Word>): Services;
  /** The statuses that a run must reach. */
  requiredStatuses: readonly string[];
  /** The kinds of decisions that a run must have. */
  requiredDecisions: readonly string[];
  /** Performs an act that only this kind has. @throws Problem if it is not allowed */
  act?(services: Services, tx: Tx, id: string, act: Act): Promise<unknown> | undefined;
}

export interface Opening<Word extends PartyWord> {
  api: TestApi;
  client: Client;
  double: WordDouble<Word>;
  random: () => number;
}

/** A transfer and its steps. */
export interface Played<Word> {
  /** Null before the discovery. */
  id: string | null;
  ref: string;
  client: Client;
  steps: Step<Word>[];
  random: () => number;
  isVersioned: boolean;
  version: number;
  /** Whether the party is stopped for this transfer. */
  isStopped: boolean;
  /** How far the transfer's clock is ahead of the real one, in milliseconds. */
  ahead: number;
}

export interface Stage<Terms, Word extends PartyWord> {
  api: TestApi;
  given: PostgresProof<Terms, Word>;
  double: WordDouble<Word>;
  clients: Client[];
  /** Proof of the session of the operator who decides. */
  session: Buffer;
  /** The share of places at which the process crashes, and the crashes so far. */
  faults: { share: number; met: number };
}

const FAULTS_SHARE = 0.02;

/** Opens the real API over the double's port, on a database of its own, with three clients. */
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
  return {
    api,
    given,
    double,
    clients,
    session: await sessionOf(api),
    faults: { share: FAULTS_SHARE, met: 0 },
  };
}

/** The proof of a session of the operator who decides. Postgres demands it for an approval. */
async function sessionOf({ database, services: { keyring } }: TestApi): Promise<Buffer> {
  const [, name = ''] = OPERATOR.split(':');
  const { operatorSecret: secret } = await database.transaction((tx) =>
    addFirstOperator(tx, keyring, { name }),
  );
  const desk = {
    database,
    keyring,
    mode: 'sandbox',
    clock: () => new Date(),
    signInRules: SIGN_IN_RULES,
  } as const;
  const { token } = await signIn(desk, { name, secret, transport: 'bearer', address: '127.0.0.1' });
  return proofsOf(keyring, token)[0];
}

/** Creates a transfer and its steps. The seed determines both. */
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

/** The services of a process that may crash at any place, on the transfer's clock. */
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

/** Whether a retry may succeed: after a crash, an outage of the party, or a slow Postgres on a busy machine. */
export const isTransient = (error: unknown): boolean =>
  [Crash, PartyAway, DatabaseAway, CommitUnknown].some((away) => error instanceof away);

/** Makes a step like a workflow, with retries. After the last one the transfer waits for a signal. */
export async function look<Terms, Word extends PartyWord>(
  stage: Stage<Terms, Word>,
  played: Played<Word>,
): Promise<void> {
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    try {
      await lookOnce(stage, played);
      return;
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
}

/** Makes one attempt of a step. An undiscovered transfer is discovered first. */
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

/** Our id of the record with the party's name. */
export async function idOf<Terms, Word extends PartyWord>(
  { api, given }: Stage<Terms, Word>,
  { ref }: Played<Word>,
): Promise<string | null> {
  const text = 'select id from transfers where party = $1 and party_ref = $2';
  const [row] = await api.database.query<{ id: string }>(text, [given.proof.kind.party, ref]);
  return row?.id ?? null;
}
