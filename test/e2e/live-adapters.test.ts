/** @long @isolated launches the product. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until as waitUntil } from '../../client/src';
import { Decimal } from '../../src/kernel/money/money';
import { createSandboxFileBank, type SandboxFileBank } from '../../src/parties/iso20022/sandbox/bank';
import { createXmlReader } from '../../src/parties/iso20022/xml/reader';
import { SECRET, type StripeAccount, stripeAccount } from '../parties/card-processor/stripe/account';
import { networkOf } from '../parties/card-processor/stripe/network';
import { killAll, START_MS } from '../startup/process';
import type { Client } from '../support/api';
import { ownPort } from '../support/own-port';
import { temporaryFolder } from '../support/servers';
import { pendingCardholder, until } from './client';
import { type LiveInstallation, startLive } from './live-installation';

/**
 * A live installation without a bridge: Stripe Issuing makes its cards and reviews its cardholders, and a bank takes and
 * gives its money by files. Stripe's account and the bank are simulated. Both speak the real protocols.
 */

const dataDir = temporaryFolder('live-adapters');
const folder = join(dataDir, 'bank-files');
const BIN = '55112233';
const OUR_IBAN = 'DE75512108001245126199';
const PAYEE_IBAN = 'DE89370400440532013000';

const reader = createXmlReader();
let account: StripeAccount;
let bank: SandboxFileBank;
let live: LiveInstallation;
let client: Client;
let admin: Client;
let ownAccount: string;
/** Set at the end. */
let isOver = false;
let turning: Promise<void>;

beforeAll(async () => {
  account = await stripeAccount();
  account.state.balance.eur = 0;
  mkdirSync(folder, { recursive: true });
  const accounts = [{ currency: 'EUR', iban: OUR_IBAN }];
  bank = await createSandboxFileBank({ folder, accounts, reader, now: () => new Date() });
  turning = turns();
  const rates = join(dataDir, 'rates.json');
  writeFileSync(rates, JSON.stringify({ base: 'USD', rates: { EUR: '0.9' } }));
  live = await startLive(dataDir, {
    PORT: String(await ownPort()),
    PARTY_CARD_PROCESSOR: 'stripe',
    PARTY_CARDHOLDER_REVIEW: 'stripe',
    STRIPE_SECRET_KEY: 'sk_live_abc',
    STRIPE_URL: `http://${account.server.host}:${account.server.port}`,
    STRIPE_ISSUING_WEBHOOK_SECRET: SECRET,
    STRIPE_ISSUING_PROGRAMMES: JSON.stringify({ [BIN]: { currency: 'EUR' } }),
    BANK_FILES_FOLDER: folder,
    BANK_FILES_BATCH_SECONDS: '0',
    BANK_COMPANY: 'Example Cards GmbH',
    BANK_BIC: 'SOGEDEFFXXX',
    BANK_ACCOUNTS: `EUR=${OUR_IBAN}`,
    VIRTUAL_IBAN_PREFIX: 'DE51210800999',
    VIRTUAL_IBAN_BIC: 'SOGEDEFFXXX',
    RATES_SOURCE: 'file',
    RATES_FILE: rates,
    PARTY_CHECKOUT: 'off',
    PARTY_EXTERNAL_CARDS: 'off',
    PARTY_EXCHANGE: 'off',
    PARTY_SCREENING: 'off',
  });
  [client, admin] = [await live.tenant('client'), await live.tenant('admin')];
  const programme = ['--scheme', 'visa', '--currency', 'EUR', '--model', 'B2C'];
  await live.operator('bin', 'add', BIN, ...programme, '--admit', client.clientId);
  const { data } = (await client.call('GET', '/v1/accounts')).body;
  ownAccount =
    (data as { id: string; currency: string }[]).find(({ currency }) => currency === 'EUR')?.id ?? '';
}, 2 * START_MS);
afterAll(async () => {
  live?.run.child.kill('SIGINT');
  await live?.run.ended;
  isOver = true;
  await turning;
  await account.close();
  await reader.close();
  killAll();
  rmSync(dataDir, { recursive: true, force: true });
}, START_MS);

async function turns(): Promise<void> {
  while (!isOver) {
    await bank.turn();
    await sleep(200);
  }
}

const key = () => ({ 'x-idempotency-key': randomBytes(8).toString('hex') });
const company = () => `/v1/corporate-banking/${client.clientId}`;

/** Reads until the value is the wanted one. */
async function sees(read: () => Promise<unknown>, wanted: unknown): Promise<void> {
  const seen = await waitUntil(
    async () => ({ value: await read() }),
    ({ value }) => value === wanted,
    { patienceMs: 90_000 },
  );
  expect(seen.value).toBe(wanted);
}

const availableOn = async () =>
  (await client.call('GET', `/v2/accounts/${ownAccount}/balance`)).body.available as string;

