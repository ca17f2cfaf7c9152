import { Decimal, roundTo } from '../../../kernel/money/money';
import type { Moment } from '../../sandbox/changes';
import { secondsAfter } from '../../sandbox/time';
import { type PayoutScenario, scenarioOf } from './scenarios';
import type { SandboxPayout } from './store';

/** A payout as the party tells of it: amounts as decimal strings. */
export interface ToldPayout {
  key: string;
  version: number;
  status: 'processing' | 'sent' | 'completed' | 'failed' | 'returned';
  failureCode?: string;
  sent: string;
  returns: { id: string; amount: string }[];
}

/** From an order to `sent` and from there to `completed`, where no scenario says another. */
const SENT_SECONDS = 0.15;
const COMPLETED_SECONDS = 0.1;

/** `returned`: all that has come back by then, each part. */
type Change = Pick<ToldPayout, 'status' | 'failureCode'> & { afterSeconds: number; returned?: string[] };

/** What happens to a payout and when, counted from the order; in the order of time. */
export function changesOf({ amount, currency }: Pick<SandboxPayout, 'amount' | 'currency'>): Change[] {
  const scenario = scenarioOf(amount);
  const { decisionSeconds = SENT_SECONDS, refusal } = scenario;
  const changes = refusal
    ? refused(scenario, refusal, decisionSeconds)
    : [...paid(scenario, decisionSeconds), ...returned(scenario, amount, currency)];
  return changes.filter(({ afterSeconds }) => Number.isFinite(afterSeconds));
}

function refused(scenario: Partial<PayoutScenario>, failureCode: string, at: number): Change[] {
  const { sentAfterRefusalSeconds: later } = scenario;
  return [
    { status: 'failed', failureCode, afterSeconds: at },
    ...(later === undefined ? [] : [{ status: 'completed', afterSeconds: later } as const]),
  ];
}

function paid(scenario: Partial<PayoutScenario>, sentAt: number): Change[] {
  const { completionSeconds = COMPLETED_SECONDS, failsAfterSendingSeconds } = scenario;
  return [
    { status: 'sent', afterSeconds: sentAt },
    { status: 'completed', afterSeconds: sentAt + completionSeconds },
    ...(failsAfterSendingSeconds === undefined
      ? []
      : [{ status: 'failed', failureCode: 'bank_refused', afterSeconds: failsAfterSendingSeconds } as const]),
  ];
}

/** One part comes back, and after as long again the rest where the scenario says so. */
function returned(
  { returnSeconds, returnedShare = '1', returnsRest }: Partial<PayoutScenario>,
  amount: Decimal,
  currency: string,
): Change[] {
  if (returnSeconds === undefined) return [];
  const part = roundTo(amount.times(returnedShare), currency, Decimal.ROUND_DOWN);
  const parts = [part.toFixed(), amount.minus(part).toFixed()];
  const first: Change = { status: 'returned', returned: parts.slice(0, 1), afterSeconds: returnSeconds };
  return returnsRest ? [first, { ...first, returned: parts, afterSeconds: 2 * returnSeconds }] : [first];
}

/** What another change follows within this is told with it. */
const TOGETHER_SECONDS = 5;

/** When it changes by itself, counted from when the order was taken. */
export function momentsOf(payout: SandboxPayout, acceptedAt: Date): Moment[] {
  const changes = changesOf(payout);
  const { sendsNoCallbacks = false } = scenarioOf(payout.amount);
  return changes.map(({ afterSeconds }, index) => {
    const next = changes[index + 1]?.afterSeconds ?? Number.POSITIVE_INFINITY;
    const quiet = sendsNoCallbacks || next - afterSeconds < TOGETHER_SECONDS;
    return { at: secondsAfter(acceptedAt, afterSeconds), quiet };
  });
}

/** Where a payout stands at that time. */
export function wordAt(payout: SandboxPayout, version: number, at: Date): ToldPayout {
  const { key, amount, acceptedAt } = payout;
  const elapsed = (at.getTime() - (acceptedAt ?? at).getTime()) / 1000;
  const {
    afterSeconds: _,
    returned: back = [],
    ...now
  } = changesOf(payout)
    .reverse()
    .find(({ afterSeconds }) => afterSeconds <= elapsed) ?? { status: 'processing', afterSeconds: 0 };
  const hasLeft = ['sent', 'completed', 'returned'].includes(now.status);
  const returns = back.map((part, index) => ({ id: `return-${key}-${index + 1}`, amount: part }));
  return { key, version, ...now, sent: hasLeft ? amount.toFixed() : '0', returns };
}
