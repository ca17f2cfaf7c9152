import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import type { CallingParty } from '../../../src/kernel/parties';
import { createHttpBank } from '../../../src/parties/bank/http';
import { createHttpCheckout } from '../../../src/parties/checkout/http';
import { createHttpExchange } from '../../../src/parties/exchange/http';
import { createHttpExternalCards } from '../../../src/parties/external-cards/http';
import { createHttpPayouts } from '../../../src/parties/payouts/http';
import { signMessage } from '../../../src/parties/protocol/signature';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import * as deposits from '../deposits/support';
import * as exchange from '../exchange/support';
import * as cards from '../external-cards/support';
import * as iban from '../iban/support';
import * as payouts from '../payouts/support';

/** The product with the real adapters of all parties that move money, against a server that the test controls. */

export const SECRET = Buffer.alloc(32, 7);

export type Json = Record<string, any>;
export type Page = { changes: unknown[]; next: string | null; more: boolean };
type Reply = { status: number; body: unknown };

export interface Party {
  /** The server's records by their names. */
  words: Map<string, Json>;
  /** Replaces the answer to the next order. */
  orderReply: Reply | undefined;
  list(after: string | null): Page;
}

export interface World {
  api: TestApi;
  client: Client;
  party: Party;
  clock: { at: Date; pass(seconds: number): void };
  /** Observed metrics, and log lines, since the last {@link forget}. */
  observed: string[];
  lines: Json[];
  forget(): void;
  close(): Promise<void>;
}

const EMPTY: Page = { changes: [], next: null, more: false };

export async function badWorld(): Promise<World> {
  const party: Party = { words: new Map(), orderReply: undefined, list: () => EMPTY };
  const server = await serve(party);
  const clock = {
    at: new Date(),
    pass: (seconds: number) => void (clock.at = new Date(clock.at.getTime() + seconds * 1_000)),
  };
  const [observed, lines]: [string[], Json[]] = [[], []];
  const options = { baseUrl: server.url, secret: SECRET, now: () => clock.at };
  const api = await testApi({
    now: () => clock.at,
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    observers: {
      observeForged: (name) => observed.push(`${name} forged`),
      observeUnreadableList: (name) => observed.push(`${name} unreadable list`),
      observeUnusable: (name, what) => observed.push(`${name} ${what}`),
    },
    parties: {
      checkout: createHttpCheckout(options),
      payouts: createHttpPayouts(options),
      externalCards: createHttpExternalCards(options),
      bank: createHttpBank(options),
      exchange: createHttpExchange(options),
    },
  });
  return {
    api,
    party,
    clock,
    observed,
    lines,
    client: await api.client(),
    forget: () => void [observed, lines].forEach((each) => each.splice(0)),
    close: async () => void (await Promise.all([api.close(), server.close()])),
  };
}

let sessions = 0;

/** Serves `GET /changes`, `GET` of a record, and orders. An order creates a record by {@link Words}. */
async function serve(party: Party) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const body = chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString()) as Json) : {};
      const key = String(request.headers['idempotency-key'] ?? '');
      const { status, body: answer } = replyTo(
        party,
        url,
        request.method === 'POST' ? { key, body } : undefined,
      );
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function replyTo(party: Party, url: URL, order: { key: string; body: Json } | undefined): Reply {
  if (url.pathname === '/changes') return { status: 200, body: party.list(url.searchParams.get('after')) };
  const ref = decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
  if (!order) {
    const word = party.words.get(ref);
    return word ? { status: 200, body: word } : { status: 404, body: { code: 'not_found' } };
  }
  const { orderReply } = party;
  party.orderReply = undefined;
  const made = taken(party, ref, order);
  return orderReply ?? { status: 201, body: made };
}

