import { z } from 'zod';
import { positiveDecimal } from '../protocol/answers';
import type { PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { bankCreditWord, remitter } from './word';

export const bankCreditAnswer = bankCreditWord.extend({
  remitter: remitter.optional().describe('The payer, as the account’s statements name them.'),
});

export const returnOrder = z.object({
  amount: positiveDecimal.describe('The whole payment or a part of it, in the currency of the payment.'),
});

export const returnAnswer = z.object({ id: partyName.describe('The bank’s id of the return.') });

export const bankCallback = z.object({ id: partyName, creditId: z.string().regex(/^[\w-]{1,100}$/) });

const CREDIT = {
  id: 'crd-1',
  version: 2,
  iban: 'LT121000011101001000',
  amount: '250.00',
  currency: 'EUR',
  remitter: { name: 'Grace Hopper', iban: 'DE89370400440532013000' },
  recalls: [],
};

export const bankProtocol: PartyProtocol = {
  name: 'bank',
  title: 'Bank',
  purpose:
    'Holds the money behind the virtual IBANs. It receives payments to them and returns payments that we order back.',
  operations: [
    {
      name: 'state',
      kind: 'state',
      method: 'GET',
      path: '/credits/{creditId}',
      ref: 'id',
      summary: 'The state of a received payment',
      description:
        'The bank lists each payment to an IBAN of our range in `changes`, with its id as `ref`, and reports it by a callback.',
      answer: bankCreditAnswer,
      example: {
        ...CREDIT,
        returns: [
          { id: 'ret-1', key: 'dec_01h2xcejqtf2nbrexx3vqjhp41', amount: '250.00', status: 'pending' },
        ],
      },
    },
    {
      name: 'return',
      kind: 'part',
      method: 'POST',
      path: '/credits/{creditId}/returns',
      listed: 'returns',
      summary: 'Return a payment, or a part of it, to its payer',
      description: 'The payment’s `returns` show the result under our key.',
      request: returnOrder,
      sample: () => ({ amount: '1.00' }),
      another: { amount: '1.01' },
      answer: returnAnswer,
      example: { id: 'ret-1' },
      refusals: {
        malformed_return: 'The body does not match this schema, or the key is missing.',
        amount_too_large: 'The amount exceeds the rest of the payment.',
        account_closed: 'Any code of the party’s own. The money stays in suspense until a person decides.',
      },
    },
  ],
  callback: { schema: bankCallback, ref: 'creditId', example: { id: 'change-17', creditId: CREDIT.id } },
  changes: true,
};
