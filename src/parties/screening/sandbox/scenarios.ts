import type { LaterChange, OrderFaults } from '../../sandbox/orders/book';
import type { ScreeningWord } from '../word';

type Result = Pick<ScreeningWord, 'status' | 'reason' | 'score'>;

/**
 * How the sandbox's screening party judges a payment. The last six hexadecimal digits of the other side's address decide:
 * of the sender, or of the destination. The party clears every other address at once.
 */
export interface ScreeningScenario extends OrderFaults {
  /** In lower case. */
  ending: string;
  /** For docs/sandbox.md: what a client sees. */
  effect: string;
  /** The result of the first answer. Absent: cleared. */
  atOnce?: Result;
  later?: (LaterChange & Result)[];
}

const PENDING: Result = { status: 'pending' };
const CLEARED: Result = { status: 'cleared', score: '12' };
const REFUSED: Result = { status: 'refused', reason: 'sanctions', score: '98' };

export const SCREENING_SCENARIOS: readonly ScreeningScenario[] = [
  {
    ending: 'bad001',
    effect: 'Refused at once: a deposit is `uncredited` with `screening_refused`, a payout `failed` with it.',
    atOnce: REFUSED,
  },
  {
    ending: 'bad002',
    effect: 'Pending, and cleared after five seconds.',
    atOnce: PENDING,
    later: [{ afterSeconds: 5, ...CLEARED }],
  },
  {
    ending: 'bad003',
    effect: 'Pending, and refused after five seconds.',
    atOnce: PENDING,
    later: [{ afterSeconds: 5, ...REFUSED }],
  },
  {
    ending: 'bad004',
    effect: 'Pending for ever: the deposit stays `confirming`, the payout `processing`.',
    atOnce: PENDING,
  },
  {
    ending: 'bad005',
    effect: 'The party cannot be reached for 30 seconds, then it clears.',
    unreachableSeconds: 30,
  },
  {
    ending: 'bad006',
    effect: 'Cleared, and refused 60 seconds later: the money stays, and operators see a break.',
    later: [{ afterSeconds: 60, ...REFUSED }],
  },
  {
    ending: 'bad007',
    effect: 'Taken, and the first answer is lost. We ask again, then it is cleared.',
    losesFirstAnswer: true,
  },
];

const byEnding = new Map(SCREENING_SCENARIOS.map((scenario) => [scenario.ending, scenario]));

export const screeningScenarioOf = (address: string): Partial<ScreeningScenario> =>
  byEnding.get(address.slice(-6).toLowerCase()) ?? {};