/** Accepts an order, whatever the answer is. */
function taken({ words }: Party, what: string, { key, body }: { key: string; body: Json }): Json {
  const { amount, currency } = body as { amount: string; currency: string };
  if (what === 'sessions') {
    const known = [...words.values()].find((word) => word['key'] === key);
    const sessionId = known ? String(known['sessionId']) : `cs_${(sessions += 1)}`;
    const payments = [{ id: 'p1', amount, currency, status: 'settled' }];
    const parts = { payments, refunds: [], disputes: [] };
    words.set(sessionId, { sessionId, key, version: 3, page: 'paid', risk: 'normal', ...parts });
    return { sessionId, redirectUrl: 'https://pay.example/page', state: words.get(sessionId) };
  }
  if ('from' in body) {
    const fills = [{ id: 'f1', sold: amount, bought: '108.41' }];
    words.set(key, { key, version: 3, status: 'filled', fills });
    return words.get(key) as Json;
  }
  const isPayout = what === 'orders' || what === 'withdrawals';
  const status = isPayout ? { status: 'sent', sent: amount } : { status: 'succeeded', moved: amount };
  words.set(key, { key, version: 3, ...status, returns: [] });
  return words.get(key) as Json;
}

/** A transfer of a party that was created through the API, and whose money is booked. */
export interface Made {
  id: string;
  /** The party's name for it. */
  ref: string;
  look(): Promise<unknown>;
}

let credits = 0;

/** @param led false leaves out all steps, so that nothing is ordered */
export const MAKE: Readonly<Record<CallingParty, (world: World, led?: boolean) => Promise<Made>>> = {
  checkout: async (world, led = true) => {
    const { id } = await deposits.created(world.client, { amount: '100.00' });
    return rested(world, id, led);
  },
  payouts: async (world, led = true) => {
    const accountId = await payouts.fundedAccount(world.api, world.client);
    return rested(world, await payouts.created(world.client, accountId), led);
  },
  externalCards: async (world, led = true) => {
    const { id } = await cards.asked(world.api, world.client, 'topup', 'tok_visa');
    return rested(world, id, led);
  },
  exchange: async (world, led = true) => {
    const [eur, usd] = [
      await payouts.fundedAccount(world.api, world.client),
      await masterAccount(world.client, 'USD'),
    ];
    return rested(world, await exchange.ordered({ ...world, eur, usd }), led);
  },
  bank: async ({ api, client, party }) => {
    const ref = `credit-${(credits += 1)}`;
    const account = await iban.enabled(api, client);
    const parts = { recalls: [], returns: [] };
    party.words.set(ref, {
      id: ref,
      version: 3,
      iban: account.iban,
      amount: '500.00',
      currency: 'EUR',
      ...parts,
    });
    const look = () => iban.lookedAtCredit(api, ref);
    await look();
    return { id: await iban.creditIdOf(api, ref), ref, look };
  },
};

async function rested({ api }: World, id: string, led: boolean): Promise<Made> {
  const look = () => cards.looked(api, id);
  if (led) await look();
  const [row] = await api.database.query<{ partyRef: string }>(
    'select party_ref as "partyRef" from transfers where id = $1',
    [id],
  );
  return { id, ref: row?.partyRef ?? id, look };
}

/** The sums of all accounts in the books. */
export const books = ({ api }: World) =>
  api.database.query(
    `select account_id, currency, count(*), sum(available)::text as available, sum(pending)::text as pending
       from ledger_legs group by 1, 2 order by 1, 2`,
  );

export const openBreaks = async ({ api }: World, subject: string): Promise<string[]> =>
  (
    await api.database.query<{ kind: string }>(
      'select kind from breaks where subject = $1 and resolved_at is null order by kind',
      [subject],
    )
  ).map(({ kind }) => kind);

/** Sends a signed callback. @returns the status of the answer */
export async function callback(
  { api, clock }: World,
  name: string,
  body: string,
  secret = SECRET,
): Promise<number> {
  const headers = { 'x-provider-signature': signMessage(Buffer.from(body), secret, clock.at) };
  return (await api.call('POST', `/callbacks/${name}`, body, headers)).status;
}
