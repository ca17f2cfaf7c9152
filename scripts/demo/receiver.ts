import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACCOUNT_EFFECTS, CARD_EFFECTS, type Effect } from '../../src/kernel/ledger/effects';
import { Decimal, ZERO } from '../../src/kernel/money/money';
import type { Credential } from '../support/api';

export interface Balances {
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
}

interface Delivery {
  event: string;
  data: Record<string, string>;
}

export interface Receiver {
  url: string;
  /** Number of distinct events. */
  count(): number;
  /** Number of deliveries with a wrong signature. */
  forged(): number;
  /** The balances of a card or an account after its events, by the tables of `interface.md 3.4`. */
  fold(id: string, opening?: Balances): Balances;
  close(): Promise<void>;
}

/**
 * Starts a webhook endpoint as `interface.md 6.1` describes. It checks the signature over the raw bytes before it
 * parses them, keeps each event once by `data.id`, and answers 204.
 * @param heard called for each new event
 */
export async function startReceiver(
  credential: Credential,
  heard: (delivery: Delivery) => void,
): Promise<Receiver> {
  const events = new Map<string, Delivery>();
  let forged = 0;

  const server = createServer((request, response) => {
    void bytesOf(request).then((body) => {
      if (!isSigned(credential, request, body)) {
        forged += 1;
        response.writeHead(401).end();
        return;
      }
      const delivery = JSON.parse(body.toString('utf8')) as Delivery;
      const id = delivery.data['id'] ?? '';
      if (!events.has(id)) heard(delivery);
      events.set(id, delivery);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    count: () => events.size,
    forged: () => forged,
    fold(id, opening = { available: ZERO, pending: ZERO, spent: ZERO }) {
      return [...events.values()].reduce((balances, delivery) => applied(balances, delivery, id), opening);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function isSigned({ clientId, clientSecret }: Credential, request: IncomingMessage, body: Buffer): boolean {
  const wanted = Buffer.from(createHmac('sha256', clientSecret).update(body).digest('hex'));
  const given = Buffer.from(String(request.headers['x-signature'] ?? ''));
  return (
    request.headers['x-client-id'] === clientId &&
    wanted.length === given.length &&
    timingSafeEqual(wanted, given)
  );
}

function applied(balances: Balances, { event, data }: Delivery, id: string): Balances {
  const effect = effectOn(event, data, id);
  if (!effect) return balances;
  const amount = new Decimal(data['billingAmount'] ?? data['amount'] ?? 0);
  return {
    available: balances.available.plus(amount.times(effect.available)),
    pending: balances.pending.plus(amount.times(effect.pending)),
    spent: balances.spent.plus(amount.times(effect.spent)),
  };
}

function effectOn(event: string, data: Record<string, string>, id: string): Effect | undefined {
  if (event === 'card_transaction' && data['cardId'] === id) {
    return (CARD_EFFECTS as Record<string, Effect>)[data['type'] ?? ''];
  }
  if (event === 'account_transaction' && data['accountId'] === id) {
    return (ACCOUNT_EFFECTS as Record<string, Effect>)[`${data['type']}/${data['subtype']}`];
  }
  return undefined;
}
