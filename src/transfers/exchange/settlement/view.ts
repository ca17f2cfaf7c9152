import { z } from 'zod';
import { formatAmounts } from '../../../kernel/money/money';
import { instant, money } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import type { ReleasableBalance } from './balance';
import type { CheckedIncrease } from './check-increase';

/** Our balance at the exchange in a currency (decisions part 4, Exchange). */
export const settlementBalanceSchema = z
  .object({
    currency: z.string(),
    booked: money().meta({
      description: 'By our books, including deals that are not paid yet. Negative where we owe the exchange.',
    }),
    reported: money().meta({ description: 'Reported by the exchange.' }),
    difference: money().meta({ description: '`reported` less `booked`.' }),
    releasable: money().meta({
      description:
        'The sum of the waiting orders that a check would release now: longest waiting first, each as a whole, at most fifty. ' +
        '`0.00` where a check would refuse this reading as too old.',
    }),
    asOf: instant().meta({ description: 'Time of `reported`.' }),
  })
  .meta({ id: 'SettlementBalance' });

export function settlementBalanceView(balance: ReleasableBalance) {
  const { currency, booked, reported, difference, releasable } = balance;
  const amounts = formatAmounts({ booked, reported, difference, releasable }, currency);
  return shown(settlementBalanceSchema, balance, amounts);
}

/** Result of a settlement check (decisions part 4, Exchange). */
export const checkedIncreaseSchema = z
  .object({
    currency: z.string(),
    previous: money().meta({ description: 'Balance that the exchange reported at the previous check.' }),
    current: money().meta({ description: 'Balance that the exchange reports now.' }),
    increase: money().meta({
      description:
        'Money received since the previous check: the growth of the balance plus the amounts that we sent. Never negative.',
    }),
    leftOver: money().meta({
      description:
        'Received money that no order was released for, by our present books, less amounts just sent. Negative where more ' +
        'money has left the exchange than our books show.',
    }),
    ordersReleased: z
      .array(z.string())
      .meta({ description: 'Ids of the orders that this check has completed, longest waiting first.' }),
    asOf: instant(),
  })
  .meta({ id: 'SettlementIncrease' });

export function checkedIncreaseView(checked: CheckedIncrease) {
  const { currency, previous, current, increase, leftOver } = checked;
  const amounts = formatAmounts({ previous, current, increase, leftOver }, currency);
  return shown(checkedIncreaseSchema, checked, amounts);
}
