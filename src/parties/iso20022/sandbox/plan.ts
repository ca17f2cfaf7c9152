import { Decimal, roundTo } from '../../../kernel/money/money';
import { scenarioOf } from '../../bank/sandbox/scenarios';
import { payingScenarioOf } from '../../sandbox/paying/scenarios';
import type { ReadTransfer } from '../messages/credit-transfers';

/** A step of the bank with a transfer, and its delay after the file. */
export type PlannedStep =
  | { what: 'status'; afterSeconds: number; status: string; reason?: string }
  | { what: 'debit'; afterSeconds: number }
  | { what: 'return'; afterSeconds: number; amount: string; reason: string };

/** The bank's treatment of a transfer. */
export interface Plan {
  /** Code of the reason for which the transfer is refused in the answer to its file. */
  refusedFor?: string;
  steps: PlannedStep[];
  /** Each file about it comes twice. */
  repeats: boolean;
}

/** A text by which our bank port marks the return of a received payment. */
const RETURN = /^RETURN /;

/**
 * Chooses the treatment by the amount alone, as the other sandbox parties do. A return of a received payment has the
 * amounts of the bank (`801.xx`). Any other transfer has those of the payouts party (`901.xx`).
 */
export const planOf = (transfer: ReadTransfer): Plan =>
  RETURN.test(transfer.text ?? '') ? planOfReturn(transfer) : planOfPayout(transfer);

function planOfReturn({ amount }: ReadTransfer): Plan {
  const { returnRefusal, returnSeconds = 0, returnFails, returnUndoneSeconds } = scenarioOf(amount);
  if (returnRefusal !== undefined) return { refusedFor: 'AC04', steps: [], repeats: false };
  if (returnFails)
    return {
      steps: [{ what: 'status', afterSeconds: returnSeconds, status: 'RJCT', reason: 'AC04' }],
      repeats: false,
    };
  const steps: PlannedStep[] = [{ what: 'debit', afterSeconds: returnSeconds }];
  if (returnUndoneSeconds !== undefined)
    steps.push({
      what: 'return',
      afterSeconds: returnSeconds + returnUndoneSeconds,
      amount: amount.toFixed(),
      reason: 'AC04',
    });
  return { steps, repeats: false };
}

function planOfPayout({ amount, currency }: ReadTransfer): Plan {
  const scenario = payingScenarioOf(amount);
  const repeats = scenario.repeatsCallbacks ?? false;
  const { decisionSeconds = scenario.unreachableSeconds ?? 0, completionSeconds = 0 } = scenario;
  if (scenario.orderRefusal ?? scenario.refusal) {
    const { sentAfterRefusalSeconds: late } = scenario;
    const steps: PlannedStep[] = late === undefined ? [] : [{ what: 'debit', afterSeconds: late }];
    return { refusedFor: 'AC04', steps, repeats };
  }
  const sent: PlannedStep = { what: 'status', afterSeconds: decisionSeconds, status: 'ACSC' };
  if (scenario.failsAfterSendingSeconds !== undefined) {
    const failed: PlannedStep = {
      what: 'status',
      afterSeconds: scenario.failsAfterSendingSeconds,
      status: 'RJCT',
      reason: 'MS03',
    };
    return { steps: [sent, failed], repeats };
  }
  const debit: PlannedStep = { what: 'debit', afterSeconds: decisionSeconds + completionSeconds };
  const steps = [...(scenario.sendsNoCallbacks ? [] : [sent]), debit, ...returnsOf(amount, currency)].filter(
    ({ afterSeconds }) => Number.isFinite(afterSeconds),
  );
  return { steps, repeats };
}

function returnsOf(amount: Decimal, currency: string): PlannedStep[] {
  const { returnSeconds, returnedShare = '1', returnsRest } = payingScenarioOf(amount);
  if (returnSeconds === undefined) return [];
  const part = roundTo(amount.times(returnedShare), currency, Decimal.ROUND_DOWN);
  const first: PlannedStep = {
    what: 'return',
    afterSeconds: returnSeconds,
    amount: part.toFixed(),
    reason: 'AC04',
  };
  if (!returnsRest) return [first];
  return [first, { ...first, afterSeconds: 2 * returnSeconds, amount: amount.minus(part).toFixed() }];
}
