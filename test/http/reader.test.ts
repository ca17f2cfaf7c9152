/** @long drives a real browser. */
import type { Browser, Page } from 'playwright-core';
import { stepsOf } from '../docs/steps';
import { type TestApi, testApi } from '../support/api';
import { chromiumPath, startBrowser } from '../support/outside/browser';
import { until } from '../support/until';

const chromium = chromiumPath();
const inBrowser = chromium ? describe : describe.skip;
if (!chromium) console.warn('SKIPPED, the reader is not tried in a browser: there is no Chromium');

inBrowser('the reader of the document', () => {
  let browser: Browser;
  let api: TestApi;
  beforeAll(async () => {
    [browser, api] = await Promise.all([startBrowser(chromium as string), testApi()]);
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** The page once the reader has taken over. `wrong` collects failed and foreign requests, and errors. */
  async function opened(width: number): Promise<{ page: Page; wrong: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const wrong: string[] = [];
    page.on('request', (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(api.url)) wrong.push(request.url());
    });
    page.on('requestfailed', (request) => wrong.push(`failed: ${request.url()}`));
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(error.message));
    await page.goto(`${api.url}/docs`);
    await page.getByRole('heading', { name: 'Quick start' }).waitFor({ timeout: 20_000 });
    return { page, wrong };
  }

  it.each([1280, 390])(
    'shows the guides first at %i pixels, and loads nothing from elsewhere',
    async (width) => {
      const { page, wrong } = await opened(width);
      const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
      const at = (title: string) => headings.findIndex((each) => each.includes(title));
      expect([at('Quick start'), at('Idempotency'), at('Errors'), at('Effects on balances')]).not.toContain(
        -1,
      );
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      // A narrow column of a table breaks between words.
      const cell = `getComputedStyle(document.querySelector('#reference td'))`;
      expect(await page.evaluate(`${cell}.wordBreak`)).toBe('normal');
      expect(await page.locator('#first').count()).toBe(0);
      // On a slow line, the bytes of the page decide how fast it is.
      const sent = await page.evaluate<number>(
        `performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0)`,
      );
      expect(sent).toBeGreaterThan(100_000);
      expect(sent).toBeLessThan(1_200_000);
      expect(wrong).toEqual([]);
      await page.close();
    },
    60_000,
  );

  it('leads from a link of a guide to its chapter', async () => {
    const { page } = await opened(1280);
    await page.getByRole('link', { name: 'Twelve steps' }).click();
    const chapter = page.getByRole('heading', { name: 'Twelve steps' });
    await until(async () => {
      const top = (await chapter.boundingBox())?.y ?? -1;
      return top > 0 && top < 300;
    });
    await page.close();
  }, 60_000);

  it('finds each step of the first integration by its words, among the first ten results', async () => {
    const { page } = await opened(1280);
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click();
    const results = page.getByRole('option');
    for (const { title, words, readme, chapter, operations } of stepsOf()) {
      if (readme !== undefined) continue;
      await page.getByRole('combobox').fill(words);
      // A result ends with the method and the path of its operation.
      const places = operations.map((name) =>
        name.replace(/^[A-Z]+/, (method) => `${method.toLowerCase()}Path:`),
      );
      if (chapter !== undefined) places.push(`Heading: ${chapter} ,Description: Heading`);
      for (const place of places)
        await results
          .filter({ hasText: place.split(/Path: |Heading: | ,/)[1] })
          .first()
          .waitFor();
      const first = (await results.allTextContents())
        .slice(0, 10)
        .map((text) => text.replace(/\s+/g, ' ').trim())
        .map((text) => text.replace(/^Heading: \d+\. /, 'Heading: '));
      const missing = places.filter((place) => !first.some((result) => result.endsWith(place)));
      expect({ title, missing, first }).toEqual({ title, missing: [], first });
    }
    await page.close();
  }, 60_000);
});
