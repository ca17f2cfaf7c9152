import { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import { positiveDecimal } from '../protocol/answers';
import type { PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { CHECKOUT_METHODS } from './port';
import { checkoutWord } from './word';

const webAddress = z.url({ protocol: /^https?$/ });
const currency = z.string().min(1).max(8);

export const sessionOrder = z.object({
  depositId: z.string().optional().describe('Ours, for statements and support.'),
  method: z.enum(CHECKOUT_METHODS),
  amount: positiveDecimal.describe('What the payer pays.'),
  currency: currency.refine(isCurrency),
  merchant: z.string().min(1).describe('Whom the payer pays, as the page names it.'),
  returnUrl: webAddress.describe('Where the payer’s browser goes when it is done. Its return means nothing.'),
  callbackUrl: webAddress,
  expiresAt: z.iso.datetime().describe('From then on the page can no longer be paid.'),
});

/** Of a session, whole. */
export const sessionAnswer = checkoutWord.extend({ sessionId: partyName });

export const madeSession = z.object({
  sessionId: partyName,
  redirectUrl: z.url({ normalize: true }).describe('The payer’s page: nobody can guess it.'),
  // One that cannot be read is asked for.
  state: sessionAnswer.optional().catch(undefined).describe('Its whole state: spares us the question.'),
});

export const refundOrder = z.object({ amount: positiveDecimal, currency });

export const refundAnswer = z.object({
  refundId: partyName,
  status: z.enum(['pending', 'succeeded', 'failed']),
});

export const checkoutCallback = z.object({ id: partyName, sessionId: partyName });

const SESSION = { sessionId: 'cks_1', key: 'dep_01h2xcejqtf2nbrexx3vqjhp41', version: 1, risk: 'normal' };
const EMPTY = { payments: [], refunds: [], disputes: [] };
const MONEY = { amount: '100.00', currency: 'EUR' };
const HOUR_MS = 3_600_000;

export const checkoutProtocol: PartyProtocol = {
  name: 'checkout',
  title: 'Hosted checkout',
  purpose: 'A page where a payer pays a deposit by card, bank transfer or crypto, and refunds of it.',
  operations: [
    {
      ...{ name: 'session', kind: 'order', method: 'POST', path: '/sessions', ref: 'sessionId' },
      summary: 'Make a page for a payer',
      request: sessionOrder,
      sample: ({ callbackUrl, at }) => ({
        ...{ depositId: SESSION.key, method: 'card', ...MONEY, merchant: 'Acme' },
        ...{ returnUrl: 'https://shop.example/back', callbackUrl },
        expiresAt: new Date(at.getTime() + HOUR_MS).toISOString(),
      }),
      another: { amount: '101.00' },
      answer: madeSession,
      example: {
        ...{ sessionId: SESSION.sessionId, redirectUrl: 'https://pay.example/pages/6vZ1' },
        state: { ...SESSION, page: 'open', ...EMPTY },
      },
      refusals: {
        malformed_order: 'The body is not of this shape, or the key is missing.',
        method_unavailable: 'Any reason of the party’s own: the deposit has failed with it.',
      },
    },
    {
      ...{ name: 'state', kind: 'state', method: 'GET', path: '/sessions/{sessionId}', ref: 'sessionId' },
      summary: 'The state of a session',
      answer: sessionAnswer,
      example: {
        ...{ ...SESSION, version: 3, page: 'paid', ...EMPTY },
        payments: [{ id: 'pay-1', ...MONEY, status: 'settled' }],
        refunds: [
          {
            id: 'rfd-1',
            key: 'dec_01h2xcejqtf2nbrexx3vqjhp41',
            ...MONEY,
            amount: '30.00',
            status: 'pending',
          },
        ],
      },
    },
    {
      ...{
        name: 'refund',
        kind: 'part',
        method: 'POST',
        path: '/sessions/{sessionId}/refunds',
        listed: 'refunds',
      },
      summary: 'Give the payer money back',
      description: 'What becomes of it stands in the session’s `refunds`, with our key.',
      request: refundOrder,
      sample: () => ({ amount: '1.00', currency: 'EUR' }),
      another: { amount: '1.01' },
      answer: refundAnswer,
      example: { refundId: 'rfd-1', status: 'pending' },
      refusals: {
        malformed_refund: 'The body is not of this shape, or the key is missing.',
        amount_too_large: 'More than can be refunded; or any reason of the party’s own.',
      },
    },
  ],
  callback: {
    schema: checkoutCallback,
    ref: 'sessionId',
    example: { id: 'change-17', sessionId: SESSION.sessionId },
  },
  changes: true,
};
