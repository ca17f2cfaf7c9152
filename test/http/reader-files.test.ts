import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { copyReader } from '../../scripts/build/reader';
import { documentPages } from '../../src/http/docs-page';
import { readerFolder } from '../../src/http/reader-files';

/** The reader where its package is not installed, as in production. */

let built: string;
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'cardwright-reader-'));
  copyReader(built);
});
afterAll(() => rmSync(built, { recursive: true }));

const document = () => ({ info: { title: 'Cardwright', version: '1' } });

/** Serves the pages with a reader of that folder. */
async function served(reader: string | undefined, work: (url: string) => Promise<void>): Promise<void> {
  const server = new Koa().use(documentPages({ document, keepsCredentials: false, reader })).listen(0);
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

it('is served from the build, with every script that its first one loads', () =>
  served(readerFolder(undefined, built), async (url) => {
    const first = 'docs/reader/standalone.esm.js';
    expect(await (await fetch(`${url}/docs`)).text()).toContain(first);
    const text = await (await fetch(`${url}/${first}`)).text();
    const chunks = [...new Set([...text.matchAll(/\.\/(chunks\/[\w.-]+\.js)/g)].map(([, name]) => name))];
    expect(chunks.length).toBeGreaterThan(5);
    for (const name of chunks)
      expect([name, (await fetch(`${url}/docs/reader/${name}`)).status]).toEqual([name, 200]);
  }));

it('is left out where there is neither a build nor the package, and the page names the document', () =>
  served(readerFolder(undefined, join(built, 'none')), async (url) => {
    const text = await (await fetch(`${url}/docs`)).text();
    expect(text).toContain('openapi.json');
    expect(text).not.toMatch(/<script|modulepreload/);
    expect((await fetch(`${url}/docs/reader/standalone.esm.js`)).status).toBe(404);
  }));

it('takes no package into production', () => {
  const { packages } = JSON.parse(readFileSync(join(__dirname, '../../package-lock.json'), 'utf8'));
  const inProduction = Object.entries<{ dev?: true }>(packages).filter(
    ([path, { dev }]) => path.includes('node_modules/@scalar/') && !dev,
  );
  expect(inProduction).toEqual([]);
});
