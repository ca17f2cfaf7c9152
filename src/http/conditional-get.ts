import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import { Reply } from './route';

const tags = new WeakMap<object, string>();

/** The entity tag of a body that never changes while it is the same object: hashed once. */
function tagOf(source: object, body: unknown): string {
  const known = tags.get(source);
  if (known !== undefined) return known;
  const tag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 27)}"`;
  tags.set(source, tag);
  return tag;
}

/**
 * An answer that its caller may keep for that long, and ask about again with `If-None-Match`.
 * @param source the unchanging object that the body is made from, by which its tag is remembered
 */
export function cacheable<Body>(source: object, body: Body, maxAgeSeconds: number): Reply<Body> {
  return new Reply(200, body, {
    etag: tagOf(source, body),
    'cache-control': `private, max-age=${maxAgeSeconds}`,
  });
}

/** Whether an `If-None-Match` names the tag, compared weakly (RFC 9110, 13.1.2). */
function names(header: string, tag: string): boolean {
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return header.split(',').some((one) => bare(one) === '*' || bare(one) === bare(tag));
}

/**
 * Answers 304 without a body when the caller holds what would be sent. Koa's `ctx.fresh` would not do: it sends all
 * to a caller that says `no-cache`, as every `fetch` of Node does beside an `If-None-Match`.
 */
export const conditionalGet: Middleware = async (ctx, next) => {
  await next();
  const tag = ctx.response.get('etag') as string | undefined; // Koa 3 gives undefined, its types say ''
  const held = ctx.get('if-none-match');
  if (ctx.status !== 200 || !tag || held === '' || !names(held, tag)) return;
  ctx.status = 304;
  ctx.body = null;
};
