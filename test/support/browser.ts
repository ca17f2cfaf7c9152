import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findOnPath } from '../../src/embedded/temporal-binary';

/** The Chromium that CHROMIUM_PATH names, or one of the usual names on the PATH; nothing where there is none. */
export async function chromiumPath(): Promise<string | undefined> {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return named;
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) {
    const path = await findOnPath(name, process.env);
    if (path) return path;
  }
  return undefined;
}

/** A phone's width. JavaScript is off: a page must do without. */
const PHONE = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false };

export interface Phone {
  page: Page;
  /** Keeps what is seen, whole, as a picture for people. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 120_000,
  });
}

const ARTEFACTS = join(__dirname, '../../test-artefacts');

export async function openPhone(browser: Browser): Promise<Phone> {
  const context = await browser.newContext(PHONE);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  return {
    page,
    async picture(name) {
      mkdirSync(ARTEFACTS, { recursive: true });
      await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), fullPage: true });
    },
    close: () => context.close(),
  };
}
