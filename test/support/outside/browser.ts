import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Returns the Chromium of CHROMIUM_PATH, or one with a usual name on the PATH. Undefined without one. */
export function chromiumPath(): string | undefined {
  const { CHROMIUM_PATH: named, PATH = '' } = process.env;
  if (named) return named;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const places = [...PATH.split(delimiter), '/usr/bin'];
  return names.flatMap((name) => places.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

export const PHONE_WIDTH = 360;
/** JavaScript is off, because pages must work without it. */
const PHONE = { viewport: { width: PHONE_WIDTH, height: 740 }, javaScriptEnabled: false };

export interface Phone {
  page: Page;
  /**
   * Saves a picture of the whole page for people.
   * @returns its width, which is above the screen's when content overflows
   */
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

/** Pictures for people. */
export const ARTEFACTS = join(__dirname, '../../../test-artefacts');

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
