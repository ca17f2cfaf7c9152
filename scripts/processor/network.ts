import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Done } from './books';
import { randomOf, type Scenario, type Step, scenarioOf } from './scenarios';
import { answered, type Line } from './send';

export interface Playing extends Line {
  /** The processor's names of the cards, all in US dollars. */
  cards: readonly string[];
  rate: number;
  seconds: number;
  seed: number;
  /** Aborted: no new transaction begins. */
  unread?: AbortSignal;
}

export interface Played {
  /** Transactions by card, with the result of each message. */
  transactions: Map<string, Done[][]>;
  messages: number;
  repeated: number;
  scenarios: Map<string, number>;
  /** Duration of answers in milliseconds, by type of message. */
  latencies: Map<Step['type'], number[]>;
  declined: Map<string, number>;
  /** Violations, each as a line. */
  wrong: string[];
}

/** Probability that a message is sent twice together, and once more afterwards. */
const TWICE = 0.1;

/** A transaction in progress. Its next messages are sent after the answers to the earlier ones. */
interface Transaction {
  card: string;
  reference: string;
  startedAt: number;
  left: Step[];
  done: Done[];
}

/** Plays random transactions at the rate, then finishes those that have begun. */
export async function playNetwork(playing: Playing): Promise<Played> {
  const { rate, seconds, seed, cards, unread } = playing;
  const random = randomOf(seed);
  const played: Played = {
    transactions: new Map(),
    messages: 0,
    repeated: 0,
    scenarios: new Map(),
    latencies: new Map(),
    declined: new Map(),
    wrong: [],
  };
  const ready: Transaction[] = [];
  const underWay = new Set<Promise<void>>();

  function begin(): Transaction {
    const { name, steps }: Scenario = scenarioOf(random);
    const card = cards[Math.floor(random() * cards.length)] as string;
    const transaction: Transaction = {
      card,
      reference: randomUUID(),
      startedAt: Date.now(),
      left: steps,
      done: [],
    };
    count(played.scenarios, name);
    played.transactions.set(card, played.transactions.get(card) ?? []);
    played.transactions.get(card)?.push(transaction.done);
    return transaction;
  }

  function goOn(transaction: Transaction): void {
    const steps = nextOf(transaction);
    const sent = Promise.all(steps.map((step) => tell(playing, played, transaction, step, random())));
    const over = sent.then(
      () => void (transaction.left.length > 0 && ready.push(transaction)),
      (error: unknown) => void played.wrong.push(String(error)),
    );
    underWay.add(over);
    void over.finally(() => underWay.delete(over));
  }

  const begun = performance.now();
  for (let beat = 0; beat < rate * seconds && !unread?.aborted; beat += 1) {
    await sleep(Math.max(0, begun + (beat * 1_000) / rate - performance.now()));
    const late =
      ready.length > 0 && random() < 0.6
        ? ready.splice(Math.floor(random() * ready.length), 1)[0]
        : undefined;
    goOn(late ?? begin());
  }
  while (ready.length > 0 || underWay.size > 0) {
    for (const transaction of ready.splice(0)) goOn(transaction);
    await Promise.all(underWay);
  }
  return played;
}

/** Returns the next message and those that are sent together with it. */
function nextOf({ left }: Transaction): Step[] {
  const steps: Step[] = [];
  do steps.push(left.shift() as Step);
  while (steps.at(-1)?.withNext && left.length > 0);
  return steps;
}

/** Sends one message, perhaps several times, and keeps its result. */
async function tell(
  playing: Playing,
  played: Played,
  { card, reference, startedAt, done }: Transaction,
  step: Step,
  chance: number,
): Promise<void> {
  const message = JSON.stringify({
    messageId: randomUUID(),
    type: step.type,
    cardReference: card,
    networkReference: reference,
    amount: (step.minor / 100).toFixed(2),
    currency: 'USD',
    final: step.final,
    merchant: { name: 'Simulated shop', mcc: '5411', city: 'Vienna', country: 'AT' },
    sentAt: new Date(startedAt + step.sent * 1_000).toISOString(),
  });
  const times = chance < TWICE ? 2 : 1;
  const answers = await Promise.all(
    Array.from({ length: times }, () => timed(playing, played, step, message)),
  );
  if (times > 1) answers.push(await timed(playing, played, step, message));
  played.messages += 1;
  played.repeated += answers.length - 1;
  const [first = ''] = answers;
  if (answers.some((answer) => answer !== first))
    played.wrong.push(`answers of one message differ: ${answers.join(' ')}`);
  const { approved = true, declineReason, unbooked } = JSON.parse(first) as Answer;
  if (!approved) count(played.declined, declineReason ?? 'without a reason');
  if (unbooked) played.wrong.push(`${step.type} was not booked: ${unbooked}`);
  done.push({ ...step, approved });
}

interface Answer {
  approved?: boolean;
  declineReason?: string;
  unbooked?: string;
}

function timesOf({ latencies }: Played, type: Step['type']): number[] {
  const times = latencies.get(type) ?? [];
  latencies.set(type, times);
  return times;
}

async function timed(playing: Playing, played: Played, { type }: Step, message: string): Promise<string> {
  const { text, ms } = await answered(playing, type, message);
  timesOf(played, type).push(ms);
  return text;
}

const count = (counts: Map<string, number>, name: string) =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);
