import { randomUUID } from 'node:crypto';
import { type Decimal, fitsCurrency } from '../../../kernel/money/money';
import { secondsAfter } from '../../sandbox/time';
import { leftOf } from './credit';
import type { SandboxCredit, SandboxReturn } from './record';
import { scenarioOf } from './scenarios';

/** The code with which a return is refused. Undefined where it is accepted. */
export function returnRefusal(credit: SandboxCredit, amount: Decimal, at: Date): string | undefined {
  const { returnRefusal: refusal } = scenarioOf(credit.amount);
  if (refusal !== undefined) return refusal;
  if (!fitsCurrency(amount, credit.currency)) return 'malformed_return';
  return amount.gt(leftOf(credit, at)) ? 'amount_too_large' : undefined;
}

/** A return of the payment that is ordered now. */
export function returnOf(credit: SandboxCredit, key: string, amount: Decimal, at: Date): SandboxReturn {
  const { returnSeconds = 0, returnFails = false, returnUndoneSeconds } = scenarioOf(credit.amount);
  const endsAt = secondsAfter(at, returnSeconds);
  return {
    id: `sbr-${randomUUID()}`,
    kind: 'return',
    key,
    amount,
    at,
    endsAt,
    outcome: returnFails ? 'failed' : 'succeeded',
    undoneAt: returnUndoneSeconds === undefined ? null : secondsAfter(endsAt, returnUndoneSeconds),
  };
}
