import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../src/kernel/config/config';
import { Decimal } from '../src/kernel/money/money';
import { outliveOutput } from '../src/startup/output';
import { detail, say, step, unread } from './demo/output';
import { type Balances, type Receiver, startReceiver } from './demo/receiver';
import { sweepDemo } from './demo/sweep';
import { type Call, callerOf, type Json, readCredentials } from './support/api';
import { ownTenant } from './support/tenant';

/**
 * `npm run demo` shows the main use of the API as a new tenant of a running `npm start`. Exits with 1 when the sum of
 * the webhooks differs from the API's balances. `npm run demo -- sweep` shows money on a chain.
 */

const B2B_BIN = '44112200';
/** Time limit of the last webhook, in milliseconds. */
const PATIENCE_MS = 30_000;

outliveOutput();

async function main(): Promise<boolean> {
  const credentials = readCredentials(readConfig().dataDir);
  const tenant = await ownTenant('Demo');
  const client = callerOf(credentials.baseUrl, tenant);
  const admin = callerOf(credentials.baseUrl, credentials.admin);

  const receiver = await startReceiver(tenant, ({ event, data }) =>
    detail(
      `↳ webhook ${event}: ${[data['type'], data['subtype']].filter(Boolean).join('/')} ${data['billingAmount'] ?? data['amount'] ?? data['status']}`,
    ),
  );
  await client('POST', '/v1/webhooks', { url: receiver.url });
  try {
    const master = await accountIn(client, 'USD');
    const opening = openingOf(master['balance'] as Json);
    step(
      1,
      `A tenant of this run, ${tenant.clientId}: its USD account has ${shown(opening)}, its webhooks go to ${receiver.url}`,
    );

    const cardId = await issueCard(client, admin, master['id'] as string, credentials.temporalUi);
    await spend(client, cardId);
    await finish(client, cardId);
    return await compare(client, receiver, cardId, master['id'] as string, opening);
  } finally {
    await client('DELETE', '/v1/webhooks');
    await receiver.close();
  }
}

async function issueCard(client: Call, admin: Call, accountId: string, temporalUi: string): Promise<string> {
  const email = `ada.${randomUUID().slice(0, 8)}@example.com`;
  const user = await client('POST', '/v1/users', { meta: { firstName: 'Ada', lastName: 'Lovelace', email } });
  step(2, `User ${user['id']}`);
  const cardholder = await client('POST', `/v1/users/${user['id']}/cardholder`, { accountId, bin: B2B_BIN });
  step(3, `Cardholder ${cardholder['id']} on the B2B BIN ${B2B_BIN}: ${cardholder['status']}`);
  await admin('POST', '/v1/accounts/admin-deposit', { accountId, amount: '500.00', reason: 'demo' });
  step(4, 'The operator credits 500.00 to the account');
  const body = {
    userId: user['id'],
    accountId,
    cardholderId: cardholder['id'],
    label: 'Demo',
    amount: '200.00',
  };
  const key = { 'x-idempotency-key': randomUUID() };
  const card = await client('POST', '/v1/cards', body, { ...key, prefer: 'wait=30' });
  if (card['status'] !== 'active') throw new Error(`The card is ${card['status']}, not active.`);
  step(5, `Card ${card['maskedNumber']} is ${card['status']} with ${card['balance'].available} on it`);
  detail(`its issuance: ${temporalUi}/namespaces/default/workflows/card-issuance-${card['id']}`);
  const again = await client('POST', '/v1/cards', body, key);
  step(
    6,
    `The same request with the same key again: ${again['id'] === card['id'] ? 'the same card' : 'ANOTHER card'}`,
  );
  if (again['id'] !== card['id']) throw new Error('An idempotent request had a second effect.');
  return card['id'] as string;
}

async function spend(client: Call, cardId: string): Promise<void> {
  const simulate = (message: Json) => client('POST', '/sandbox/transactions', { cardId, ...message });
  const merchant = { name: 'Bookshop', mcc: '5942', city: 'Vienna', country: 'AT' };
  const authorization = await simulate({ type: 'authorization', amount: '80.00', merchant });
  const { referenceId } = authorization;
  step(7, `Authorization of 80.00: ${shownBalance(authorization)}`);
  const part = await simulate({ type: 'settle', amount: '30.00', referenceId });
  step(8, `Partial settlement of 30.00, fee ${part['fee']}: ${shownBalance(part)}`);
  const last = await simulate({ type: 'settle', amount: '40.00', final: true, referenceId });
  const { balance } = await client('GET', `/v1/cards/${cardId}`);
  step(
    9,
    `Final settlement of 40.00, fee ${last['fee']}, the rest is released: ${shownBalance({ balanceAfter: balance })}`,
  );
  const refund = await simulate({ type: 'refund', amount: '12.50', referenceId });
  step(10, `Refund of 12.50: ${shownBalance(refund)}`);
  const decline = await simulate({ type: 'authorization', amount: '9999.00', merchant });
  step(11, `Authorization of 9999.00: ${decline['type']} (${decline['declineReason']})`);
  const foreign = await simulate({ type: 'authorization', amount: '20.00', currency: 'EUR', merchant });
  step(12, `Authorization of 20.00 EUR, which is ${foreign['billingAmount']} USD: ${shownBalance(foreign)}`);
  const cancel = await simulate({ type: 'cancel', referenceId: foreign['referenceId'] });
  step(13, `It is cancelled: ${shownBalance(cancel)}`);
}

