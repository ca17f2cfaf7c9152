import { z } from 'zod';
import { positiveDecimal } from '../protocol/answers';
import type { OrderOperation, PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { cardOrderWord } from './word';

export const cardOrder = z.object({
  token: z.string().max(255).describe('Token that stands for the card. A card number never travels.'),
  amount: positiveDecimal,
  currency: z.string().min(1).max(8),
  merchant: z.string().max(500).describe('The merchant’s name on a page.'),
  returnUrl: z.url().nullable().describe('Where the payer’s browser goes after the party’s page.'),
  expiresAt: z.iso.datetime().describe('Latest time for the payer’s confirmation.'),
  callbackUrl: z.url(),
});

export const cardOrderAnswer = cardOrderWord.extend({
  key: partyName.describe('The order’s `idempotency-key`.'),
  actionUrl: z
    .url({ protocol: /^https?$/, normalize: true })
    .optional()
    .describe(
      'The party’s page, required while the status is `requires_action`. It is a secret of the payer.',
    ),
});

export const cardCallback = z.object({ id: partyName, key: partyName });

const EXAMPLE = { key: 'ctu_01h2xcejqtf2nbrexx3vqjhp41', version: 2, moved: '50.00', returns: [] };
const HOUR_MS = 3_600_000;

/** Charges and pushes have the same order. */
const order = (given: Pick<OrderOperation, 'name' | 'path' | 'summary' | 'description'>): OrderOperation => ({
  ...given,
  kind: 'order',
  method: 'POST',
  ref: 'key',
  moved: 'moved',
  request: cardOrder,
  sample: ({ callbackUrl, at }) => ({
    token: 'tok_visa',
    amount: '50.00',
    currency: 'EUR',
    merchant: 'Acme',
    returnUrl: null,
    expiresAt: new Date(at.getTime() + HOUR_MS).toISOString(),
    callbackUrl,
  }),
  another: { amount: '51.00' },
  answer: cardOrderAnswer,
  example: { ...EXAMPLE, version: 1, status: 'processing', moved: '0' },
  refusals: {
    malformed_order: 'The body does not match this schema, or the key is missing.',
    card_not_supported: 'Any code of the party’s own. The client sees it as the failure.',
  },
});

export const externalCardsProtocol: PartyProtocol = {
  name: 'external-cards',
  title: 'Payment cards elsewhere',
  purpose:
    'An acquirer that takes top-ups from other issuers’ payment cards, and pushes withdrawals to them.',
  operations: [
    order({
      name: 'charge',
      path: '/charges',
      summary: 'Take money from a card',
      description:
        'The party may require a confirmation of the payer on its page: `requires_action`, with `actionUrl`.',
    }),
    order({ name: 'push', path: '/pushes', summary: 'Pay money to a card' }),
    {
      name: 'state',
      kind: 'state',
      method: 'GET',
      path: '/orders/{key}',
      ref: 'key',
      summary: 'The state of a charge or a push',
      answer: cardOrderAnswer,
      example: { ...EXAMPLE, status: 'succeeded', returns: [{ id: 'chargeback-1', amount: '50.00' }] },
    },
  ],
  callback: { schema: cardCallback, ref: 'key', example: { id: 'change-17', key: EXAMPLE.key } },
  changes: true,
};
