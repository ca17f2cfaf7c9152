import { z } from 'zod';
import { positiveDecimal } from '../../protocol/answers';
import { storedDecimal } from '../../protocol/stored';
import type { SandboxRates } from '../../rates/sandbox/table';
import { orderBook } from '../../sandbox/orders/book';
import { momentsOf } from '../../sandbox/orders/moments';
import { payingBook } from '../../sandbox/paying/progress';
import { withdrawalOrder } from '../protocol';
import { holdBalances, recordMovements } from './balances';
import { changesOf, wordAt } from './progress';
import { exchangeScenarioOf } from './scenarios';
import { dealMovements, withdrawalMovements } from './settlement';
import { tablePrice } from './table-price';

/** @param rates how the table of rates moves, because an order takes its price from the table */
export const dealBook = (rates: SandboxRates) =>
  orderBook({
    party: 'exchange',
    kind: 'deal',
    asked: z.object({
      currency: z.string(),
      amount: positiveDecimal,
      bought: z.string(),
      minReceive: positiveDecimal.nullable(),
    }),
    state: z.object({ rate: storedDecimal.nullable() }),
    faultsOf: ({ amount }) => exchangeScenarioOf(amount),
    prepare: holdBalances,
    accept(tx, kept, at) {
      const { key, currency, bought } = kept;
      const rate = tablePrice({ from: currency, to: bought, at, rates });
      recordMovements(tx, key, at, dealMovements({ ...kept, rate }));
      return { rate };
    },
    momentsOf: (kept, at) => momentsOf(changesOf(kept), exchangeScenarioOf(kept.amount), at),
    wordAt,
  });

export const WITHDRAWALS = payingBook({
  party: 'exchange',
  kind: 'withdrawal',
  asked: withdrawalOrder.pick({ amount: true, currency: true }),
  prepare: holdBalances,
  accept(tx, kept, at) {
    recordMovements(tx, kept.key, at, withdrawalMovements({ ...kept, acceptedAt: at }));
    return {};
  },
});
