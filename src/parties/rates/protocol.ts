import { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import { decimal } from '../protocol/answers';
import type { PartyProtocol } from '../protocol/description';

/** A row is read by itself: one that cannot be read takes no other with it. */
export const ratesAnswer = z.object({
  base: z.string().refine(isCurrency).describe('What every rate is counted in.'),
  asOf: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .describe('The one moment of all of them.'),
  rates: z
    .record(z.string(), z.unknown())
    .describe('By currency, `{ bid, ask }`: what one unit is worth in the base.'),
});

export const rateRow = z.object({
  bid: decimal.describe('What is paid for one unit.'),
  ask: decimal.describe('What one unit costs.'),
});

export const ratesProtocol: PartyProtocol = {
  name: 'rates',
  title: 'Rates',
  purpose: 'Quotes what currencies are worth. It has no orders, no list and no callbacks.',
  operations: [
    {
      ...{ name: 'rates', kind: 'question', method: 'GET', path: '/rates' },
      summary: 'All rates of one moment',
      description:
        'Asked each ten seconds. A row without a positive bid and ask, or with a bid above its ask, is dropped.',
      answer: ratesAnswer,
      example: {
        ...{ base: 'USD', asOf: '2026-01-31T12:00:00Z' },
        rates: { EUR: { bid: '1.0845', ask: '1.0855' }, JPY: { bid: '0.00641', ask: '0.00642' } },
      },
    },
  ],
  changes: false,
};
