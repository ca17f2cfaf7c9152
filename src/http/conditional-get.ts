import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { Reply } from './route';

const tags = new WeakMap<object, string>();

/**
 * Entity tag of a body that is made from an unchanging object. Hashed once per object. Weak, because the body may be
 * compressed (RFC 9110, 8.8.1).
 */
function tagOf(source: object, body: unknown): string {
  const known = tags.get(source);
  if (known !== undefined) return known;
  const tag = `W/"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 27)}"`;
  tags.set(source, tag);
  return tag;
}

/**
 * An answer that the caller may cache for `maxAgeSeconds` and revalidate with `If-None-Match`.
 * @param source the unchanging object that the body is made from
 */
export function cacheable<Body>(source: object, body: Body, maxAgeSeconds: number): Reply<Body> {
  return new Reply(200, body, {
    etag: tagOf(source, body),
    'cache-control': `private, max-age=${maxAgeSeconds}`,
  });
}

/** Whether an `If-None-Match` header names the tag, compared weakly (RFC 9110, 13.1.2). */
function names(header: string, tag: string): boolean {
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return header.split(',').some((one) => bare(one) === '*' || bare(one) === bare(tag));
}

/**
 * Answers 304 without a body when the caller has the present body. Replaces Koa's `ctx.fresh`, which sends the body for
 * `no-cache`, and Node's `fetch` adds that beside `If-None-Match`.
 */
export function answerUnmodified(ctx: Context): void {
  const held = ctx.get('if-none-match');
  if (held === '' || ctx.status !== 200) return;
  const tag = ctx.response.get('etag') as string | undefined; // Koa 3 gives undefined, its types say ''
  if (!tag || !names(held, tag)) return;
  ctx.status = 304;
  ctx.body = null;
}