it(
  'credits a virtual IBAN from a file of the bank',
  async () => {
    await live.operator('iban', 'enable', client.clientId);
    const { iban } = (await client.call('GET', `${company()}/account`)).body as { iban: string };
    expect(iban).toMatch(/^DE\d\d51210800999\d{7}$/);
    const payer = { name: 'Grace Hopper', iban: 'FR1420041010050500013M02606' };
    await bank.receive({ iban, amount: '3000.00', payer });
    await sees(
      async () => (await client.call('GET', `${company()}/account`)).body.balance.available,
      '3000.00',
    );
    await client.call('POST', `${company()}/transfers`, { amount: '2900.00' }, key());
    await sees(availableOn, '2900.00');
  },
  START_MS,
);

it(
  'issues a card at Stripe to a cardholder whom Stripe has reviewed, and books what the network reports',
  async () => {
    account.state.balance.eur = 50_000;
    const funding = [
      '--party',
      'card-processor',
      '--currency',
      'EUR',
      '--amount',
      '500.00',
      '--as',
      'funding',
    ];
    await live.operator('settlement', 'move', ...funding, '--reason', 'paid into the issuing balance');
    const cardholderId = await pendingCardholder(client, admin, { accountId: ownAccount, bin: BIN });
    await live.operator('cardholder', 'approve', cardholderId);
    await until(`/v1/cardholders/${cardholderId}`, client, 'pass_audit');
    const { userId } = (await client.call('GET', `/v1/cardholders/${cardholderId}`)).body;
    const asked = { userId, accountId: ownAccount, cardholderId, amount: '200.00' };
    const card = (await client.call('POST', '/v1/cards', asked)).body.id as string;
    await until(`/v1/cards/${card}`, client, 'active');
    const shown = await client.call('GET', `/v1/cards/${card}/sensitive`);
    expect(shown.body.cardNumber).toBe('4242424242424242');

    const [reference = ''] = [...account.cards.keys()];
    const network = networkOf(account, reference, 'eur');
    const authorization = network.opened();
    const { raw, headers } = account.signed(network.question(authorization, 3_000));
    const answer = await fetch(`${live.baseUrl}/processor/v1/messages`, {
      method: 'POST',
      body: raw,
      headers,
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { approved: true }]);
    network.decided(authorization, 3_000, { approved: true });
    const balanceOf = async () => {
      const { available, pending, spent } = (await client.call('GET', `/v1/cards/${card}`)).body.balance;
      return `${available} ${pending} ${spent}`;
    };
    expect(await balanceOf()).toBe('170.00 30.00 0.00');
    // The list of events alone has the capture and the refund.
    network.captured(authorization, 3_100);
    await sees(balanceOf, '169.00 0.00 31.00');
    network.refunded(authorization, 600);
    await sees(balanceOf, '175.00 0.00 25.00');
  },
  START_MS,
);

it(
  'pays out by a file, takes a returned payout back, and agrees with the statement of the bank',
  async () => {
    expect(await availableOn()).toBe('2700.00');
    const [paid, returned] = [await paidOut('100.00'), await paidOut('901.07')];
    for (const payout of [paid, returned]) {
      // The destination is new, so a second person approves.
      await until(payoutPath(payout), client, 'pending_approval');
      await live.approver('payout', 'approve', payout);
    }
    const ended = [
      await until(payoutPath(paid), client, 'completed'),
      await until(payoutPath(returned), client, 'returned'),
    ];
    const fees = ended.map(({ fee }) => new Decimal(fee as string));
    const left = Decimal.sum('2600.00', ...fees.map((fee) => fee.negated()));
    await sees(availableOn, left.toFixed(2));
    await bank.closeStatement('EUR');
    await sees(async () => (await readdir(join(folder, 'incoming'))).length, 0);
    expect(await readdir(join(folder, 'refused'))).toEqual([]);
  },
  START_MS,
);

const payoutPath = (payout: string) => `/v2/accounts/${ownAccount}/payouts/${payout}`;

async function paidOut(amount: string): Promise<string> {
  const asked = { method: 'sepa', amount, currency: 'EUR' };
  const quoted = await client.call('POST', `/v2/accounts/${ownAccount}/payout-quote`, asked);
  const destination = { name: 'Ada Byron', iban: PAYEE_IBAN };
  const body = { quoteId: quoted.body.quoteId, destination };
  const made = await client.call('POST', `/v2/accounts/${ownAccount}/payouts`, body, key());
  return made.body.id as string;
}

it('shows each file of the bank, and none of ours without an answer', async () => {
  const files = Object.values(await live.operator('bank-files', 'list')) as Record<string, unknown>[];
  expect(files.filter(({ result }) => result === 'refused')).toEqual([]);
  const ours = files.filter(({ kind }) => kind === 'pain.001.001.09');
  expect(ours.length).toBeGreaterThan(0);
  expect(ours.filter(({ result, answeredAt }) => result !== 'placed' || answeredAt === null)).toEqual([]);
});

it('has no difference in the end', async () => {
  expect(await live.operator('breaks', 'list')).toEqual([]);
  expect((await live.installation('ledger', 'check'))['problems'] ?? []).toEqual([]);
});
