import { randomUUID } from 'node:crypto';
import {
  agrees,
  type Balances,
  type Cardwright,
  cardwright,
  fold,
  type InputOf,
  type Schemas,
  sum,
  until,
} from '../client/src';
import { readConfig } from '../src/kernel/config/config';
import { outliveOutput } from '../src/startup/output';
import { detail, say, step, unread } from './demo/output';
import { type Receiver, startReceiver } from './demo/receiver';
import { sweepDemo } from './demo/sweep';
import { readCredentials } from './support/api';
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
  const { baseUrl, ...credentials } = readCredentials(readConfig().dataDir);
  const tenant = await ownTenant('Demo');
  const client = cardwright({ baseUrl, ...tenant });
  const admin = cardwright({ baseUrl, ...credentials.admin });

  const receiver = await startReceiver(tenant, ({ event, data }) => {
    const { type, subtype, billingAmount, amount, status } = data as Record<string, string | undefined>;
    detail(
      `↳ webhook ${event}: ${[type, subtype].filter(Boolean).join('/')} ${billingAmount ?? amount ?? status}`,
    );
  });
  await client.setWebhook({ body: { url: receiver.url } });
  try {
    const { id: accountId, balance } = await accountIn(client, 'USD');
    const opening = { ...balance, spent: '0.00' };
    step(
      1,
      `A tenant of this run, ${tenant.clientId}: its USD account has ${shown(opening)}, its webhooks go to ${receiver.url}`,
    );

    const cardId = await issueCard(client, admin, accountId, credentials.temporalUi);
    await spend(client, cardId);
    await finish(client, cardId);
    return await compare(client, receiver, cardId, accountId, opening);
  } finally {
    await client.deleteWebhook();
    await receiver.close();
  }
}

async function issueCard(
  client: Cardwright,
  admin: Cardwright,
  accountId: string,
  temporalUi: string,
): Promise<string> {
  const email = `ada.${randomUUID().slice(0, 8)}@example.com`;
  const user = await client.createUser({ body: { meta: { firstName: 'Ada', lastName: 'Lovelace', email } } });
  step(2, `User ${user.id}`);
  const cardholder = await client.createCardholder({
    path: { id: user.id },
    body: { accountId, bin: B2B_BIN },
  });
  step(3, `Cardholder ${cardholder.id} on the B2B BIN ${B2B_BIN}: ${cardholder.status}`);
  await admin.creditAccount({ body: { accountId, amount: '500.00', reason: 'demo' } });
  step(4, 'The operator credits 500.00 to the account');
  const body = {
    userId: user.id,
    accountId,
    cardholderId: cardholder.id,
    label: 'Demo',
    amount: '200.00',
  };
  const key = randomUUID();
  const card = await client.issueCard({ body, key, wait: 30 });
  if (card.status !== 'active') throw new Error(`The card is ${card.status}, not active.`);
  step(5, `Card ${card.maskedNumber} is ${card.status} with ${card.balance.available} on it`);
  detail(`its issuance: ${temporalUi}/namespaces/default/workflows/card-issuance-${card.id}`);
  const again = await client.issueCard({ body, key });
  step(
    6,
    `The same request with the same key again: ${again.id === card.id ? 'the same card' : 'ANOTHER card'}`,
  );
  if (again.id !== card.id) throw new Error('An idempotent request had a second effect.');
  return card.id;
}

async function spend(client: Cardwright, cardId: string): Promise<void> {
  type Message = Omit<InputOf<'createSandboxTransaction'>['body'], 'cardId'>;
  const simulate = (message: Message) => client.createSandboxTransaction({ body: { cardId, ...message } });
  const merchant = { name: 'Bookshop', mcc: '5942', city: 'Vienna', country: 'AT' };
  const authorization = await simulate({ type: 'authorization', amount: '80.00', merchant });
  const { referenceId } = authorization;
  step(7, `Authorization of 80.00: ${shownBalance(authorization)}`);
  const part = await simulate({ type: 'settle', amount: '30.00', referenceId });
  step(8, `Partial settlement of 30.00, fee ${part.fee}: ${shownBalance(part)}`);
  const last = await simulate({ type: 'settle', amount: '40.00', final: true, referenceId });
  const { balance } = await client.getCard({ path: { id: cardId } });
  step(
    9,
    `Final settlement of 40.00, fee ${last.fee}, the rest is released: ${shownBalance({ balanceAfter: balance })}`,
  );
  const refund = await simulate({ type: 'refund', amount: '12.50', referenceId });
  step(10, `Refund of 12.50: ${shownBalance(refund)}`);
  const decline = await simulate({ type: 'authorization', amount: '9999.00', merchant });
  step(11, `Authorization of 9999.00: ${decline.type} (${decline.declineReason})`);
  const foreign = await simulate({ type: 'authorization', amount: '20.00', currency: 'EUR', merchant });
  step(12, `Authorization of 20.00 EUR, which is ${foreign.billingAmount} USD: ${shownBalance(foreign)}`);
  const cancel = await simulate({ type: 'cancel', referenceId: foreign.referenceId });
  step(13, `It is cancelled: ${shownBalance(cancel)}`);
}

async function finish(client: Cardwright, cardId: string): Promise<void> {
  const path = { id: cardId };
  const frozen = await client.freezeCard({ path });
  step(14, `Freeze: ${frozen.status} (${frozen.freezeReasons.join()})`);
  const declined = await client.createSandboxTransaction({
    body: { cardId, type: 'authorization', amount: '1.00' },
  });
  step(15, `Authorization of 1.00: ${declined.type} (${declined.declineReason})`);
  const closed = await client.closeCard({ path });
  step(16, `Close: ${closed.status}, what was left went back to the account`);
}

/** Waits for every webhook, then compares their sum with the balances that the API reports. */
async function compare(
  client: Cardwright,
  receiver: Receiver,
  cardId: string,
  accountId: string,
  opening: Balances,
): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  async function compared() {
    const folded = fold(receiver.events(), { [accountId]: opening });
    const card = (await client.getCard({ path: { id: cardId } })).balance;
    const account = await client.getAccountBalance({ path: { accountId } });
    const isSame = agrees(folded.get(cardId), card) && agrees(folded.get(accountId), account);
    return { folded, card, account, isSame };
  }
  const { folded, card, account, isSame } = await until(
    compared,
    (last) => last.isSame || Date.now() > deadline,
    { signal: unread },
  );
  const together = ({ available, pending }: Omit<Balances, 'spent'>) => sum(available, pending);
  say('');
  say(`  ${receiver.events().length} webhooks received, ${receiver.forged()} with a wrong signature.`);
  say(
    `  Card     the webhooks add up to ${shown(folded.get(cardId))}; the API reports ${card.available}, pending ${card.pending}, spent ${card.spent}`,
  );
  say(
    `  Account  the webhooks add up to ${together(folded.get(accountId) ?? opening)}; the API reports ${together(account)}`,
  );
  return isSame && receiver.forged() === 0;
}

async function accountIn(client: Cardwright, currency: string): Promise<Schemas['Account']> {
  for await (const account of client.each('listAccounts', { query: { ownerType: 'client', currency } }))
    return account;
  throw new Error(`There is no ${currency} account.`);
}

function shown(balances?: Balances): string {
  return balances ? `${balances.available}, pending ${balances.pending}, spent ${balances.spent}` : 'nothing';
}

function shownBalance({ balanceAfter }: { balanceAfter: Balances }): string {
  const { available, pending, spent } = balanceAfter;
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
