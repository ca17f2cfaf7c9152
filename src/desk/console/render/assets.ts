import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_TIME } from '../../../kernel/wire/page/page';

/** Files that pages load. Their addresses have a hash of their content, so that a browser may keep them for ever. */

export interface Asset {
  /** `/assets/console.3fa9….css`. */
  path: string;
  type: string;
  body: Buffer;
}

function asset(name: string, type: string, body: Buffer): Asset {
  const tag = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { path: `/assets/${name.replace(/(\.\w+)$/, `.${tag}$1`)}`, type, body };
}

const own = (name: string, type: string): Asset =>
  asset(name, type, readFileSync(join(__dirname, 'assets', name)));

const made = {
  style: own('console.css', 'text/css; charset=utf-8'),
  script: own('console.js', 'text/javascript; charset=utf-8'),
  localTime: asset('local-time.js', 'text/javascript; charset=utf-8', Buffer.from(LOCAL_TIME)),
  icon: own('icon.svg', 'image/svg+xml'),
  htmx: asset(
    'htmx.js',
    'text/javascript; charset=utf-8',
    readFileSync(require.resolve('htmx.org/dist/htmx.min.js')),
  ),
};

/** The address of each file. */
export const ASSETS = Object.fromEntries(
  Object.entries(made).map(([name, { path }]) => [name, path]),
) as Record<keyof typeof made, string>;

const byPath = new Map(Object.values(made).map((each) => [each.path, each]));

export const assetAt = (path: string): Asset | undefined => byPath.get(path);