async function finish(client: Call, cardId: string): Promise<void> {
  const frozen = await client('POST', `/v1/cards/${cardId}/freeze`);
  step(14, `Freeze: ${frozen['status']} (${frozen['freezeReasons']})`);
  const declined = await client('POST', '/sandbox/transactions', {
    cardId,
    type: 'authorization',
    amount: '1.00',
  });
  step(15, `Authorization of 1.00: ${declined['type']} (${declined['declineReason']})`);
  const closed = await client('DELETE', `/v1/cards/${cardId}`);
  step(16, `Close: ${closed['status']}, what was left went back to the account`);
}

/** Waits for every webhook, then compares their sum with the balances that the API reports. */
async function compare(
  client: Call,
  receiver: Receiver,
  cardId: string,
  accountId: string,
  opening: Balances,
): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const card = (await client('GET', `/v1/cards/${cardId}`))['balance'] as Json;
    const account = await client('GET', `/v2/accounts/${accountId}/balance`);
    const cardFold = receiver.fold(cardId);
    const accountFold = receiver.fold(accountId, opening);
    const sameCard = ['available', 'pending', 'spent'].every((name) =>
      cardFold[name as keyof Balances].eq(card[name] as string),
    );
    // Settled fees are in the fold's pending. The stored balance takes them from available (decisions part 3).
    const reported = new Decimal(account['available'] as string).plus(account['pending'] as string);
    const sameAccount = accountFold.available.plus(accountFold.pending).eq(reported);
    unread.throwIfAborted();
    if ((sameCard && sameAccount) || Date.now() > deadline) {
      say('');
      say(`  ${receiver.count()} webhooks received, ${receiver.forged()} with a wrong signature.`);
      say(
        `  Card     the webhooks add up to ${shown(cardFold)}; the API reports ${card['available']}, pending ${card['pending']}, spent ${card['spent']}`,
      );
      say(
        `  Account  the webhooks add up to ${accountFold.available.plus(accountFold.pending).toFixed(2)}; the API reports ${reported.toFixed(2)}`,
      );
      return sameCard && sameAccount && receiver.forged() === 0;
    }
    await sleep(200);
  }
}

async function accountIn(client: Call, currency: string): Promise<Json> {
  const accounts = (await client('GET', '/v1/accounts?ownerType=client&limit=100'))['data'] as Json[];
  const found = accounts.find((account) => account['currency'] === currency);
  if (!found) throw new Error(`There is no ${currency} account.`);
  return found;
}

function openingOf(balance: Json): Balances {
  return {
    available: new Decimal(balance['available']),
    pending: new Decimal(balance['pending']),
    spent: new Decimal(0),
  };
}

function shown({ available, pending, spent }: Balances): string {
  return `${available.toFixed(2)}, pending ${pending.toFixed(2)}, spent ${spent.toFixed(2)}`;
}

function shownBalance(transaction: Json): string {
  const { available, pending, spent } = transaction['balanceAfter'] as Json;
  return `${available} available, ${pending} pending, ${spent} spent`;
}

/** The demos by name, with their closing lines. */
const STORIES = {
  card: {
    tell: main,
    same: 'The webhooks and the balances agree.',
    not: 'THE WEBHOOKS AND THE BALANCES DIFFER.',
  },
  sweep: {
    tell: sweepDemo,
    same: 'The API, the books and the chain agree.',
    not: 'THE BOOKS AND THE CHAIN DIFFER.',
  },
} as const;

const [name = 'card'] = process.argv.slice(2);
if (!Object.hasOwn(STORIES, name)) {
  process.stderr.write(`Unknown demo ${name}: run \`npm run demo\` or \`npm run demo -- sweep\`.\n`);
  process.exit(2);
}
const story = STORIES[name as keyof typeof STORIES];

story.tell().then(
  (same) => {
    say(`\n  ${same ? story.same : story.not}`);
    process.exit(same ? 0 : 1);
  },
  (error: Error) => {
    if (unread.aborted) process.exit(0); // npm would report any other code as an error
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
