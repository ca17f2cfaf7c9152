import type { Sql } from '../kernel/db/database';
import { nonZeroInternalBalances } from '../kernel/ledger/accounts';
import { chainOfAccount } from '../kernel/ledger/entries';
import { type Decimal, formatAmount, ZERO } from '../kernel/money/money';
import { PARTY_ACCOUNTS } from '../kernel/parties';
import { type Figure, gauge, sharing, type Value } from '../process/desk/figure';

const PARTIES: readonly string[] = Object.values(PARTY_ACCOUNTS);
const CLIENTS = 'clients and cards';

interface Line {
  currency: string;
  place: string;
  amount: Decimal;
}

const valueOf = ({ currency, place, amount }: Line): Value => ({
  labels: { currency, place },
  value: formatAmount(amount, currency),
});

/**
 * Money by place and currency. The books sum to zero, so the money of clients and cards is what the internal accounts lack: no
 * figure reads the accounts of clients.
 */
export function moneyFigures(database: Sql): Figure[] {
  const internalBalances = sharing(() => nonZeroInternalBalances(database));
  return [
    gauge({
      name: 'money-at-rest',
      title: 'money at rest: of clients and cards, and our own, by currency',
      unit: 'amounts',
      isFirst: true,
      async values() {
        const internal = await internalBalances();
        const currencies = [...new Set(internal.map(({ currency }) => currency))];
        return currencies.flatMap((currency) => {
          const own = internal.filter((each) => each.currency === currency);
          return [
            { currency, place: CLIENTS, amount: clientsBalance(internal, currency) },
            ...own
              .filter(({ name }) => !isInMotion(name))
              .map(({ name, balance }) => ({ currency, place: name, amount: balance })),
          ].map(valueOf);
        });
      },
    }),
    gauge({
      name: 'money-in-motion',
      title:
        'money in motion: what parties and chains have of ours is below zero, what we owe them above, by currency',
      unit: 'amounts',
      isFirst: true,
      values: async () =>
        (await internalBalances())
          .filter(({ name }) => isInMotion(name))
          .map(({ name, currency, balance }) => valueOf({ currency, place: name, amount: balance })),
    }),
  ];
}

/** Balance of all clients and cards in a currency, from the balances of the internal accounts. */
export const clientsBalance = (
  internal: readonly { currency: string; balance: Decimal }[],
  currency: string,
): Decimal =>
  internal
    .filter((each) => each.currency === currency)
    .reduce((sum, { balance }) => sum.minus(balance), ZERO);

const isInMotion = (name: string): boolean => PARTIES.includes(name) || chainOfAccount(name) !== undefined;
