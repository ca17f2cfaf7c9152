import { z } from 'zod';
import { positiveDecimal } from '../protocol/answers';
import type { PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { PAYOUT_METHODS } from './port';
import { payoutWord } from './word';

export const payoutOrder = z.object({
  method: z.enum(PAYOUT_METHODS),
  amount: positiveDecimal.describe('The amount that the destination receives.'),
  currency: z.string().min(1).max(8),
  destination: z
    .record(z.string(), z.string())
    .describe(
      'The payee’s account, which is personal data: those of `name`, `iban`, `bic`, `country`, `accountNumber`, `cardToken`, `chain`, `asset` and `address` that the method needs.',
    ),
  callbackUrl: z.url(),
});

export const payoutAnswer = payoutWord.extend({ key: partyName.describe('The order’s `idempotency-key`.') });

export const payoutCallback = z.object({ id: partyName, key: partyName });

const EXAMPLE = { key: 'payout-pay_01h2xcejqtf2nbrexx3vqjhp41', version: 3, sent: '100.00' };

export const payoutsProtocol: PartyProtocol = {
  name: 'payouts',
  title: 'Payouts',
  purpose: 'Pays money out of accounts and virtual IBANs.',
  operations: [
    {
      name: 'order',
      kind: 'order',
      method: 'POST',
      path: '/orders',
      ref: 'key',
      moved: 'sent',
      summary: 'Pay out',
      description: 'The money leaves once for each key. The answer is the whole state of the order.',
      request: payoutOrder,
      sample: ({ callbackUrl }) => ({
        method: 'sepa',
        amount: '100.00',
        currency: 'EUR',
        destination: { name: 'Ada Lovelace', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
        callbackUrl,
      }),
      another: { amount: '101.00' },
      answer: payoutAnswer,
      example: { ...EXAMPLE, version: 1, status: 'processing', sent: '0', returns: [] },
      refusals: {
        malformed_order: 'The body does not match this schema, or the key is missing.',
        account_closed: 'Any code of the party’s own. The client sees it as the payout’s failure.',
      },
    },
    {
      name: 'state',
      kind: 'state',
      method: 'GET',
      path: '/orders/{key}',
      ref: 'key',
      summary: 'The state of a payout',
      answer: payoutAnswer,
      example: { ...EXAMPLE, status: 'returned', returns: [{ id: 'ret-1', amount: '40.00' }] },
    },
  ],
  callback: { schema: payoutCallback, ref: 'key', example: { id: 'change-17', key: EXAMPLE.key } },
  changes: true,
};
