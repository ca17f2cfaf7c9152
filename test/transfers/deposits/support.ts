import { randomUUID } from 'node:crypto';
import { ACCOUNT_EFFECTS, type AccountEffect } from '../../../src/kernel/ledger/effects';
import { Decimal } from '../../../src/kernel/money/money';
import { createHttpCheckout } from '../../../src/parties/checkout/http';
import { depositKind } from '../../../src/transfers/deposits/kind';
import { advance, type Progress } from '../../../src/transfers/engine/advance';
import { DOUBT_MS } from '../../../src/transfers/engine/follow';
import { type Answer, type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { documentedEvents } from '../../support/documented-events';
import { type CheckoutDouble, type Session, startCheckoutDouble, wordOf } from './party-double';

export interface DepositWorld {
  api: TestApi;
  double: CheckoutDouble;
  client: Client;
  /** How far the services' clock is ahead, in milliseconds. */
  clock: { ahead: number };
  /** Sets the adapter's time-out in milliseconds. The default is longer than a busy machine needs. */
  patience(timeoutMs: number): void;
  close(): Promise<void>;
}

export const PATIENCE_MS = 20_000;

/** Opens the API with the real adapter of the checkout, against a double of the party. */
export async function depositWorld(): Promise<DepositWorld> {
  const double = await startCheckoutDouble();
  const clock = { ahead: 0 };
  const now = () => new Date(Date.now() + clock.ahead);
  const adapter = (timeoutMs: number) =>
    createHttpCheckout({ baseUrl: double.url, secret: double.secret, timeoutMs, now });
  const api = await testApi({
    now,
    parties: { checkout: adapter(PATIENCE_MS) },
    publicUrl: () => 'https://cards.example',
  });
  return {
    api,
    double,
    client: await api.client(),
    clock,
    patience: (timeoutMs) => void (api.services.parties.checkout = adapter(timeoutMs)),
    async close() {
      await documentedEvents(api);
      await Promise.all([api.close(), double.close()]);
    },
  };
}

export interface Asked {
  method?: string;
  amount?: string;
  currency?: string;
  account?: string;
  externalId?: string;
}

export async function quoted(client: Client, asked: Asked = {}): Promise<Answer & { accountId: string }> {
  const { method = 'card', amount = '100.00', currency, account = 'USD' } = asked;
  const accountId = await masterAccount(client, account);
  const body = { method, amount, ...(currency ? { currency } : {}) };
  const answer = await client.call('POST', `/v2/accounts/${accountId}/deposit-quote`, body);
  return { ...answer, accountId };
}

export const RETURN_URL = 'https://shop.example/thanks';

export interface TestDeposit {
  id: string;
  accountId: string;
  body: Record<string, any>;
}

/** Creates a deposit, without a step of its workflow. */
export async function created(client: Client, asked: Asked = {}): Promise<TestDeposit> {
  const { body, accountId } = await quoted(client, asked);
  const { externalId } = asked;
  const answer = await client.call(
    'POST',
    `/v2/accounts/${accountId}/deposits`,
    { quoteId: body.quoteId, returnUrl: RETURN_URL, ...(externalId ? { externalId } : {}) },
    { 'x-idempotency-key': randomUUID() },
  );
  if (answer.status !== 201) throw new Error(answer.text);
  return { id: answer.body.id, accountId, body: answer.body };
}

/** Makes one step of the deposit's workflow. */
export const look = ({ api }: DepositWorld, depositId: string): Promise<Progress> =>
  advance(api.services, depositKind, depositId);

/**
 * Makes two steps a minute apart, because a word without a version that takes something back counts at the second
 * reading.
 */
export async function lookTwice(world: DepositWorld, depositId: string): Promise<Progress> {
  await look(world, depositId);
  world.clock.ahead += DOUBT_MS + 1_000;
  return look(world, depositId);
}

/** The open breaks of a subject as `kind amount`, sorted. */
export async function openBreaks({ api }: DepositWorld, subject: string): Promise<string[]> {
  const rows = await api.database.query<{ kind: string; amount: string | null }>(
    'select kind, amount from breaks where subject = $1 and resolved_at is null order by kind, detail',
    [subject],
  );
  return rows.map(({ kind, amount }) =>
    amount === null ? kind : `${kind} ${new Decimal(amount).toFixed(2)}`,
  );
}

/** Creates a deposit with a page, so that it can be paid. */
export async function payable(
  world: DepositWorld,
  asked: Asked = {},
): Promise<TestDeposit & { session: Session }> {
  const deposit = await created(world.client, asked);
  await look(world, deposit.id);
  return { ...deposit, session: world.double.session(deposit.id) };
}

/** Pays a session. Default: the ordered amount. */
export function pay(
  session: Session,
  paid: { amount?: string; currency?: string } = {},
  settled = false,
): void {
  session.status = settled ? 'settled' : 'paid';
  const { amount = String(session.asked['amount']), currency = String(session.asked['currency']) } = paid;
  session.paid = { amount, currency };
}

export async function completed(world: DepositWorld, asked: Asked = {}) {
  const deposit = await payable(world, asked);
  pay(deposit.session, {}, true);
  const { status } = await look(world, deposit.id);
  if (status !== 'completed') throw new Error(`it is ${status}`);
  return deposit;
}

export const read = async (client: Client, { accountId, id }: { accountId: string; id: string }) =>
  (await client.call('GET', `/v2/accounts/${accountId}/deposits/${id}`)).body;

export interface Told {
  event: string;
  data: Record<string, any>;
  key: string | null;
}

/** The tenant's webhooks of deposits and accounts, in order. */
export async function toldOf(api: TestApi, client: Client): Promise<Told[]> {
  const rows = await api.database.query<{ event: string; data: string; key: string | null }>(
    `select event, whole_text(data) as data, idempotency_key as key from events
      where tenant_id = $1 and registration in ('deposit', 'account') order by number`,
    [client.clientId],
  );
  return rows.map(({ event, data, key }) => ({ event, data: JSON.parse(data), key }));
}

/** `type/subtype amount` of account transactions, and the names of deposit events. */
export const inShort = (told: Told[]): string[] =>
  told.map(({ event, data }) =>
    event === 'account_transaction' ? `${data['type']}/${data['subtype']} ${data['amount']}` : event,
  );

/** The balance of each account by its webhooks: available + pending (decisions part 3). */
export function fold(told: Told[]): Map<string, Decimal> {
  const balances = new Map<string, Decimal>();
  for (const { event, data } of told) {
    if (event !== 'account_transaction') continue;
    const effect = ACCOUNT_EFFECTS[`${data['type']}/${data['subtype']}` as AccountEffect];
    const change = new Decimal(data['amount']).times(effect.available + effect.pending);
    balances.set(data['accountId'], (balances.get(data['accountId']) ?? new Decimal(0)).plus(change));
  }
  return balances;
}

/** The balance of an internal account in a currency. */
export async function internal(api: TestApi, name: string, currency: string): Promise<string> {
  const [row] = await api.database.query<{ sum: string }>(
    'select coalesce(sum(available), 0)::text as sum from ledger_legs where account_id = $1',
    [`${name}:${currency}`],
  );
  return new Decimal(row?.sum ?? 0).toFixed();
}

/** Our money at the party by currency: settled payments, less refunds and disputes. */
export function heldBy(sessions: readonly Session[]): Map<string, Decimal> {
  const held = new Map<string, Decimal>();
  for (const word of sessions.map(wordOf)) {
    const add = (
      all: { amount: string; currency: string; status: string }[],
      counts: string[],
      sign: 1 | -1,
    ) => {
      for (const { amount, currency, status } of all) {
        const change = counts.includes(status) ? new Decimal(amount).times(sign) : 0;
        held.set(currency, (held.get(currency) ?? new Decimal(0)).plus(change));
      }
    };
    add(word.payments, ['settled'], 1);
    add(word.refunds, ['succeeded'], -1);
    add(word.disputes, ['open', 'lost'], -1);
  }
  return held;
}

/** The checkout's internal accounts, and our money at the party, in every currency of a session. */
export async function booksAndParty(world: DepositWorld): Promise<{ booked: object; held: object }> {
  const held = heldBy(world.double.sessions());
  const booked = await Promise.all(
    [...held.keys()].map(async (currency) => {
      const given = await internal(world.api, 'checkout', currency);
      return [currency, new Decimal(given).negated().toFixed(2)] as const;
    }),
  );
  return {
    booked: Object.fromEntries(booked),
    held: Object.fromEntries([...held].map(([currency, amount]) => [currency, amount.toFixed(2)])),
  };
}
