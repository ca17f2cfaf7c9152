import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Decimal } from '../../../src/kernel/money/money';
import { createHttpBank } from '../../../src/parties/bank/http';
import { createHttpCheckout } from '../../../src/parties/checkout/http';
import { createHttpExternalCards } from '../../../src/parties/external-cards/http';
import { createHttpPayouts } from '../../../src/parties/payouts/http';

/** `break`: the connection is broken before an answer. `silent`: there never is one. */
export type Reply = { status: number; body: string } | 'break' | 'silent';

export const json = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) });

const SECRET = Buffer.alloc(32, 9);
const TIMEOUT_MS = 300;

/** A party over real HTTP that answers whatever a test says. */
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
    adapters: adaptersOf(baseUrl),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The four adapters of our protocol, each with the calls that all of them have. */
export function adaptersOf(baseUrl: string) {
  const options = { baseUrl, secret: SECRET, timeoutMs: TIMEOUT_MS };
  const checkout = createHttpCheckout(options);
  const payouts = createHttpPayouts(options);
  const cards = createHttpExternalCards(options);
  const bank = createHttpBank(options);
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
          ...{ key: 'ref_1', depositId: 'ref_1', method: 'card', merchant: 'Acme' },
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
          ...{ key: 'ref_1', method: 'sepa', destination: {}, callbackUrl: 'https://api.example' },
          ...money,
        }),
    },
    cards: {
      changes: cards.changes,
      ask: () => cards.ask('ref_1'),
      order: () =>
        cards.order('topup', { ...{ key: 'ref_1', token: 'tok_visa', merchant: 'Acme' }, ...money, ...ends }),
    },
    bank: {
      changes: bank.changes,
      ask: () => bank.ask('ref_1'),
      order: () => bank.giveBack({ key: 'ret_1', creditId: 'ref_1', amount: money.amount }),
    },
  } as const;
}

export type AdapterName = keyof ReturnType<typeof adaptersOf>;

export const ADAPTERS: readonly AdapterName[] = ['checkout', 'refunds', 'payouts', 'cards', 'bank'];

/** What each adapter's `ask` reads, as the party writes it. */
export const WORDS: Readonly<Record<AdapterName, Record<string, unknown>>> = {
  checkout: checkoutAnswer(),
  refunds: checkoutAnswer(),
  payouts: { key: 'ref_1', version: 3, status: 'sent', sent: '10', returns: [] },
  cards: { key: 'ref_1', version: 3, status: 'succeeded', moved: '10', returns: [] },
  bank: { id: 'ref_1', version: 3, iban: 'LT00', amount: '10', currency: 'EUR', recalls: [], returns: [] },
};

function checkoutAnswer() {
  const paid = { id: 'p1', amount: '10.00', currency: 'EUR', status: 'settled' };
  return {
    ...{ sessionId: 'ref_1', key: 'dep_1', version: 3, page: 'paid', risk: 'normal' },
    ...{ payments: [paid], refunds: [], disputes: [] },
  };
}
