import { z } from 'zod';
import { Decimal, roundTo } from '../../../kernel/money/money';
import { type LaterChange, type OrderBook, orderBook } from '../orders/book';
import { changeAt, momentsOf } from '../orders/moments';
import { type PayingScenario, payingScenarioOf } from './scenarios';

export interface Payment {
  key: string;
  amount: Decimal;
  currency: string;
  acceptedAt: Date | null;
}

/** The party's state of a payment. Amounts are decimal strings. */
export interface PaymentReport {
  key: string;
  version: number;
  status: 'processing' | 'sent' | 'completed' | 'failed' | 'returned';
  failureCode?: string;
  sent: string;
  returns: { id: string; amount: string }[];
}

type Paying<Asked extends object> = OrderBook<Asked, object, PaymentReport>;

/** The book of orders to pay. */
export const payingBook = <Asked extends Pick<Payment, 'amount' | 'currency'>>(
  own: Pick<Paying<Asked>, 'party' | 'kind' | 'asked' | 'prepare' | 'accept'>,
): Paying<Asked> =>
  orderBook<Asked, object, PaymentReport>({
    ...own,
    state: z.object({}),
    faultsOf: ({ amount }) => payingScenarioOf(amount),
    momentsOf: (kept, at) => momentsOf(changesOf(kept), payingScenarioOf(kept.amount), at),
    wordAt,
  });

/** Seconds from an order to `sent`, and from there to `completed`, unless the scenario sets others. */
const SENT_SECONDS = 0.15;
const COMPLETED_SECONDS = 0.1;

/** `returned`: all parts that have come back up to the change. */
type Change = Pick<PaymentReport, 'status' | 'failureCode'> & LaterChange & { returned?: string[] };

/** The changes of a payment in their sequence, with seconds counted from the order. */
export function changesOf({ amount, currency }: Pick<Payment, 'amount' | 'currency'>): Change[] {
  const scenario = payingScenarioOf(amount);
  const { decisionSeconds = SENT_SECONDS, refusal } = scenario;
  const changes = refusal
    ? refused(scenario, refusal, decisionSeconds)
    : [...paid(scenario, decisionSeconds), ...returned(scenario, amount, currency)];
  return changes.filter(({ afterSeconds }) => Number.isFinite(afterSeconds));
}

function refused(scenario: Partial<PayingScenario>, failureCode: string, at: number): Change[] {
  const { sentAfterRefusalSeconds: later } = scenario;
  return [
    { status: 'failed', failureCode, afterSeconds: at },
    ...(later === undefined ? [] : [{ status: 'completed', afterSeconds: later } as const]),
  ];
}

function paid(scenario: Partial<PayingScenario>, sentAt: number): Change[] {
  const { completionSeconds = COMPLETED_SECONDS, failsAfterSendingSeconds } = scenario;
  return [
    { status: 'sent', afterSeconds: sentAt },
    { status: 'completed', afterSeconds: sentAt + completionSeconds },
    ...(failsAfterSendingSeconds === undefined
      ? []
      : [{ status: 'failed', failureCode: 'bank_refused', afterSeconds: failsAfterSendingSeconds } as const]),
  ];
}

/** Returns a part and, where the scenario has `returnsRest`, the rest after the same time again. */
function returned(
  { returnSeconds, returnedShare = '1', returnsRest }: Partial<PayingScenario>,
  amount: Decimal,
  currency: string,
): Change[] {
  if (returnSeconds === undefined) return [];
  const part = roundTo(amount.times(returnedShare), currency, Decimal.ROUND_DOWN);
  const parts = [part.toFixed(), amount.minus(part).toFixed()];
  const first: Change = { status: 'returned', returned: parts.slice(0, 1), afterSeconds: returnSeconds };
  return returnsRest ? [first, { ...first, returned: parts, afterSeconds: 2 * returnSeconds }] : [first];
}

/** The state of a payment at that time. */
export function wordAt(payment: Payment, version: number, at: Date): PaymentReport {
  const { key, amount, acceptedAt } = payment;
  const {
    afterSeconds: _,
    returned: back = [],
    ...now
  } = changeAt(changesOf(payment), acceptedAt, at) ?? { status: 'processing', afterSeconds: 0 };
  const hasLeft = ['sent', 'completed', 'returned'].includes(now.status);
  const returns = back.map((part, index) => ({ id: `return-${key}-${index + 1}`, amount: part }));
  return { key, version, ...now, sent: hasLeft ? amount.toFixed() : '0', returns };
}
