import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Decimal } from '../../../src/kernel/money/money';
import { createHttpBank } from '../../../src/parties/bank/http';
import { createHttpCardProcessor } from '../../../src/parties/card-processor/http';
import { createHttpCardholderReview } from '../../../src/parties/cardholder-review/http';
import { createHttpCheckout } from '../../../src/parties/checkout/http';
import { createHttpExchange } from '../../../src/parties/exchange/http';
import { createHttpExternalCards } from '../../../src/parties/external-cards/http';
import { createHttpPayouts } from '../../../src/parties/payouts/http';
import { createHttpScreening } from '../../../src/parties/screening/http';

/** `break`: the connection breaks before an answer. `silent`: no answer comes. */
export type Reply = { status: number; body: string } | 'break' | 'silent';

export const json = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) });

const SECRET = Buffer.alloc(32, 9);
/** Time-out for silent parties. All other requests have the usual time, for busy machines. */
const IMPATIENT_MS = 300;

/** A party over real HTTP with answers set by a test. */
export async function scriptedParty() {
  const script = { reply: json(200, {}), paths: [] as string[] };
  const server = createServer((request, response) => {
    script.paths.push(`${request.method} ${request.url}`);
    const { reply } = script;
    if (reply === 'break') return void request.socket.destroy();
    if (reply === 'silent') return;
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    script,
    baseUrl,
    adapters: adaptersOf(baseUrl),
    impatient: adaptersOf(baseUrl, { timeoutMs: IMPATIENT_MS }),
    processor: createHttpCardProcessor({ baseUrl, secret: SECRET }),
    exchange: createHttpExchange({ baseUrl, secret: SECRET }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The adapters of our protocol, each with the calls that all adapters have. */
export function adaptersOf(baseUrl: string, more: { timeoutMs?: number } = {}) {
  const options = { baseUrl, secret: SECRET, ...more };
  const checkout = createHttpCheckout(options);
  const payouts = createHttpPayouts(options);
  const cards = createHttpExternalCards(options);
  const bank = createHttpBank(options);
  const exchange = createHttpExchange(options);
  const processor = createHttpCardProcessor(options);
  const review = createHttpCardholderReview(options);
  const screening = createHttpScreening(options);
  const ofCard = { key: 'ref_1', reference: 'card_1', callbackUrl: 'https://api.example' };
  const money = { amount: new Decimal(10), currency: 'EUR' };
  const ends = {
    expiresAt: new Date(),
    returnUrl: 'https://shop.example',
    callbackUrl: 'https://api.example',
  };
  return {
    checkout: {
      changes: checkout.changes,
      ask: () => checkout.ask('ref_1'),
      order: () =>
        checkout.createSession({
          key: 'ref_1',
          depositId: 'ref_1',
          method: 'card',
          merchant: 'Acme',
          ...money,
          ...ends,
        }),
    },
    refunds: {
      changes: checkout.changes,
      ask: () => checkout.ask('ref_1'),
      order: () => checkout.refund({ key: 'rfd_1', sessionId: 'ref_1', ...money }),
    },
    payouts: {
      changes: payouts.changes,
      ask: () => payouts.ask('ref_1'),
      order: () =>
        payouts.order({
          key: 'ref_1',
          method: 'sepa',
          destination: {},
          callbackUrl: 'https://api.example',
          ...money,
        }),
    },
    cards: {
      changes: cards.changes,
      ask: () => cards.ask('ref_1'),
      order: () =>
        cards.order('topup', { key: 'ref_1', token: 'tok_visa', merchant: 'Acme', ...money, ...ends }),
    },
    bank: {
      changes: bank.changes,
      ask: () => bank.ask('ref_1'),
      order: () => bank.giveBack({ key: 'ret_1', creditId: 'ref_1', amount: money.amount }),
    },
    deals: {
      changes: exchange.changes,
      ask: () => exchange.askOrder('ref_1'),
      order: () =>
        exchange.order({
          key: 'ref_1',
          from: 'EUR',
          to: 'USD',
          amount: money.amount,
          callbackUrl: 'https://api.example',
        }),
    },
    withdrawals: {
      changes: exchange.changes,
      ask: () => exchange.askWithdrawal('ref_1'),
      order: () =>
        exchange.withdraw({
          key: 'ref_1',
          destination: { name: 'Acme' },
          callbackUrl: 'https://api.example',
          ...money,
        }),
    },
    issuing: {
      changes: processor.changes,
      ask: () => processor.issuance('ref_1'),
      order: () =>
        processor.issue({
          key: 'ref_1',
          bin: '44112200',
          currency: 'USD',
          cardholderId: 'chd_1',
          label: null,
          callbackUrl: 'https://api.example',
        }),
    },
    closures: {
      changes: processor.changes,
      ask: () => processor.closure(ofCard),
      order: () => processor.close(ofCard),
    },
    tokenizations: {
      changes: processor.changes,
      ask: () => processor.tokenization(ofCard),
      order: () => processor.tokenize({ ...ofCard, wallet: 'apple_pay' }),
    },
    screening: {
      changes: screening.changes,
      ask: () => screening.outcome('ref_1'),
      order: () =>
        screening.screen({
          key: 'ref_1',
          direction: 'outbound',
          chain: 'ethereum',
          asset: 'USDC',
          address: '0x1',
          accountId: null,
          ownAddress: null,
          txHash: null,
          ordinal: null,
          blockAt: null,
          amount: money.amount,
          callbackUrl: 'https://api.example',
        }),
    },
    review: {
      changes: review.changes,
      ask: () => review.outcome('ref_1'),
      order: () =>
        review.submit({
          key: 'ref_1',
          cardholderId: 'chd_1',
          bin: '44112201',
          person: {},
          documents: [],
          callbackUrl: 'https://api.example',
        }),
    },
  } as const;
}

export type AdapterName = keyof ReturnType<typeof adaptersOf>;

/** The adapters whose states hold money. */
export const MONEY_ADAPTERS: readonly AdapterName[] = [
  ...(['checkout', 'refunds', 'payouts', 'cards', 'bank', 'deals', 'withdrawals'] as const),
];
export const ADAPTERS: readonly AdapterName[] = [
  ...MONEY_ADAPTERS,
  ...(['issuing', 'closures', 'tokenizations', 'review', 'screening'] as const),
];

/** The answer that each adapter's `ask` reads, as on the wire. */
export const WORDS: Readonly<Record<AdapterName, Record<string, unknown>>> = {
  checkout: checkoutAnswer(),
  refunds: checkoutAnswer(),
  payouts: { key: 'ref_1', version: 3, status: 'sent', sent: '10', returns: [] },
  cards: { key: 'ref_1', version: 3, status: 'succeeded', moved: '10', returns: [] },
  bank: { id: 'ref_1', version: 3, iban: 'LT00', amount: '10', currency: 'EUR', recalls: [], returns: [] },
  deals: { key: 'ref_1', version: 3, status: 'filled', fills: [{ id: 'f1', sold: '10', bought: '10.78' }] },
  withdrawals: { key: 'ref_1', version: 3, status: 'sent', sent: '10', returns: [] },
  issuing: {
    key: 'ref_1',
    version: 3,
    status: 'issued',
    reference: 'card_1',
    last4: '4242',
    expiryMonth: 12,
    expiryYear: 2030,
  },
  closures: { key: 'ref_1', version: 3, status: 'closed' },
  tokenizations: { key: 'ref_1', version: 3, status: 'completed' },
  review: { key: 'ref_1', version: 3, status: 'passed' },
  screening: { key: 'ref_1', version: 3, status: 'cleared' },
};

function checkoutAnswer() {
  const paid = { id: 'p1', amount: '10.00', currency: 'EUR', status: 'settled' };
  return {
    sessionId: 'ref_1',
    key: 'dep_1',
    version: 3,
    page: 'paid',
    risk: 'normal',
    payments: [paid],
    refunds: [],
    disputes: [],
  };
}
