/** @long drives a real browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { deskCatalogue } from '../../../src/desk-catalogue';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { activeCard, PROCESSOR, simulate, type TestCard } from '../../support/cards';
import { type TestDesk, testDesk } from '../../support/desk';
import { setAdminLimit } from '../../support/operator';
import { ARTEFACTS, chromiumPath, startBrowser } from '../../support/outside/browser';
import { HANG_MS } from '../../support/until';
import { userInReview } from '../../support/uploads';
import { completed, type DepositWorld, depositWorld, look, pay } from '../../transfers/deposits/support';
import { fundedAccount, read } from '../../transfers/payouts/support';
import { asOperator, key, operators, type Person, pendingPayout } from '../support';

/** Operators with a real browser: what they read, decide with the keyboard, and what a screen reader finds. */

const chromium = chromiumPath();
const inBrowser = chromium ? describe : describe.skip;
if (!chromium) console.warn('SKIPPED, the console is not tried in a browser: there is no Chromium');

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [1280, 390];

inBrowser('the console', () => {
  let browser: Browser;
  let world: DepositWorld;
  let desk: TestDesk;
  let ida: Person;
  let bob: Person;
  let accountId: string;
  let card: TestCard;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    [browser, world] = await Promise.all([startBrowser(chromium as string), depositWorld()]);
    desk = await testDesk(world.api.services, {
      workflowUrl: (id) => `https://temporal.example/workflows/${id}`,
    });
    [ida, bob] = (await operators(world.api, 'ida', 'bob')) as [Person, Person];
    accountId = await fundedAccount(world.api, world.client, '900000.00');
    card = await activeCard(world.api, world.client, '1.00');
    await simulate(world.client, { cardId: card.id, type: 'authorization', amount: '0.50' });
    await simulate(world.client, { cardId: card.id, type: 'authorization', amount: '999.00' });
    await setAdminLimit(world.api.database, '49.99');
  });
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser.close();
    expect(await checkLedger(world.api.database)).toEqual([]);
    await desk.close();
    await world.close();
  });

  const pending = () => pendingPayout(world.api, world.client, accountId);
  const statusOf = async (id: string) => (await read(world.client, accountId, id)).status as string;

  /** A completed deposit with an excess payment of 50.00 in suspense. */
  async function surplus(): Promise<string> {
    const { id, session } = await completed(world);
    pay(session, { amount: '150.00' }, true);
    await look(world, id);
    return id;
  }

  /** The token of an invitation. */
  async function invited(): Promise<string> {
    const ask = await asOperator(desk.url, ida);
    const input = { name: 'gil', permissions: ['view'] };
    return (await ask('POST', 'decisions/operator.invite', { input }, key())).body.result.token as string;
  }

  /** A page of an operator who has signed in. Nothing that it loads may fail or break the policy. */
  async function pageOf(
    { name, secret }: Person,
    { width = 1280, dark = false }: { width?: number; dark?: boolean } = {},
  ): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? 'dark' : 'light',
    });
    opened.push(context);
    context.setDefaultTimeout(HANG_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) wrong.push(message.text());
    });
    await page.goto(`${desk.url}/`);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Secret').fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return page;
  }
  const wrong: string[] = [];
  afterEach(() => expect(wrong.splice(0)).toEqual([]));

  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(AXE);
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
    );
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }

  let prepared: Promise<{ pages: Record<string, string>; token: string }> | undefined;

  /** Paths of pages by name, with records that fill them, and the token of an invitation. */
  async function prepare(): Promise<{ pages: Record<string, string>; token: string }> {
    const payout = await pending();
    const deposit = await surplus();
    const person = await userInReview(world.client, {});
    // A second record that is found by the digits of the card.
    await world.client.call('POST', '/v1/users', { externalId: PROCESSOR.last4 });
    const token = await invited();
    const asking = await pageOf(ida);
    await asking.goto(`${desk.url}/decisions/suspense.write-off?subject=${deposit}`);
    await asking.getByLabel('Reason').fill('seen the slip');
    await asking.getByRole('button', { name: 'Preview' }).click();
    await asking.getByRole('button', { name: 'Ask for it' }).click();
    const approval = await asking.locator('.notice .id').first().getAttribute('href');
    const pages: Record<string, string> = {
      overview: '/',
      work: '/work',
      records: '/records',
      join: '/join',
      'list-movements': `/lists/account-movements?account=${accountId}`,
      'record-card': `/records/${card.id}`,
      'record-person': `/records/${person}`,
      'decision-person': `/decisions/kyc.approve?subject=${person}`,
      'list-payouts': '/lists/payouts',
      'list-suspense': '/lists/suspense',
      'record-payout': `/records/${payout}`,
      'record-deposit': `/records/${deposit}`,
      'record-words': `/records/${deposit}?list=words`,
      'record-account': `/records/${accountId}`,
      decision: `/decisions/suspense.credit?subject=${deposit}`,
      'decision-permit': '/decisions/operator.permit',
      approvals: '/approvals',
      approval: approval as string,
      desks: '/desks',
      'not-found': '/records/pay_none',
      ...Object.fromEntries(
        deskCatalogue(world.api.services).desks.map(({ name }) => [`desk-${name}`, `/desks/${name}`]),
      ),
    };
    return { pages, token };
  }

  // A test of each width and scheme, because a slow machine needs minutes for all of them.
  it.each(
    WIDTHS.flatMap((width) => [
      { width, dark: false },
      { width, dark: true },
    ]),
  )('has pages without violations, that fit $width px, dark: $dark', async ({ width, dark }) => {
    prepared ??= prepare();
    const { pages, token } = await prepared;
    const found: string[] = [];
    const page = await pageOf(ida, { width, dark });
    const look = async (name: string) => {
      const where = `${name}-${width}${dark ? '-dark' : ''}`;
      await page.screenshot({ path: join(ARTEFACTS, `console-${where}.png`), fullPage: true });
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > width) found.push(`${where} is ${wide} px wide`);
      found.push(...(await violations(page)).map((each) => `${where}: ${each}`));
    };
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(desk.url + path);
      await look(name);
    }
    await page.getByPlaceholder(/^Search/).fill(PROCESSOR.last4);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: "By a card's last four digits" }).waitFor();
    await look('found');
    await page.goto(`${desk.url}/join#${token}`);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await look('link');
    await page.goto(desk.url);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await look('sign-in');
    expect(found).toEqual([]);
  });

  it('shows each time in UTC with the local time beside it, in parts that are loaded later too', async () => {
    const page = await pageOf(ida);
    await page.goto(`${desk.url}/records/${await pending()}`);
    await page.getByRole('link', { name: /^Approve/ }).click();
    await page.getByLabel('Reason').waitFor();
    const times = await page.locator('time:not(.age)').allTextContents();
    expect(times.length).toBeGreaterThan(2);
    for (const text of times)
      expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \((\d{4}-\d\d-\d\d )?\d\d:\d\d local time\)$/);
  });

  it('decides with the keyboard alone, from the row that waits to the effect', async () => {
    const id = await pending();
    const page = await pageOf(ida);
    await page.keyboard.press('/');
    await page.keyboard.type(id);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /^Approve/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').waitFor();
    expect(page.url()).toBe(`${desk.url}/records/${id}`); // the form opens beside the story
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('called them');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What it will do' }).waitFor();
    await page.screenshot({ path: join(ARTEFACTS, 'console-preview-1280.png'), fullPage: true });
    expect(await violations(page)).toEqual([]);
    expect(await statusOf(id)).toBe('pending_approval');
    await page.getByRole('button', { name: 'Confirm' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Done').waitFor();
    expect(await statusOf(id)).toBe('processing');
    await page.screenshot({ path: join(ARTEFACTS, 'console-done-1280.png'), fullPage: true });
    await page.getByRole('link', { name: 'Open the record' }).click();
    await page.getByText('called them').first().waitFor({ state: 'attached' });
  });

  it('leaves the focus where an operator has put it, once a form has appeared', async () => {
    const page = await pageOf(ida);
    await page.goto(`${desk.url}/records/${await surplus()}`);
    // The operator is as fast as one can be. `settled` is set when htmx is done with the form.
    await page.evaluate(`
      document.addEventListener('htmx:afterSwap', () => setTimeout(() => document.getElementById('field-reason').focus()));
      document.addEventListener('htmx:afterSettle', () => setTimeout(() => document.body.setAttribute('data-settled', '')));
    `);
    await page.getByRole('link', { name: /^Write off/ }).click();
    await page.locator('body[data-settled]').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('field-reason');
  });

  it('shows a decision of one operator to another, who carries it out', async () => {
    const id = await surplus();
    const one = await pageOf(ida);
    await one.goto(`${desk.url}/records/${id}`);
    await one.getByRole('link', { name: /^Write off/ }).click();
    await one.getByLabel('Reason').fill('seen the slip');
    await one.getByRole('button', { name: 'Preview' }).click();
    await one.getByText('It takes two operators.').waitFor();
    await one.getByRole('button', { name: 'Ask for it' }).click();
    await one.getByText('It waits for another operator').waitFor();
    await one.goto(`${desk.url}/approvals`);
    await one
      .getByRole('row')
      .filter({ hasText: id.slice(-6) })
      .getByRole('link')
      .first()
      .click();
    expect(await one.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const other = await pageOf(bob, { width: 390 });
    await other.goto(one.url());
    await other.getByText('50.00 USD').first().waitFor();
    await other.getByRole('button', { name: 'Reject' }).click();
    await other.getByText('reason is required.').waitFor();
    await other.getByLabel('Note').fill('agreed');
    await other.getByRole('button', { name: 'Approve' }).click();
    await other.getByText('It is approved, and done.').waitFor();
    await other.goto(`${desk.url}/lists/suspense?transfer=${id}`);
    await other.getByText('No rows.').waitFor();
  });

  it('shows what has changed while an operator was reading', async () => {
    const id = await pending();
    const [one, other] = [await pageOf(ida), await pageOf(bob)];
    for (const [page, verb] of [
      [one, 'approve'],
      [other, 'reject'],
    ] as const) {
      await page.goto(`${desk.url}/decisions/payout.${verb}?subject=${id}`);
      await page.getByLabel('Reason').fill('as agreed');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('button', { name: 'Confirm' }).waitFor();
    }
    await other.getByRole('button', { name: 'Confirm' }).click();
    await other.getByText('Done').waitFor();
    await one.getByRole('button', { name: 'Confirm' }).click();
    await one.getByText('It has changed since you looked').waitFor();
    await one.screenshot({ path: join(ARTEFACTS, 'console-changed-1280.png'), fullPage: true });
    expect(await violations(one)).toEqual([]);
    expect(await statusOf(id)).toBe('rejected');
  });

  it('keeps what was typed when the session ends, and sends it again', async () => {
    const id = await pending();
    const page = await pageOf(ida);
    await page.goto(`${desk.url}/records/${id}`);
    await page.getByRole('link', { name: /^Approve/ }).click();
    await page.getByLabel('Reason').fill('typed at length');
    await world.api.database.query('update desk_sessions set ended_at = now() where ended_at is null');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await page.screenshot({ path: join(ARTEFACTS, 'console-ended-1280.png') });
    await page.getByLabel('Name').fill(ida.name);
    await page.getByLabel('Secret').fill(ida.secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Confirm' }).waitFor();
    await page.getByText('typed at length').waitFor();
    expect(await statusOf(id)).toBe('pending_approval');
  });

  it('pages through a list, filters it and hands it out as a file', async () => {
    await world.api.database.query(
      `insert into breaks (id, kind, subject, detail, created_at)
       select 'brk_' || lpad(n::text, 26, '0'), 'test', 'subject ' || n, '=1+1', now() - n * interval '1 minute'
         from generate_series(1, 120) n`,
    );
    const page = await pageOf(ida);
    await page.goto(`${desk.url}/lists/breaks`);
    const seen = new Set<string>();
    for (;;) {
      for (const text of await page.locator('tbody tr td:first-child').allTextContents()) seen.add(text);
      const next = page.getByRole('link', { name: 'Next page' });
      if ((await next.count()) === 0) break;
      await next.click();
      await page.waitForLoadState();
    }
    expect(seen.size).toBeGreaterThanOrEqual(120);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines.length).toBe(seen.size + 1);
    expect(lines.join('\n')).toContain(`'=1+1`);
    await page.getByLabel('Older than').fill('1h');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'Clear' }).waitFor();
    expect(page.url()).toContain('olderThan=1h');
  });

  it('works without a script', async () => {
    const id = await pending();
    const context = await browser.newContext({ javaScriptEnabled: false });
    opened.push(context);
    const page = await context.newPage();
    await page.goto(`${desk.url}/decisions/payout.approve?subject=${id}`);
    await page.getByLabel('Name').fill(ida.name);
    await page.getByLabel('Secret').fill(ida.secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Done').waitFor();
    expect(await statusOf(id)).toBe('processing');
  });
});
