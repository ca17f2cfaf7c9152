/** @long drives a real browser. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { checkLedger } from '../../../../src/kernel/ledger/check';
import { depositKind } from '../../../../src/transfers/deposits/kind';
import { advance } from '../../../../src/transfers/engine/advance';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { masterAccount } from '../../../support/cards';
import {
  chromiumPath,
  openPhone,
  PHONE_WIDTH,
  type Phone,
  startBrowser,
} from '../../../support/outside/browser';
import { until } from '../../../support/until';

/**
 * A payer with a real browser of a phone's width, without JavaScript. The test goes from `/checkout/{token}` to the
 * shop, and callbacks arrive over HTTP. Only the workflow's steps are run by the test.
 */

const chromium = chromiumPath();
const inBrowser = chromium ? describe : describe.skip;
if (!chromium) console.warn('SKIPPED, the payer’s page is not tried in a browser: there is no Chromium');

inBrowser('the payer', () => {
  let browser: Browser;
  let api: TestApi;
  let client: Client;
  let shop: Server;
  let shopUrl: string;
  let phone: Phone;
  let clock: { ahead: number };

  beforeAll(async () => {
    clock = { ahead: 0 };
    const now = () => new Date(Date.now() + clock.ahead);
    [browser, api] = await Promise.all([startBrowser(chromium as string), testApi({ now })]);
    client = await api.client();
    shop = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<h1>The shop</h1>'),
    );
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  });
  beforeEach(async () => {
    clock.ahead = 0;
    phone = await openPhone(browser);
  });
  afterEach(() => phone.close());
  afterAll(async () => {
    await browser.close();
    expect(await checkLedger(api.database)).toEqual([]);
    shop.closeAllConnections();
    await new Promise((resolve) => shop.close(resolve));
    await api.close();
  });

  const button = (name: string | RegExp) => phone.page.getByRole('button', { name });
  const openOutcomes = () => phone.page.getByText('Sandbox: other outcomes').click();

  /** Creates a deposit with a page, and opens it at our own address. */
  async function begin(method = 'card', currency = 'EUR') {
    const accountId = await masterAccount(client, 'EUR');
    const path = `/v2/accounts/${accountId}`;
    const quote = await client.call('POST', `${path}/deposit-quote`, { method, amount: '1234.50', currency });
    const made = await client.call(
      'POST',
      `${path}/deposits`,
      { quoteId: quote.body.quoteId, returnUrl: `${shopUrl}/thanks` },
      { 'x-idempotency-key': randomUUID() },
    );
    expect(made.status).toBe(201);
    const deposit = `${path}/deposits/${made.body.id}`;
    await look(made.body.id as string);
    await phone.page.goto(made.body.checkoutUrl as string);
    return {
      id: made.body.id as string,
      checkoutUrl: made.body.checkoutUrl as string,
      pageUrl: phone.page.url(),
      status: async () => (await client.call('GET', deposit)).body.status as string,
    };
  }

  const look = (depositId: string) => advance(api.services, depositKind, depositId);

  /** How often callbacks have woken the deposit's workflow. */
  const nudges = (id: string) =>
    api.commands.filter(({ action, args }) => action === 'look' && args[0] === id).length;

  /** The deposit's status after the party's callback. */
  async function afterCallback({ id, status }: Awaited<ReturnType<typeof begin>>) {
    await until(() => nudges(id) > 0);
    await look(id);
    return status();
  }

  it('pays with the keyboard alone; only the callback changes the deposit, not the return', async () => {
    const deposit = await begin();
    expect(await phone.page.title()).toBe('1234.50 EUR to Test');
    expect(await phone.page.getByRole('heading', { level: 1 }).textContent()).toBe('Payment to Test');
    expect(await phone.picture('checkout-card')).toBe(PHONE_WIDTH);
    await phone.page.keyboard.press('Tab');
    await phone.picture('checkout-focus');
    await phone.page.keyboard.press('Enter');
    await phone.page.waitForURL(`${shopUrl}/thanks`);
    expect(await deposit.status()).toBe('awaiting_payment');
    expect(await afterCallback(deposit)).toBe('completed');
    await phone.page.goto(deposit.checkoutUrl);
    expect(phone.page.url()).toBe(deposit.checkoutUrl);
  });

  it('cancels', async () => {
    const deposit = await begin();
    await button('Cancel and go back').click();
    await phone.page.waitForURL(`${shopUrl}/thanks`);
    expect(await afterCallback(deposit)).toBe('cancelled');
    await phone.page.goto(deposit.pageUrl);
    await phone.page.getByText('The payment was cancelled.').waitFor();
    expect(await phone.picture('checkout-cancelled')).toBe(PHONE_WIDTH);
    await openOutcomes();
    await button('Pay late').click();
    await phone.page.waitForURL(`${shopUrl}/thanks`);
    await until(() => nudges(deposit.id) > 1);
    await look(deposit.id);
    expect(await deposit.status()).toBe('manual_review');
  });

  it('fails', async () => {
    const deposit = await begin();
    await openOutcomes();
    await phone.page.getByLabel('Because').selectOption('Expired card');
    await button('Let it fail').click();
    await phone.page.waitForURL(`${shopUrl}/thanks`);
    expect(await afterCallback(deposit)).toBe('failed');
  });

  it('pays another amount after an error message about an invalid one', async () => {
    const deposit = await begin();
    await openOutcomes();
    await phone.page.getByLabel('Amount in EUR').fill('twelve');
    await button('Pay this').click();
    expect(await phone.page.getByRole('alert').textContent()).toContain('The amount must be a number in EUR');
    expect(await phone.page.getByLabel('Amount in EUR').inputValue()).toBe('twelve');
    expect(await phone.picture('checkout-wrong-amount')).toBe(PHONE_WIDTH);
    await phone.page.getByLabel('Amount in EUR').fill('1000');
    await button('Pay this').click();
    await phone.page.waitForURL(`${shopUrl}/thanks`);
    expect(await afterCallback(deposit)).toBe('manual_review');
  });

  it.each([
    ['bank_transfer', 'EUR', 'I have sent the transfer'],
    ['crypto', 'USDT', 'I have sent the payment'],
  ])('pays by %s; the tester settles and then disputes the payment', async (method, currency, name) => {
    const deposit = await begin(method, currency);
    await button(name).waitFor();
    expect(await phone.picture(`checkout-${method}`)).toBe(PHONE_WIDTH);
    await openOutcomes();
    await phone.page.getByLabel('Settled').selectOption('When I say so on this page');
    await button('Pay this').click();
    await phone.page.waitForURL(`${shopUrl}/thanks`);
    expect(await afterCallback(deposit)).toBe('processing');
    await phone.page.goto(deposit.pageUrl);
    await openOutcomes();
    await button('Settle it now').click();
    await phone.page.getByText('paid and settled').waitFor();
    await until(() => nudges(deposit.id) > 1);
    await look(deposit.id);
    expect(await deposit.status()).toBe('completed');
    await openOutcomes();
    await button('Open a dispute').click();
    await phone.page.getByText(', open').waitFor();
    expect(await phone.picture(`checkout-${method}-disputed`)).toBe(PHONE_WIDTH);
    await until(() => nudges(deposit.id) > 2);
    await look(deposit.id);
    expect(await deposit.status()).toBe('chargeback');
  });

  it('pays late', async () => {
    const deposit = await begin();
    clock.ahead = 31 * 60_000;
    await look(deposit.id);
    expect(await deposit.status()).toBe('expired');
    await phone.page.goto(deposit.pageUrl);
    await phone.page.getByText('The time to pay is over.').waitFor();
    await openOutcomes();
    await button('Pay late').click();
    await phone.page.waitForURL(`${shopUrl}/thanks`);
    expect(await afterCallback(deposit)).toBe('manual_review');
  });

  it('wraps a long merchant name', async () => {
    const name = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft';
    await api.database.query('update tenants set name = $2 where id = $1', [client.clientId, name]);
    const deposit = await begin();
    await button('Pay 1234.50 EUR').click();
    await phone.page.waitForURL(`${shopUrl}/thanks`);
    await phone.page.goto(deposit.pageUrl);
    await openOutcomes();
    expect(await phone.picture('checkout-long-name')).toBe(PHONE_WIDTH);
  });
});
