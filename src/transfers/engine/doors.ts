import { ZERO } from '../../kernel/money/money';
import type { Door } from './inflow';
import type { Decision } from './record';

/** What people have let out of suspense by decisions, and put into it from an account (decisions part 2). */
export function doorsOf(decisions: readonly Decision[]): Door[] {
  return decisions.flatMap(({ id, kind, amount, currency, accountId }): Door[] => {
    const money = { part: id, amount: amount ?? ZERO, currency: currency ?? '' };
    switch (kind) {
      case 'credit_suspense':
        return [{ ...money, to: 'account', account: accountId }];
      case 'recover':
        return [{ ...money, amount: money.amount.negated(), to: 'account', account: accountId }];
      case 'write_off':
        return [{ ...money, to: 'losses', account: null }];
      default:
        return [];
    }
  });
}
