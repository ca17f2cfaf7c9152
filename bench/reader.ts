import type { Browser, Page } from 'playwright-core';
import { chromiumPath, startBrowser } from '../test/support/outside/browser';
import { median } from './comparison';
import { openBench, startCardApi } from './servers';

/** Number of loads of each kind. */
const LOADS = Number(process.env['BENCH_TURNS'] ?? 9);

/** A line as that of a phone: 1.6 Mbit/s down and 150 ms there and back, the slow line of Lighthouse. */
const SLOW_LINE = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };

/** A load of the page, in milliseconds after the request. */
interface Load {
  firstPaint: number;
  /** The first guide is shown. */
  guides: number;
  kilobytes: number;
}

/**
 * Measures how soon Chromium paints `/docs`, and how soon the guides are there. Each load has an empty cache. Loads of
 * the kinds take turns, and medians are printed.
 */
export async function benchReader(): Promise<void> {
  const path = chromiumPath();
  if (path === undefined) throw new Error('The bench needs a Chromium: see CHROMIUM_PATH.');
  const bench = await openBench();
  const browser = await startBrowser(path);
  try {
    const api = await startCardApi(bench, 'warn');
    const kinds = [1280, 390].flatMap((width) => [
      { line: 'loopback', width, slow: false },
      { line: '1.6 Mbit/s, 150 ms', width, slow: true },
    ]);
    const loads = kinds.map((): Load[] => []);
    for (let turn = 0; turn < LOADS; turn += 1)
      for (const [index, kind] of kinds.entries())
        loads[index]?.push(await load(browser, `http://127.0.0.1:${api.port}/docs`, kind));
    console.table(
      kinds.map(({ line, width }, index) => ({ line, width, ...medians(loads[index] ?? []), loads: LOADS })),
    );
    await api.stop();
  } finally {
    await browser.close();
    await bench.close();
  }
}

async function load(
  browser: Browser,
  url: string,
  { width, slow }: { width: number; slow: boolean },
): Promise<Load> {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  try {
    const page = await context.newPage();
    if (slow) await (await context.newCDPSession(page)).send('Network.emulateNetworkConditions', SLOW_LINE);
    const begun = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Quick start' }).waitFor({ timeout: 60_000 });
    const guides = performance.now() - begun;
    return { guides, ...(await paintOf(page)) };
  } finally {
    await context.close();
  }
}

const paintOf = (page: Page): Promise<Omit<Load, 'guides'>> =>
  page.evaluate(`({
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    kilobytes: performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0) / 1000,
  })`);

const medians = (loads: Load[]) => ({
  'first paint ms': Math.round(median(loads.map(({ firstPaint }) => firstPaint))),
  'guides ms': Math.round(median(loads.map(({ guides }) => guides))),
  kB: Math.round(median(loads.map(({ kilobytes }) => kilobytes))),
});
