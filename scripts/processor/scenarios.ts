/** One message of a network's transaction, without its names. */
export interface Step {
  type: 'authorization' | 'advice' | 'clearing' | 'reversal' | 'refund';
  /** Minor units. */
  minor: number;
  /** Position in the network's order of sending. The list has the order of arrival. */
  sent: number;
  final?: true;
  /** Arrives together with the next message. */
  withNext?: true;
}

/** Returns a number in [0, 1). */
export type Random = () => number;

/** A generator with the same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** More than any card has. */
const TOO_MUCH = 900_000_000;

const auth = (minor: number, sent = 0): Step => ({ type: 'authorization', minor, sent });
const clear = (minor: number, sent: number): Step => ({ type: 'clearing', minor, sent });
const last = (minor: number, sent: number): Step => ({ ...clear(minor, sent), final: true });
const back = (minor: number, sent: number): Step => ({ type: 'reversal', minor, sent });
const refund = (minor: number, sent: number): Step => ({ type: 'refund', minor, sent });
const together = (step: Step): Step => ({ ...step, withNext: true });

/** Scenarios of a network, with an amount `a` and a smaller amount `b`. */
const SCENARIOS: Readonly<Record<string, (a: number, b: number) => Step[]>> = {
  purchase: (a) => [auth(a), last(a, 1)],
  increment: (a, b) => [auth(a), auth(b, 1), last(a + b, 2)],
  'cleared in parts': (a, b) => [auth(a), clear(b, 1), clear(a - b, 2)],
  'cleared in part': (a, b) => [auth(a), clear(b, 1)],
  'cleared for less': (a, b) => [auth(a), last(b, 1)],
  tip: (a, b) => [auth(a), last(a + b, 1)],
  reversed: (a) => [auth(a), back(a, 1)],
  'reversed in part': (a, b) => [auth(a), back(b, 1), last(a - b, 2)],
  'cleared after a reversal': (a) => [auth(a), back(a, 1), clear(a, 2)],
  refunded: (a, b) => [auth(a), last(a, 1), refund(b, 2)],
  'stand-in': (a) => [{ type: 'advice', minor: a, sent: 0 }, last(a, 1)],
  abandoned: (a) => [auth(a)],
  declined: () => [auth(TOO_MUCH)],
  question: () => [auth(0)],
  'force post': (a) => [clear(a, 0)],
  'refund alone': (a) => [refund(a, 0)],
  'clearing first': (a) => [clear(a, 1), auth(a)],
  'clearing of a part first': (a, b) => [clear(b, 1), auth(a), last(a - b, 2)],
  'final clearing first': (a, b) => [last(b, 1), auth(a)],
  'increment overtaken': (a, b) => [auth(a), clear(a + b, 2), auth(b, 1)],
  'reversal first': (a) => [back(a, 1), auth(a)],
  'reversal of a part first': (a, b) => [back(b, 1), auth(a)],
  'clearing at once': (a) => [together(auth(a)), clear(a, 1)],
  'reversal at once': (a) => [together(auth(a)), back(a, 1)],
};

export interface Scenario {
  name: string;
  steps: Step[];
}

/** Picks a scenario, with amounts between 0.02 and 20.00. */
export function scenarioOf(random: Random): Scenario {
  const names = Object.keys(SCENARIOS);
  const name = names[Math.floor(random() * names.length)] as string;
  const a = 2 + Math.floor(random() * 1_999);
  const b = 1 + Math.floor(random() * (a - 1));
  return { name, steps: (SCENARIOS[name] as (typeof SCENARIOS)[string])(a, b) };
}
