/** @long drives a real browser. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { partyPath } from '../../src/parties/sandbox/mount';
import { depositKind } from '../../src/transfers/deposits/kind';
import { advance } from '../../src/transfers/engine/advance';
import { sentChallenge } from '../cards/challenges/support';
import { networkCard } from '../cards/processor/support';
import type { Client } from '../support/api';
import { masterAccount } from '../support/cards';
import { ARTEFACTS, chromiumPath, startBrowser } from '../support/outside/browser';
import { asked, driven, onClock } from '../transfers/external-cards/support';

/** The pages of payers and testers, and error pages, in a real browser: one shell, two widths, day and night. */

const chromium = chromiumPath();
const inBrowser = chromium ? describe : describe.skip;
if (!chromium) console.warn('SKIPPED, the pages are not tried in a browser: there is no Chromium');

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const SHOP = 'https://shop.example/thanks';

inBrowser('the pages', () => {
  let browser: Browser;
  let api: Awaited<ReturnType<typeof onClock>>;
  let client: Client;
  /** Addresses of pages, by name. */
  let pages: Record<string, string>;

  beforeAll(async () => {
    [browser, api] = await Promise.all([startBrowser(chromium as string), onClock()]);
    client = await api.client();
    pages = await everyPage();
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  async function deposit(method: string, currency = 'EUR') {
    const path = `/v2/accounts/${await masterAccount(client, 'EUR')}`;
    const quote = await client.call('POST', `${path}/deposit-quote`, { method, amount: '1234.50', currency });
    const asking = { quoteId: quote.body.quoteId, returnUrl: SHOP };
    const made = await client.call('POST', `${path}/deposits`, asking, { 'x-idempotency-key': randomUUID() });
    await advance(api.services, depositKind, made.body.id as string);
    const ours = made.body.checkoutUrl as string;
    const party = (await fetch(ours, { redirect: 'manual' })).headers.get('location') ?? '';
    return { ours, party };
  }

  const posted = (page: string, fields: Record<string, string>) =>
    fetch(page, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

  /** The page of a card's bank. */
  async function confirmation(returnUrl?: string): Promise<string> {
    const { id, show } = await asked(api, client, 'topup', 'tok_3ds', { returnUrl });
    await driven(api, id);
    const { redirectUrl } = await show();
    return (await fetch(redirectUrl, { redirect: 'manual' })).headers.get('location') ?? '';
  }

  async function everyPage(): Promise<Record<string, string>> {
    const expired = await deposit('card');
    api.clock.pass(31 * 60);
    const [open, paid, transfer] = [
      await deposit('card'),
      await deposit('card'),
      await deposit('bank_transfer'),
    ];
    await posted(paid.party, { action: 'pay' });
    const [confirm, confirmed, refused] = [
      ...[await confirmation(SHOP), await confirmation(SHOP), await confirmation()],
    ];
    await posted(confirmed as string, { decision: 'confirm' });
    await posted(refused as string, { decision: 'refuse' });
    await sentChallenge(api, await networkCard(api, client), {
      expiresAt: new Date(api.clock.at.getTime() + 600_000).toISOString(),
    });
    const parties = `${api.url}${partyPath('checkout')}`;
    return {
      checkout: open.party,
      'checkout-bank-transfer': transfer.party,
      'checkout-paid': paid.party,
      'checkout-expired': expired.party,
      'checkout-unknown': `${parties}/pages/unknown`,
      'link-expired': expired.ours,
      'link-unknown': `${api.url}/checkout/unknown`,
      confirm: confirm as string,
      confirmed: confirmed as string,
      refused: refused as string,
      'confirm-unknown': `${api.url}${partyPath('external-cards')}/pages/unknown`,
      mailbox: (await client.call('GET', '/sandbox/mailbox')).body.pageUrl as string,
      'mailbox-unknown': `${api.url}/sandbox/mailbox/unknown`,
      'not-found': `${api.url}/nothing`,
      'for-programs': `${api.url}/v1/cards`,
    };
  }

  /** Runs `look` on a new page. Nothing of the page may fail, break its policy, or load anything. */
  async function onPage<T>(options: BrowserContextOptions, look: (page: Page) => Promise<T>): Promise<T> {
    const context = await browser.newContext(options);
    const wrong: string[] = [];
    const page = await context.newPage();
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) wrong.push(message.text());
    });
    page.on('request', (request) => {
      if (request.resourceType() !== 'document') wrong.push(request.url());
    });
    try {
      const found = await look(page);
      expect(wrong.filter((text) => !text.endsWith('/favicon.ico'))).toEqual([]);
      return found;
    } finally {
      await context.close();
    }
  }

  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(AXE);
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
    );
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }

  it.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)(
    'share one shell, fit %i px and have no violations when it is %s',
    async (width, colorScheme) => {
      mkdirSync(ARTEFACTS, { recursive: true });
      const styles = new Set<string>();
      const found: string[] = [];
      await onPage({ viewport: { width, height: 844 }, colorScheme }, async (page) => {
        for (const [name, address] of Object.entries(pages)) {
          await page.goto(address);
          for (const details of await page.locator('summary').all()) await details.click();
          const where = `${name}-${width}-${colorScheme}`;
          await page.screenshot({ path: join(ARTEFACTS, `page-${where}.png`), fullPage: true });
          styles.add((await page.locator('style').allTextContents()).join('\n'));
          if ((await page.locator('main > .card, main > .soft').count()) === 0)
            found.push(`${where} has no card`);
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
          if (wide > width) found.push(`${where} is ${wide} px wide`);
          found.push(...(await violations(page)).map((each) => `${where}: ${each}`));
        }
      });
      expect(found).toEqual([]);
      expect([...styles]).toHaveLength(1);
      expect([...styles][0]).toContain('color-scheme');
    },
  );

  const timesOf = (timezoneId: string, javaScriptEnabled: boolean) =>
    onPage({ timezoneId, javaScriptEnabled, viewport: { width: 390, height: 844 } }, async (page) => {
      const shown: Record<string, { utc: string; text: string }> = {};
      for (const name of ['checkout', 'confirm', 'link-expired', 'mailbox']) {
        await page.goto(pages[name] as string);
        const time = page.locator('time').first();
        const utc = (await time.getAttribute('datetime')) ?? '';
        shown[name] = { utc, text: (await time.textContent()) ?? '' };
      }
      return Object.values(shown);
    });

  it.each([
    ['Asia/Kolkata', 330],
    ['Pacific/Kiritimati', 840],
    ['UTC', 0],
  ])('show each time in UTC and beside it in %s', async (zone, minutes) => {
    for (const { utc, text } of await timesOf(zone, true)) {
      const local = new Date(Date.parse(utc) + minutes * 60_000).toISOString();
      const [day, clock] = [local.slice(0, 10), local.slice(11, 16)];
      const beside = utc.startsWith(day) ? clock : `${day} ${clock}`;
      expect(text).toBe(`${utc.slice(0, 16).replace('T', ' ')} UTC (${beside} local time)`);
    }
  });

  it('show each time in UTC without a script', async () => {
    for (const { utc, text } of await timesOf('Asia/Kolkata', false))
      expect(text).toBe(`${utc.slice(0, 16).replace('T', ' ')} UTC`);
  });
});
