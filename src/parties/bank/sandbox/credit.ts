import { type Decimal, sumOf } from '../../../kernel/money/money';
import { distinct, type Moment } from '../../sandbox/changes';
import type { SandboxCredit, SandboxReturn } from './store';

export interface FullCredit {
  credit: SandboxCredit;
  returns: SandboxReturn[];
}

export function statusAt({ endsAt, outcome, undoneAt }: SandboxReturn, at: Date) {
  if (undoneAt !== null && undoneAt <= at) return 'failed';
  return endsAt <= at ? outcome : 'pending';
}

/** The amount that has neither gone back nor is on its way back. */
export function leftOf({ credit, returns }: FullCredit, at: Date): Decimal {
  const gone = returns.filter((one) => one.at <= at && statusAt(one, at) !== 'failed');
  return credit.amount.minus(sumOf(gone));
}

/** The times at which the payment changes by itself. */
export function momentsOf({ returns }: Pick<FullCredit, 'returns'>): Moment[] {
  return distinct(returns.flatMap(({ at, endsAt, undoneAt }) => [at, endsAt, undoneAt]));
}

/** The bank's whole state of the payment at that time. Amounts are decimal strings. */
export function wordAt({ credit, returns }: FullCredit, version: number, at: Date) {
  const { id, iban, amount, currency, remitterName: name, remitterIban } = credit;
  const present = returns.filter((one) => one.at <= at);
  const of = (kind: SandboxReturn['kind']) => present.filter((one) => one.kind === kind);
  return {
    id,
    version,
    iban,
    amount: amount.toFixed(),
    currency,
    remitter: { name, iban: remitterIban ?? undefined },
    recalls: of('recall').map((one) => ({ id: one.id, amount: one.amount.toFixed() })),
    returns: of('return').map((one) => ({
      id: one.id,
      key: one.key ?? undefined,
      amount: one.amount.toFixed(),
      status: statusAt(one, at),
    })),
  };
}
