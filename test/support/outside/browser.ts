import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The Chromium that CHROMIUM_PATH names, or one of the usual names on the PATH; nothing where there is none. */
export function chromiumPath(): string | undefined {
  const { CHROMIUM_PATH: named, PATH = '' } = process.env;
  if (named) return named;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const places = [...PATH.split(delimiter), '/usr/bin'];
  return names.flatMap((name) => places.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

export const PHONE_WIDTH = 360;
/** JavaScript is off: a page must do without. */
const PHONE = { viewport: { width: PHONE_WIDTH, height: 740 }, javaScriptEnabled: false };

export interface Phone {
  page: Page;
  /** Keeps what is seen, whole, as a picture for people. @returns its width: more than the screen's when something sticks out */
  picture(name: string): Promise<number>;
  close(): Promise<void>;
}

export async function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 120_000,
  });
}

const ARTEFACTS = join(__dirname, '../../../test-artefacts');

export async function openPhone(browser: Browser): Promise<Phone> {
  const context = await browser.newContext(PHONE);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  return {
    page,
    async picture(name) {
      mkdirSync(ARTEFACTS, { recursive: true });
      const png = await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), fullPage: true });
      return png.readUInt32BE(16);
    },
    close: () => context.close(),
  };
}
