import { Decimal, roundTo } from '../../../kernel/money/money';
import { type PayoutScenario, scenarioOf } from './scenarios';
import type { SandboxPayout } from './store';

/** A payout as the party tells of it: amounts as decimal strings. */
export interface PayoutWord {
  key: string;
  status: 'processing' | 'sent' | 'completed' | 'failed' | 'returned';
  failureCode?: string;
  sent: string;
  returns: { id: string; amount: string }[];
}

/** From an order to `sent` and from there to `completed`, where no scenario says another. */
const SENT_SECONDS = 0.15;
const COMPLETED_SECONDS = 0.1;

type Change = Pick<PayoutWord, 'status' | 'failureCode'> & { afterSeconds: number; returned?: string };

/** What happens to a payout and when, counted from the order; in the order of time. */
export function changesOf({ amount, currency }: Pick<SandboxPayout, 'amount' | 'currency'>): Change[] {
  const scenario = scenarioOf(amount);
  const { decisionSeconds = SENT_SECONDS, refusal } = scenario;
  const changes = refusal
    ? refused(scenario, refusal, decisionSeconds)
    : paid(scenario, decisionSeconds, returnedOf(scenario, amount, currency));
  return changes.filter(({ afterSeconds }) => Number.isFinite(afterSeconds));
}

function refused(scenario: Partial<PayoutScenario>, failureCode: string, at: number): Change[] {
  const { sentAfterRefusalSeconds: later } = scenario;
  return [
    { status: 'failed', failureCode, afterSeconds: at },
    ...(later === undefined ? [] : [{ status: 'completed', afterSeconds: later } as const]),
  ];
}

function paid(scenario: Partial<PayoutScenario>, sentAt: number, returned: string): Change[] {
  const { completionSeconds = COMPLETED_SECONDS, returnSeconds, failsAfterSendingSeconds } = scenario;
  return [
    { status: 'sent', afterSeconds: sentAt },
    { status: 'completed', afterSeconds: sentAt + completionSeconds },
    ...(returnSeconds === undefined
      ? []
      : [{ status: 'returned', returned, afterSeconds: returnSeconds } as const]),
    ...(failsAfterSendingSeconds === undefined
      ? []
      : [{ status: 'failed', failureCode: 'bank_refused', afterSeconds: failsAfterSendingSeconds } as const]),
  ];
}

function returnedOf({ returnedShare = '1' }: Partial<PayoutScenario>, amount: Decimal, currency: string) {
  return roundTo(amount.times(returnedShare), currency, Decimal.ROUND_DOWN).toFixed();
}

/** Where a payout stands at that time. */
export function wordAt(payout: SandboxPayout, at: Date): PayoutWord {
  const { key, amount, acceptedAt } = payout;
  const elapsed = (at.getTime() - (acceptedAt ?? at).getTime()) / 1000;
  const {
    afterSeconds: _,
    returned,
    ...now
  } = changesOf(payout)
    .reverse()
    .find(({ afterSeconds }) => afterSeconds <= elapsed) ?? { status: 'processing', afterSeconds: 0 };
  const hasLeft = ['sent', 'completed', 'returned'].includes(now.status);
  const returns = returned === undefined ? [] : [{ id: `return-${key}`, amount: returned }];
  return { key, ...now, sent: hasLeft ? amount.toFixed() : '0', returns };
}
