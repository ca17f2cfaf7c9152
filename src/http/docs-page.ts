import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import { readerScripts } from './reader-files';
import { type Guide, readerHtml, readerStart } from './reader-page';

/** Serves the OpenAPI document and its reader. Public, and the page loads nothing from other hosts. */

/** Redirects to the page. Relative, as all addresses here. */
const REDIRECTS: Record<string, string> = { '/': 'docs', '/docs/': '../docs' };

/** Path of the reader's scripts. */
const SCRIPTS = '/docs/reader/';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'", // the reader makes its styles at run time
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Page {
  body: Buffer;
  type: string;
  etag: string;
  maxAge: number;
  /** The body in each encoding that was asked for, made once. */
  encoded: Map<string, Promise<Buffer>>;
}

interface PagesOptions {
  /** Makes the document, at the first request for it. */
  document(): object;
  /** Whether the reader keeps the credentials that a reader has typed in the browser's storage, where any script of the page reads them. */
  keepsCredentials: boolean;
  /** Folder of the reader. Undefined: the page only names the document. */
  reader?: string | undefined;
}

export function documentPages({ document, keepsCredentials, reader }: PagesOptions): Middleware {
  let made: object | undefined;
  const madeOnce = () => (made ??= document());
  const pages = new Map<string, Page>();
  let scripts: Map<string, string> | undefined;

  function make(path: string): Page | undefined {
    if (path === '/openapi.json') return page(JSON.stringify(madeOnce()), 'application/json', 60);
    if (path === '/docs')
      return page(readerHtml(madeOnce() as Guide, reader !== undefined), 'text/html; charset=utf-8', 60);
    if (path === '/docs/start.js') return page(readerStart(keepsCredentials), 'text/javascript', 60);
    if (path === '/favicon.ico' || path === '/docs/icon.svg') return page(ICON, 'image/svg+xml', 86_400);
    if (!path.startsWith(SCRIPTS) || reader === undefined) return undefined;
    scripts ??= readerScripts(reader);
    const file = scripts.get(path.slice(SCRIPTS.length));
    return file === undefined ? undefined : page(readFileSync(file), 'text/javascript', 86_400);
  }

  return async function servePages(ctx, next): Promise<void> {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return void (await next());
    const elsewhere = REDIRECTS[ctx.path];
    if (elsewhere !== undefined) {
      ctx.state['route'] = ctx.path;
      ctx.redirect(elsewhere);
      return;
    }
    const found = pages.get(ctx.path) ?? make(ctx.path);
    if (!found) return void (await next());
    pages.set(ctx.path, found);
    ctx.state['route'] = ctx.path;
    await send(ctx, found);
  };
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="6" width="28" height="20" rx="4" fill="#0b5cad"/>' +
  '<rect x="2" y="11" width="28" height="4" fill="#fff"/></svg>';

function page(content: string | Buffer, type: string, maxAge: number): Page {
  const body = Buffer.from(content);
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { body, type, etag, maxAge, encoded: new Map() };
}

const ENCODERS: Record<string, (body: Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body),
};

async function send(ctx: Context, found: Page): Promise<void> {
  ctx.set('content-security-policy', CONTENT_SECURITY_POLICY);
  ctx.set('cache-control', `public, max-age=${found.maxAge}`);
  ctx.set('etag', found.etag); // answerUnmodified compares it with the caller's
  ctx.vary('Accept-Encoding');
  ctx.status = 200;
  ctx.type = found.type;
  const encoding = ctx.get('accept-encoding') === '' ? false : ctx.acceptsEncodings('br', 'gzip', 'identity');
  const encode = encoding === false ? undefined : ENCODERS[encoding];
  if (!encode || typeof encoding !== 'string') {
    ctx.body = found.body;
    return;
  }
  const made = found.encoded.get(encoding) ?? encode(found.body);
  found.encoded.set(encoding, made);
  ctx.body = await made;
  ctx.set('content-encoding', encoding);
}
