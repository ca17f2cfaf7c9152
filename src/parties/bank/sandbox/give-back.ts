import { randomUUID } from 'node:crypto';
import type { Tx } from '../../../kernel/db/database';
import { type Decimal, fitsCurrency } from '../../../kernel/money/money';
import { recordChange } from '../../sandbox/changes';
import { secondsAfter } from '../../sandbox/time';
import { type FullCredit, leftOf, momentsOf } from './credit';
import { scenarioOf } from './scenarios';
import { insertReturn, lockCredit, returnByKey, returnsOf, type SandboxReturn } from './store';

/** Orders a return, idempotent by key. @returns the return, or the code of the refusal */
export async function giveBack(
  tx: Tx,
  { key, creditId, amount }: { key: string; creditId: string; amount: Decimal },
  now: () => Date,
): Promise<SandboxReturn | string> {
  const credit = await lockCredit(tx, creditId, 'update');
  if (!credit) return 'not_found';
  const at = now();
  const returns = await returnsOf(tx, creditId);
  const known = await returnByKey(tx, key);
  if (known) return isSame(known, { creditId, amount }) ? known : 'idempotency_mismatch';
  const refusal = refusalOf({ credit, returns }, amount, at);
  if (refusal !== undefined) return refusal;
  const made = returnOf({ key, creditId, amount }, credit.amount, at);
  await insertReturn(tx, made);
  const record = { party: 'bank', ref: creditId, callbackUrl: credit.callbackUrl } as const;
  recordChange(tx, record, [{ at }], momentsOf({ returns: [...returns, made] }));
  return made;
}

const isSame = (known: SandboxReturn, asked: Pick<SandboxReturn, 'creditId' | 'amount'>): boolean =>
  known.creditId === asked.creditId && known.amount.eq(asked.amount);

function refusalOf(full: FullCredit, amount: Decimal, at: Date): string | undefined {
  const { returnRefusal } = scenarioOf(full.credit.amount);
  if (returnRefusal !== undefined) return returnRefusal;
  if (!fitsCurrency(amount, full.credit.currency)) return 'malformed_return';
  return amount.gt(leftOf(full, at)) ? 'amount_too_large' : undefined;
}

function returnOf(
  given: Pick<SandboxReturn, 'key' | 'creditId' | 'amount'>,
  creditAmount: Decimal,
  at: Date,
): SandboxReturn {
  const { returnSeconds = 0, returnFails = false, returnUndoneSeconds } = scenarioOf(creditAmount);
  const endsAt = secondsAfter(at, returnSeconds);
  return {
    ...given,
    id: `sbr-${randomUUID()}`,
    kind: 'return',
    at,
    endsAt,
    outcome: returnFails ? 'failed' : 'succeeded',
    undoneAt: returnUndoneSeconds === undefined ? null : secondsAfter(endsAt, returnUndoneSeconds),
  };
}
