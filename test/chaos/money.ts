import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Persistent } from './persistent';
import { type Asked, orderByQuote } from './quotes';
import { counted, type Tally } from './run/tally';

/** Plays a tenant's money across the border, with a key for each step: `<name>/<step>`. */

const ADA = { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' };
const FINAL = [
  'completed',
  'failed',
  'returned',
  'rejected',
  'cancelled',
  'chargeback',
  'refunded',
  'expired',
];

/** Magic values of the sandbox's parties (docs/sandbox.md), and the end status of their transfers. */
export const MONEY_ENDS = {
  'deposit 700.01': 'completed',
  'deposit 700.02': 'completed', // settled 20 seconds later
  'deposit 700.12': 'failed', // the checkout makes no page
  'payout 50.00': 'completed',
  'payout 901.01': 'failed', // the party refuses
  'payout 901.04': 'completed', // the answer to the order is lost
  'payout 901.05': 'completed', // the order itself is lost
  'payout 901.13': 'completed', // no callback is sent
  'iban payout 30.00': 'completed',
  'iban payout 901.04': 'completed',
  'topup tok_visa': 'completed',
  'topup tok_timeout': 'completed',
  'topup tok_mute': 'completed',
  'withdraw tok_visa': 'completed',
  'withdraw tok_declined': 'failed',
  'withdraw tok_slow_declined': 'returned',
  'exchange order 60.00': 'completed',
  'exchange order 905.01': 'failed', // the party refuses it
  'exchange order 905.05': 'completed', // the answer to the order is lost
  'exchange order 905.06': 'completed', // the order itself is lost
  'exchange order 905.17': 'completed', // no callback is sent
  'exchange withdrawal 70.00': 'completed',
  'exchange withdrawal 901.04': 'completed',
  'exchange withdrawal 901.05': 'completed',
} as const satisfies Record<string, string>;

export type MoneyEnd = keyof typeof MONEY_ENDS;

/** A company with an account in EUR, a virtual IBAN, and a bank account that can be used at once. */
export interface Moneyed {
  companyId: string;
  accountId: string;
  destinationId: string;
  /** Another account of the company, in USD. */
  intoId: string;
}

/**
 * Checks the exchange's payments in USD repeatedly, as an admin's process would. No other call completes orders that
 * wait for their settlement.
 * @returns a function that stops the checks and waits for the last one; rejects when a check failed
 */
export function checkingSettlement(admin: Persistent, everyMs = 1_000): () => Promise<void> {
  const stop = new AbortController();
  const ended = (async () => {
    for (let turn = 0; !stop.signal.aborted; turn += 1) {
      await admin.send(
        'POST',
        '/v1/exchange/settlement/check-increase',
        { currency: 'USD' },
        `check-${turn}`,
      );
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  // A failure waits for the function that stops, and ends no process.
  ended.catch(() => undefined);
  return () => {
    stop.abort();
    return ended;
  };
}

/** Starts a transfer of each kind at once and waits for the end status of its magic value. @returns the end statuses */
export async function liveMoney(
  client: Persistent,
  tenant: Moneyed,
  name: string,
  tally: Tally,
): Promise<Record<string, string>> {
  const endCounted = (what: string) => counted(tally, what, () => endOf(client, tenant, name, what), String);
  const ends = await Promise.all(
    Object.keys(MONEY_ENDS).map(async (what) => [what, await endCounted(what)] as const),
  );
  return Object.fromEntries(ends);
}

async function endOf(client: Persistent, tenant: Moneyed, name: string, what: string): Promise<string> {
  const [, kind = '', value = ''] = /^(.*) (\S+)$/.exec(what) ?? [];
  const step = what.replaceAll(' ', '-').replaceAll('.', '_');
  const begin = BEGINNINGS[kind as keyof typeof BEGINNINGS];
  const path = await begin(client, pathsOf(tenant), value, (part) => `${name}/${step}${part}`);
  const { status } = await client.get(
    path,
    (record) => FINAL.includes(record.status) && isAtRest(value, record),
  );
  return status;
}

/** A withdrawal whose card declines late is first reported as sent. */
const isAtRest = (value: string, { status }: { status: string }) =>
  value !== 'tok_slow_declined' || status === 'returned';

const pathsOf = ({ companyId, accountId, destinationId, intoId }: Moneyed) => ({
  accountId,
  destinationId,
  intoId,
  account: `/v2/accounts/${accountId}`,
  iban: `/v1/corporate-banking/${companyId}`,
});

type Begin = (
  client: Persistent,
  paths: ReturnType<typeof pathsOf>,
  value: string,
  key: (part: string) => string,
) => Promise<string>;

/** Sends like the client, and refuses a refusal. */
const made =
  ({ send }: Persistent): Persistent['send'] =>
  async (method, path, body, key) =>
    accepted(path, await send(method, path, body, key));

function accepted(path: string, answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
  return answer;
}

const byQuote = async (client: Persistent, asked: Asked, path: string, body: object = {}) =>
  accepted(path, await orderByQuote(client, asked, { path, body }));

const BEGINNINGS = {
  async deposit(client, { account }, amount, key) {
    const asked = { path: `${account}/deposit-quote`, body: { method: 'card', amount }, key: key('') };
    const { body } = await byQuote(client, asked, `${account}/deposits`, {
      returnUrl: 'https://shop.example/thanks',
    });
    return `${account}/deposits/${body.id}`;
  },
  async payout(client, { account }, amount, key) {
    const asked = { path: `${account}/payout-quote`, body: { method: 'sepa', amount }, key: key('') };
    const { body } = await byQuote(client, asked, `${account}/payouts`, { destination: ADA });
    return `${account}/payouts/${body.id}`;
  },
  async 'iban payout'(client, { iban }, amount, key) {
    const asked = { path: `${iban}/quote`, body: { amount, destination: ADA }, key: key('') };
    const { body } = await byQuote(client, asked, `${iban}/payouts`);
    return `${iban}/payouts/${body.id}`;
  },
  async 'exchange order'(client, { accountId: fromAccountId, intoId: toAccountId }, amount, key) {
    const { body } = await made(client)(
      'POST',
      '/v1/exchange/orders',
      { fromAccountId, toAccountId, amount },
      key(''),
    );
    return `/v1/exchange/orders/${body.id}`;
  },
  async 'exchange withdrawal'(client, { accountId, destinationId }, amount, key) {
    const given = { accountId, destinationId, amount };
    const { body } = await made(client)('POST', '/v1/exchange/withdrawals', given, key(''));
    return `/v1/exchange/withdrawals/${body.id}`;
  },
  topup: (client, { account }, token, key) => byCard(client, `${account}/topup`, token, key),
  withdraw: (client, { account }, token, key) => byCard(client, `${account}/withdraw`, token, key),
} satisfies Record<string, Begin>;

async function byCard(
  client: Persistent,
  path: string,
  paymentMethodToken: string,
  key: (part: string) => string,
): Promise<string> {
  const { body } = await made(client)(
    'POST',
    `${path}/card`,
    { amount: '25.00', paymentMethodToken },
    key(''),
  );
  return `${path}/${body.id}`;
}
