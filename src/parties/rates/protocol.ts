import { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import { decimal } from '../protocol/answers';
import type { PartyProtocol } from '../protocol/description';

/** Rows are checked separately, so that an unreadable row is dropped alone. */
export const ratesAnswer = z.object({
  base: z.string().refine(isCurrency).describe('The currency of all rates.'),
  asOf: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .describe('The time of all rates.'),
  rates: z
    .record(z.string(), z.unknown())
    .describe('Worth of one unit in the base, by currency: `{ bid, ask }`.'),
});

export const rateRow = z.object({
  bid: decimal.describe('The price at which the party buys one unit.'),
  ask: decimal.describe('The price at which the party sells one unit.'),
});

export const ratesProtocol: PartyProtocol = {
  name: 'rates',
  title: 'Rates',
  purpose: 'Quotes exchange rates. The party has no orders, no list of changes and no callbacks.',
  operations: [
    {
      name: 'rates',
      kind: 'question',
      method: 'GET',
      path: '/rates',
      summary: 'All rates of one moment',
      description:
        'We read the rates every ten seconds. A row without a positive bid and ask, or with a bid above its ask, is dropped.',
      answer: ratesAnswer,
      example: {
        base: 'USD',
        asOf: '2026-01-31T12:00:00Z',
        rates: { EUR: { bid: '1.0845', ask: '1.0855' }, JPY: { bid: '0.00641', ask: '0.00642' } },
      },
    },
  ],
  changes: false,
};
