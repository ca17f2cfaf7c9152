import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credential, Fleet } from '../support/product';
import { type Answer, ask } from './persistent';

/** Plain traffic of a tenant to several APIs, without any repetition: each answer counts as it is. */

export interface Traffic {
  /** Answers that were no success, and requests without an answer. */
  refused: string[];
  /** Number of successes by lane. */
  done: Map<string, number>;
  /** The secret of requests from now on. */
  credential: Credential;
  /** Paths of the payouts that were made. */
  payouts: string[];
  /** Paths of the deposits that were made and that pay themselves (docs/sandbox.md). */
  deposits: string[];
  stop(): Promise<void>;
}

/** The tenant's records that its lanes use. */
export interface Tenant {
  credential: Credential;
  /** In EUR, with money. */
  accountId: string;
  cardId: string;
}

/** A key of its own for each request that changes something. */
const keyOf = (method: string) => (method === 'GET' ? undefined : randomUUID());

const PAUSE_MS = 150;
const ADA = { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' };

/** Sends a request of a lane. @throws Error for any answer that is no success */
type Send = (method: string, path: string, body?: unknown) => Promise<any>;

const LANES: Readonly<Record<string, (send: Send, tenant: Tenant, traffic: Traffic) => Promise<void>>> = {
  async people(send) {
    const meta = { firstName: 'Ada', lastName: 'Lovelace', email: `a${performance.now()}@quern.example` };
    const { id } = await send('POST', '/v1/users', { meta });
    const read = await send('GET', `/v1/users/${id}`);
    if (read.meta.firstName !== 'Ada') throw new Error(`another person: ${JSON.stringify(read)}`);
  },
  async authorizations(send, { cardId }) {
    const told = await send('POST', '/sandbox/transactions', {
      cardId,
      type: 'authorization',
      amount: '0.01',
    });
    if (told.type !== 'authorization') throw new Error(`declined: ${JSON.stringify(told)}`);
  },
  async payouts(send, { accountId }, { payouts }) {
    const account = `/v2/accounts/${accountId}`;
    const { quoteId } = await send('POST', `${account}/payout-quote`, { method: 'sepa', amount: '5.00' });
    const { id } = await send('POST', `${account}/payouts`, { quoteId, destination: ADA });
    payouts.push(`${account}/payouts/${id}`);
    await sleep(500);
  },
  async deposits(send, { accountId }) {
    const account = `/v2/accounts/${accountId}`;
    const { quoteId } = await send('POST', `${account}/deposit-quote`, { method: 'card', amount: '7.00' });
    const given = { quoteId, returnUrl: 'https://shop.example/thanks' };
    const { checkoutUrl } = await send('POST', `${account}/deposits`, given);
    // The payer's browser follows the link, which is derived from a key.
    const page = await fetch(checkoutUrl, { redirect: 'manual' });
    if (page.status >= 400) throw new Error(`${checkoutUrl}: ${page.status}`);
    await sleep(500);
  },
  async 'paid deposits'(send, { accountId }, { deposits }) {
    const account = `/v2/accounts/${accountId}`;
    const { quoteId } = await send('POST', `${account}/deposit-quote`, { method: 'card', amount: '700.01' });
    const given = { quoteId, returnUrl: 'https://shop.example/thanks' };
    const { id } = await send('POST', `${account}/deposits`, given);
    deposits.push(`${account}/deposits/${id}`);
    await sleep(500);
  },
  async 'signing key'(send) {
    await send('GET', '/v1/webhooks/signing-key');
  },
};

/** Starts one lane of each kind to each API. */
export function startTraffic(baseUrls: readonly string[], tenant: Tenant): Traffic {
  let going = true;
  const traffic: Traffic = {
    refused: [],
    done: new Map(),
    credential: tenant.credential,
    payouts: [],
    deposits: [],
    async stop() {
      going = false;
      await Promise.all(running);
    },
  };

  async function run(name: string, baseUrl: string): Promise<void> {
    const send: Send = async (method, path, body) => {
      const answer: Answer = await ask({ baseUrl }, traffic.credential, method, path, body, keyOf(method));
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    };
    for (; going; await sleep(PAUSE_MS))
      await (LANES[name] as (typeof LANES)[string])(send, tenant, traffic).then(
        () => traffic.done.set(name, (traffic.done.get(name) ?? 0) + 1),
        (error: unknown) => traffic.refused.push(`${name}: ${String(error)}`),
      );
  }

  const running = baseUrls.flatMap((baseUrl) => Object.keys(LANES).map((name) => run(name, baseUrl)));
  return traffic;
}

export const LANE_NAMES: readonly string[] = Object.keys(LANES);

/** Opens a tenant's card and money. @param admin an admin's credential */
export async function openTenant(
  fleet: Pick<Fleet, 'baseUrl'>,
  credential: Credential,
  admin: Credential,
): Promise<Tenant> {
  const send = async (method: string, path: string, body?: unknown, by = credential) => {
    const { status, text, body: told } = await ask(fleet, by, method, path, body, keyOf(method));
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return told;
  };
  const { data } = await send('GET', '/v1/accounts?limit=100');
  const idOf = (currency: string) => data.find((each: { currency: string }) => each.currency === currency).id;
  const accountId = idOf('EUR');
  for (const currency of ['EUR', 'USD']) {
    const opening = { accountId: idOf(currency), amount: '400000.00', reason: 'opening' };
    await send('POST', '/v1/accounts/admin-deposit', opening, admin);
  }
  const meta = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@quern.example' };
  const { id: userId } = await send('POST', '/v1/users', { meta });
  const holder = { accountId: idOf('USD'), bin: '44112200' };
  const { id: cardholderId } = await send('POST', `/v1/users/${userId}/cardholder`, holder);
  const issue = { userId, accountId: idOf('USD'), cardholderId, amount: '1000.00' };
  const { id: cardId } = await send('POST', '/v1/cards', issue);
  while ((await send('GET', `/v1/cards/${cardId}`)).status === 'pending') await sleep(100);
  return { credential, accountId, cardId };
}
