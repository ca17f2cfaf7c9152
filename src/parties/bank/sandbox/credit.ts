import { type Decimal, sumOf } from '../../../kernel/money/money';
import { distinct, type Moment } from '../../sandbox/changes';
import type { SandboxCredit, SandboxReturn } from './store';

/** A payment with all that goes back of it. */
export interface FullCredit {
  credit: SandboxCredit;
  returns: SandboxReturn[];
}

export function statusAt({ endsAt, outcome, undoneAt }: SandboxReturn, at: Date) {
  if (undoneAt !== null && undoneAt <= at) return 'failed';
  return endsAt <= at ? outcome : 'pending';
}

/** What neither has gone back nor is on its way. */
export function leftOf({ credit, returns }: FullCredit, at: Date): Decimal {
  const gone = returns.filter((one) => one.at <= at && statusAt(one, at) !== 'failed');
  return credit.amount.minus(sumOf(gone));
}

/** When it changes by itself. */
export function momentsOf({ returns }: Pick<FullCredit, 'returns'>): Moment[] {
  return distinct(returns.flatMap(({ at, endsAt, undoneAt }) => [at, endsAt, undoneAt]));
}

/** What the bank says of a payment at that time, whole: amounts as decimal strings. */
export function wordAt({ credit, returns }: FullCredit, version: number, at: Date) {
  const { id, iban, amount, currency } = credit;
  const present = returns.filter((one) => one.at <= at);
  const of = (kind: SandboxReturn['kind']) => present.filter((one) => one.kind === kind);
  return {
    ...{ id, version, iban, amount: amount.toFixed(), currency },
    recalls: of('recall').map((one) => ({ id: one.id, amount: one.amount.toFixed() })),
    returns: of('return').map((one) => ({
      ...{ id: one.id, key: one.key ?? undefined, amount: one.amount.toFixed() },
      status: statusAt(one, at),
    })),
  };
}
