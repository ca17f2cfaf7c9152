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
  depositId: z.string().optional().describe('Our id of the deposit, for statements and support.'),
  method: z.enum(CHECKOUT_METHODS),
  amount: positiveDecimal.describe('The amount that the payer pays.'),
  currency: currency.refine(isCurrency),
  merchant: z.string().min(1).describe('The payee’s name on the page.'),
  returnUrl: webAddress.describe('Where the payer’s browser goes afterwards. The return proves no payment.'),
  callbackUrl: webAddress,
  expiresAt: z.iso.datetime().describe('The page accepts no payment from this time on.'),
});

/** The whole state of a session. */
export const sessionAnswer = checkoutWord.extend({ sessionId: partyName });

export const madeSession = z.object({
  sessionId: partyName,
  redirectUrl: z.url({ normalize: true }).describe('The payer’s page, at an address that cannot be guessed.'),
  // An unreadable state is dropped, and we ask for it later.
  state: sessionAnswer
    .optional()
    .catch(undefined)
    .describe('The whole state of the session, which saves a request.'),
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
  purpose: 'Hosts a page where a payer pays a deposit by card, bank transfer or crypto, and makes refunds.',
  operations: [
    {
      name: 'session',
      kind: 'order',
      method: 'POST',
      path: '/sessions',
      ref: 'sessionId',
      summary: 'Make a page for a payer',
      request: sessionOrder,
      sample: ({ callbackUrl, at }) => ({
        depositId: SESSION.key,
        method: 'card',
        ...MONEY,
        merchant: 'Acme',
        returnUrl: 'https://shop.example/back',
        callbackUrl,
        expiresAt: new Date(at.getTime() + HOUR_MS).toISOString(),
      }),
      another: { amount: '101.00' },
      answer: madeSession,
      example: {
        sessionId: SESSION.sessionId,
        redirectUrl: 'https://pay.example/pages/6vZ1',
        state: { ...SESSION, page: 'open', ...EMPTY },
      },
      refusals: {
        malformed_order: 'The body does not match this schema, or the key is missing.',
        method_unavailable: 'Any code of the party’s own. The deposit fails with it.',
      },
    },
    {
      name: 'state',
      kind: 'state',
      method: 'GET',
      path: '/sessions/{sessionId}',
      ref: 'sessionId',
      summary: 'The state of a session',
      answer: sessionAnswer,
      example: {
        ...SESSION,
        version: 3,
        page: 'paid',
        ...EMPTY,
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
      name: 'refund',
      kind: 'part',
      method: 'POST',
      path: '/sessions/{sessionId}/refunds',
      listed: 'refunds',
      summary: 'Refund money to the payer',
      description: 'The session’s `refunds` show the result under our key.',
      request: refundOrder,
      sample: () => ({ amount: '1.00', currency: 'EUR' }),
      another: { amount: '1.01' },
      answer: refundAnswer,
      example: { refundId: 'rfd-1', status: 'pending' },
      refusals: {
        malformed_refund: 'The body does not match this schema, or the key is missing.',
        amount_too_large:
          'The amount exceeds what can be refunded. Any other code of the party’s own is allowed.',
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
