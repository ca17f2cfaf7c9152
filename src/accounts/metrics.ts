import { nonZeroInternalBalances } from '../kernel/ledger/accounts';
import { sample } from '../kernel/metrics/definitions';
import type { Reading } from '../kernel/metrics/readings';
import { clientsBalance } from './money-figures';

/** Balances of the installation's own books. Each internal account and currency is a series. Clients share one. */
export const moneyReading: Reading = {
  name: 'money',
  gauges: ['money_balance'],
  // The entries since the last snapshot are summed, so the sum is read once a minute.
  keptMs: 60_000,
  async read(sql) {
    const internal = await nonZeroInternalBalances(sql);
    const currencies = [...new Set(internal.map(({ currency }) => currency))];
    return [
      ...currencies.map((currency) =>
        sample(
          'money_balance',
          { place: 'clients', currency },
          clientsBalance(internal, currency).toNumber(),
        ),
      ),
      ...internal.map(({ name: place, currency, balance }) =>
        sample('money_balance', { place, currency }, balance.toNumber()),
      ),
    ];
  },
};
