import { z } from 'zod';
import { positiveDecimal } from '../protocol/answers';
import type { PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { bankCreditWord } from './word';

export const returnOrder = z.object({
  amount: positiveDecimal.describe('In the payment’s currency; all of it, or a part.'),
});

export const returnAnswer = z.object({ id: partyName.describe('The bank’s name for the return.') });

export const bankCallback = z.object({ id: partyName, creditId: z.string().regex(/^[\w-]{1,100}$/) });

const CREDIT = {
  ...{ id: 'crd-1', version: 2, iban: 'LT121000011101001000', amount: '250.00', currency: 'EUR' },
  recalls: [],
};

export const bankProtocol: PartyProtocol = {
  name: 'bank',
  title: 'Bank',
  purpose:
    'Keeps the money behind the virtual IBANs: it receives payments to them, and returns them when it is told to.',
  operations: [
    {
      ...{ name: 'state', kind: 'state', method: 'GET', path: '/credits/{creditId}', ref: 'id' },
      summary: 'The state of a payment that was received',
      description:
        'Nobody orders one: each that comes for an IBAN of our range stands in `changes`, `ref` its id, and is told by a callback.',
      answer: bankCreditWord,
      example: {
        ...CREDIT,
        returns: [
          { id: 'ret-1', key: 'dec_01h2xcejqtf2nbrexx3vqjhp41', amount: '250.00', status: 'pending' },
        ],
      },
    },
    {
      ...{
        name: 'return',
        kind: 'part',
        method: 'POST',
        path: '/credits/{creditId}/returns',
        listed: 'returns',
      },
      summary: 'Give a payment, or a part of it, back to its payer',
      description: 'What becomes of it stands in the payment’s `returns`, with our key.',
      request: returnOrder,
      sample: () => ({ amount: '1.00' }),
      another: { amount: '1.01' },
      answer: returnAnswer,
      example: { id: 'ret-1' },
      refusals: {
        malformed_return: 'The body is not of this shape, or the key is missing.',
        amount_too_large: 'More than is left of the payment.',
        account_closed: 'Any reason of the party’s own: the money stays in suspense for a person.',
      },
    },
  ],
  callback: { schema: bankCallback, ref: 'creditId', example: { id: 'change-17', creditId: CREDIT.id } },
  changes: true,
};
