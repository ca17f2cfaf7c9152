import { z } from 'zod';
import { formatAmount } from '../../../kernel/money/money';
import { instant, money } from '../../../kernel/wire/schemas';
import type { ReleasableBalance } from './balance';
import type { CheckedIncrease } from './check-increase';

/** Our balance at the exchange in a currency (decisions part 4, Exchange). */
export const settlementBalanceSchema = z
  .object({
    currency: z.string(),
    booked: money().meta({
      description: 'By our books, with what is dealt and not paid yet; below zero where we owe it.',
    }),
    reported: money().meta({ description: 'As the exchange says.' }),
    difference: money().meta({ description: '`reported` less `booked`.' }),
    releasable: money().meta({
      description:
        'The sum that a check would release now: of the waiting orders, the longest waiting first, each whole, fifty at most. ' +
        '`0.00` where a check would take this reading for too old.',
    }),
    asOf: instant().meta({ description: 'Of what is reported.' }),
  })
  .meta({ id: 'SettlementBalance' });

export function settlementBalanceView(balance: ReleasableBalance): z.output<typeof settlementBalanceSchema> {
  const { currency, booked, reported, difference, releasable, asOf } = balance;
  return {
    currency,
    booked: formatAmount(booked, currency),
    reported: formatAmount(reported, currency),
    difference: formatAmount(difference, currency),
    releasable: formatAmount(releasable, currency),
    asOf: asOf.toISOString(),
  };
}

/** Result of a settlement check (decisions part 4, Exchange). */
export const checkedIncreaseSchema = z
  .object({
    currency: z.string(),
    previous: money().meta({ description: 'What the exchange reported at the last check.' }),
    current: money().meta({ description: 'What it reports now.' }),
    increase: money().meta({
      description:
        'What has come since: what is there more, and what we have sent out of it; never below zero.',
    }),
    leftOver: money().meta({
      description:
        'What has come and no order was released for, by our books as they are now, less what has just been sent; below zero where more has gone than they know of.',
    }),
    ordersReleased: z
      .array(z.string())
      .meta({ description: 'Orders that have completed, the longest waiting first.' }),
    asOf: instant(),
  })
  .meta({ id: 'SettlementIncrease' });

export function checkedIncreaseView(checked: CheckedIncrease): z.output<typeof checkedIncreaseSchema> {
  const { currency, previous, current, increase, leftOver, ordersReleased, asOf } = checked;
  return {
    currency,
    previous: formatAmount(previous, currency),
    current: formatAmount(current, currency),
    increase: formatAmount(increase, currency),
    leftOver: formatAmount(leftOver, currency),
    ordersReleased,
    asOf: asOf.toISOString(),
  };
}
