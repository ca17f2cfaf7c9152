import { sample } from '../kernel/metrics/definitions';
import { ageSeconds, type Reading } from '../kernel/metrics/readings';
import { allCurrencies } from '../kernel/money/currencies';
import { sumOpenBreaks } from '../process/breaks/operations';
import { lastBalances } from '../process/reported-balances';
import type { Services } from '../services';
import { SUSPENSE } from './engine/breaks';
import { countOpenTransfers } from './engine/open-transfers';
import { lastReadings } from './exchange/settlement/readings';

/** Money in suspense and money to claim. Counts the breaks, because entries of suspense are a history. */
export const suspenseReading: Reading = {
  name: 'suspense',
  gauges: ['suspense_amount', 'suspense_items'],
  read: async (sql) =>
    (await sumOpenBreaks(sql, SUSPENSE)).flatMap(({ currency, negative, count, amount }) => {
      const labels = { currency, side: negative ? 'missing' : 'held' };
      return [sample('suspense_amount', labels, Number(amount)), sample('suspense_items', labels, count)];
    }),
};

export const openTransfersReading: Reading = {
  name: 'transfers',
  gauges: ['transfers_open'],
  read: async (sql) =>
    (await countOpenTransfers(sql)).map(({ count, ...labels }) => sample('transfers_open', labels, count)),
};

export const settlementReading = ({ now }: Pick<Services, 'now'>): Reading => ({
  name: 'settlement',
  gauges: [
    'settlement_difference',
    'processor_balance_difference',
    'bank_balance_difference',
    'exchange_reading_age_seconds',
  ],
  async read(sql) {
    const readings = [...(await lastReadings(sql, allCurrencies())).values()];
    const newest = Math.max(...readings.map(({ asOf }) => asOf.getTime()));
    return [
      ...readings.map(({ currency, reported, booked }) =>
        sample('settlement_difference', { currency }, reported.minus(booked).toNumber()),
      ),
      ...(await lastBalances(sql)).map(({ party, currency, reported, booked }) =>
        sample(
          party === 'cardProcessor' ? 'processor_balance_difference' : 'bank_balance_difference',
          { currency },
          reported.minus(booked).toNumber(),
        ),
      ),
      ...(readings.length > 0 ? [sample('exchange_reading_age_seconds', {}, ageSeconds(now(), newest))] : []),
    ];
  },
});
