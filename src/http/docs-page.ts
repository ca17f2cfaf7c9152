import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Context, Middleware } from 'koa';

/** Serves the OpenAPI document and its page. Public, and the page loads nothing from other hosts. */

/** Redirects to the page. Relative, as all addresses here. */
const REDIRECTS: Record<string, string> = { '/': 'docs', '/docs/': '../docs' };

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'", // Swagger UI sets style attributes
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// Relative addresses work behind a proxy's path prefix.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cardwright API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  persistAuthorization: false,
  requestSnippetsEnabled: false,
});
`;

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};

// Not the package's index.js, which would load the whole page into this process.
const SWAGGER_UI = dirname(require.resolve('swagger-ui-dist/package.json'));

interface Page {
  body: Buffer;
  type: string;
  etag: string;
  maxAge: number;
}

/** @param document called at the first request for the document */
export function documentPages(document: () => object): Middleware {
  const pages = new Map<string, Page>();

  function make(path: string): Page | undefined {
    if (path === '/openapi.json') return page(JSON.stringify(document()), 'application/json', 60);
    if (path === '/docs') return page(PAGE, 'text/html; charset=utf-8', 60);
    if (path === '/docs/start.js') return page(START, 'text/javascript', 60);
    if (path === '/favicon.ico') return make('/docs/favicon-32x32.png');
    const name = /^\/docs\/([\w.-]+)$/.exec(path)?.[1] ?? '';
    const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
    return type === undefined ? undefined : page(readFileSync(join(SWAGGER_UI, name)), type, 86_400);
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
    send(ctx, found);
  };
}

function page(content: string | Buffer, type: string, maxAge: number): Page {
  const body = Buffer.from(content);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { body, type, etag, maxAge };
}

function send(ctx: Context, { body, type, etag, maxAge }: Page): void {
  ctx.set('content-security-policy', CONTENT_SECURITY_POLICY);
  ctx.set('cache-control', `public, max-age=${maxAge}`);
  ctx.set('etag', etag); // answerUnmodified answers 304 when the caller has it
  ctx.status = 200;
  ctx.type = type;
  ctx.body = body;
}
