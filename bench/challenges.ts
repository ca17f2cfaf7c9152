import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../scripts/processor/report';
import { answered, type Line } from '../scripts/processor/send';
import { codeOf } from '../src/cards/challenges/code';
import { findChallenge } from '../src/cards/challenges/operations';
import type { Composed } from '../src/composition';
import { partySecret } from '../src/parties/sandbox/mount';
import { targetsOf } from './cards';
import { median } from './comparison';
import { openServices, spreadTenants, tenantWithCards } from './fixtures';
import { type World, withInstallation } from './installation';
import { spentBy } from './processor-time';
import { openBench, portOf, runLoad, startCardApi } from './servers';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 20);
/** Number of turns of each kind. */
const TURNS = Number(process.env['BENCH_TURNS'] ?? 6);
/** Challenges a second. */
const RATE = 50;
const WARM_UP = 3;

/** Results of the challenges of a turn. */
interface Challenged {
  approved: number;
  /** Number of failures by their text. */
  wrong: Map<string, number>;
  /** Duration of answers in milliseconds, by type of message. */
  latencies: Map<string, number[]>;
}

/**
 * Measures the p99 of authorizations beside 50 challenges a second, as a ratio to the same run without challenges. One
 * API runs alone, as `cards` measures it. Another shares the machine with Temporal and the worker that mails the codes.
 * Each challenge is verified with its code and used by an authorization. Turns of both kinds come in random order and
 * their medians are compared, because a machine's speed drifts.
 */
export async function benchChallenges(): Promise<void> {
  const rows = [await withApi((services) => measure('API alone', services))];
  await withInstallation({}, async ({ services, processes }) => {
    rows.push(await measure('with Temporal and worker', services, processes));
  });
  console.table(rows);
}

async function withApi<T>(work: (services: Composed) => Promise<T>): Promise<T> {
  const bench = await openBench();
  try {
    const services = await openServices(bench);
    const api = await startCardApi(bench, 'warn');
    const done = await work(services);
    await api.stop();
    await services.database.close();
    return done;
  } finally {
    await bench.close();
  }
}

async function measure(name: string, services: Composed, processes: World['processes'] = {}) {
  const tenants = await spreadTenants(services);
  const { cards, clientId } = await tenantWithCards(services, 50);
  await services.database.query('update cards set processor_reference = id where id = any($1)', [cards]);
  await services.database.query(
    `update tenants set settings = settings || '{"challenges":{"perCardAndDay":1000}}' where id = $1`,
    [clientId],
  );
  await services.database.query('vacuum analyze');
  const load = {
    port: portOf('api'),
    connections: CONNECTIONS,
    targets: targetsOf(tenants),
    seconds: SECONDS,
    warmUp: WARM_UP,
    path: '/sandbox/transactions',
  };
  const p99: Record<Kind, number[]> = { without: [], beside: [] };
  // A new process is slow, so its warm-up is not counted.
  await Promise.all([runLoad(load), challenge(services, cards, nothing(), SECONDS)]);
  const all = nothing();
  for (const kind of shuffled()) {
    const spent = spentBy(processes);
    const measured = runLoad(load);
    if (kind === 'beside') await challenge(services, cards, all, WARM_UP + SECONDS);
    const answers = await measured;
    if (answers.requests > 0) p99[kind].push(answers.p99);
    else note(all, `no authorization was answered in a turn: ${kind}`);
    console.log(`${kind}, a second:`, spent(WARM_UP + SECONDS));
  }
  for (const [type, times] of all.latencies) console.log(`${type}: ${times.length}, ${quantiles(times)}`);
  for (const [line, times] of all.wrong) console.log(`${times} times: ${line}`);
  const [without, beside] = [median(p99.without), median(p99.beside)];
  return {
    installation: name,
    'p99 without, ms': without.toFixed(1),
    'p99 beside, ms': beside.toFixed(1),
    ratio: (beside / without).toFixed(2),
    'challenges used': all.approved,
  };
}

const nothing = (): Challenged => ({ approved: 0, wrong: new Map(), latencies: new Map() });

type Kind = 'without' | 'beside';

function shuffled(): Kind[] {
  const turns = Array.from({ length: TURNS }, (): Kind[] => ['without', 'beside']).flat();
  return turns
    .map((kind) => ({ kind, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ kind }) => kind);
}

/** Starts challenges at a fixed rate, whatever the state of earlier ones, and leads each to its purchase. */
async function challenge(
  services: Composed,
  cards: string[],
  all: Challenged,
  seconds: number,
): Promise<void> {
  const secret = partySecret(services.keyring, 'card-processor');
  const line: Line = { url: `http://127.0.0.1:${portOf('api')}`, secret };
  const begun = performance.now();
  const under: Promise<void>[] = [];
  for (let beat = 0; beat < RATE * seconds; beat += 1) {
    await sleep(Math.max(0, begun + (beat * 1_000) / RATE - performance.now()));
    const purchase = buy(services, line, cards[beat % cards.length] as string, all);
    under.push(purchase.catch((error: unknown) => note(all, String(error))));
  }
  await Promise.all(under);
}

async function buy(services: Composed, line: Line, card: string, all: Challenged): Promise<void> {
  async function tell(type: string, given: object): Promise<Record<string, unknown>> {
    const message = JSON.stringify({ messageId: randomUUID(), type, ...given });
    const { text, ms } = await answered(line, type, message);
    const times = all.latencies.get(type) ?? [];
    all.latencies.set(type, times);
    times.push(ms);
    return JSON.parse(text) as Record<string, unknown>;
  }
  const challengeId = randomUUID();
  const merchant = { id: 'bench', name: 'Bench', country: 'AT' };
  const terms = { challengeId, cardReference: card, amount: '0.01', currency: 'USD', merchant };
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  const { accepted, reason } = await tell('challenge', { ...terms, expiresAt });
  if (accepted !== true) throw new Error(`a challenge was not accepted: ${String(reason)}`);
  const made = await findChallenge(services.database, { challengeId });
  if (!made) throw new Error('the challenge was not found');
  await tell('challenge.verify', { challengeId, code: codeOf(services.keyring, made) });
  const purchase = { ...terms, channel: 'ecommerce', networkReference: randomUUID() };
  const answer = await tell('authorization', { ...purchase, sentAt: new Date().toISOString() });
  if (answer['approved'] === true) all.approved += 1;
  else note(all, `an authorization was declined: ${String(answer['declineReason'])}`);
}

/** Counts a failure by its text, without the parts that differ between requests. */
function note({ wrong }: Challenged, line: string): void {
  const kind = line.replace(/,"requestId":"[^"]*"/, '');
  wrong.set(kind, (wrong.get(kind) ?? 0) + 1);
}
