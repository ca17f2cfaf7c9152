import { z } from 'zod';
import { positiveDecimal } from '../protocol/answers';
import type { PartyProtocol } from '../protocol/description';
import { partyName, storedDecimal } from '../protocol/stored';
import { exchangeOrderWord, exchangeWithdrawalWord } from './word';

const currency = z.string().min(1).max(8);

export const exchangeOrder = z.object({
  from: currency.describe('The currency to sell.'),
  to: currency.describe('The currency to buy.'),
  amount: positiveDecimal.describe('The most to sell, in `from`.'),
  minReceive: positiveDecimal
    .optional()
    .describe('The least to receive, in `to`. With it the order is executed whole or not at all.'),
  callbackUrl: z.url(),
});

export const withdrawalOrder = z.object({
  amount: positiveDecimal.describe('The amount that the destination receives.'),
  currency,
  destination: z
    .record(z.string(), z.string())
    .describe(
      'A bank account, which is personal data: `name`, and those of `iban`, `bic`, `accountNumber` and `country` that it has.',
    ),
  callbackUrl: z.url(),
});

const key = partyName.describe('The order’s `idempotency-key`.');
export const exchangeOrderAnswer = exchangeOrderWord.extend({ key });
export const withdrawalAnswer = exchangeWithdrawalWord.extend({ key });

export const balancesAnswer = z.object({
  asOf: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .describe('The present time, the same for all balances, by a clock that is right within five seconds.'),
  balances: z
    .array(z.object({ currency, amount: storedDecimal }))
    .describe('The settled balances, each currency once. Negative where we owe the party.'),
});

export const exchangeCallback = z.object({ id: partyName, key: partyName });

const ORDER = { key: 'exchange-exo_01h2xcejqtf2nbrexx3vqjhp41', version: 3 };
const WITHDRAWAL = { key: 'exchange-withdrawal-exw_01h2xcejqtf2nbrexx3vqjhp41', version: 2 };

export const exchangeProtocol: PartyProtocol = {
  name: 'exchange',
  title: 'Exchange',
  purpose: 'Exchanges currencies, holds our balances, and pays them out to bank accounts.',
  operations: [
    {
      name: 'order',
      kind: 'order',
      method: 'POST',
      path: '/orders',
      ref: 'key',
      state: 'state',
      summary: 'Exchange',
      description:
        'The order is executed once for each key, whole or in part, at the party’s price. The answer is the whole state of the order.',
      request: exchangeOrder,
      sample: ({ callbackUrl }) => ({ from: 'EUR', to: 'USD', amount: '100.00', callbackUrl }),
      another: { amount: '101.00' },
      answer: exchangeOrderAnswer,
      example: { ...ORDER, version: 1, status: 'open', fills: [] },
      refusals: {
        malformed_order: 'The body does not match this schema, or the key is missing.',
        market_closed: 'Any code of the party’s own. The client sees it as the order’s failure.',
      },
    },
    {
      name: 'state',
      kind: 'state',
      method: 'GET',
      path: '/orders/{key}',
      ref: 'key',
      summary: 'The state of an order',
      answer: exchangeOrderAnswer,
      example: { ...ORDER, status: 'filled', fills: [{ id: 'fill-1', sold: '100.00', bought: '108.41' }] },
    },
    {
      name: 'withdrawal',
      kind: 'order',
      method: 'POST',
      path: '/withdrawals',
      ref: 'key',
      state: 'withdrawal-state',
      moved: 'sent',
      summary: 'Pay out of our balance',
      description: 'The money leaves once for each key. The answer is the whole state of the withdrawal.',
      request: withdrawalOrder,
      sample: ({ callbackUrl }) => ({
        amount: '100.00',
        currency: 'EUR',
        destination: { name: 'Example GmbH', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
        callbackUrl,
      }),
      another: { amount: '101.00' },
      answer: withdrawalAnswer,
      example: { ...WITHDRAWAL, version: 1, status: 'processing', sent: '0', returns: [] },
      refusals: {
        malformed_order: 'The body does not match this schema, or the key is missing.',
        account_closed: 'Any code of the party’s own. The client sees it as the withdrawal’s failure.',
      },
    },
    {
      name: 'withdrawal-state',
      kind: 'state',
      method: 'GET',
      path: '/withdrawals/{key}',
      ref: 'key',
      summary: 'The state of a withdrawal',
      answer: withdrawalAnswer,
      example: { ...WITHDRAWAL, status: 'completed', sent: '100.00', returns: [] },
    },
    {
      name: 'balances',
      kind: 'question',
      method: 'GET',
      path: '/balances',
      summary: 'Our balances at the party',
      description:
        'We read the balances every five minutes, and in each check of the settlement. A purchase counts when it settles, a sale when it ' +
        'fills. Compute the balances for each request instead of caching them. A balance from more than five seconds before the ' +
        'request releases no order.',
      answer: balancesAnswer,
      example: { asOf: '2026-01-31T12:00:00Z', balances: [{ currency: 'USD', amount: '10084.10' }] },
    },
  ],
  callback: { schema: exchangeCallback, ref: 'key', example: { id: 'change-17', key: ORDER.key } },
  changes: true,
};
