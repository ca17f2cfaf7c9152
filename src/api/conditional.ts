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

/** Answers 304 without a body when the caller holds what would be sent (RFC 9110, 13.1.2). */
export const conditionalGet: Middleware = async (ctx, next) => {
  await next();
  if (!ctx.response.get('etag') || !ctx.fresh) return;
  ctx.status = 304;
  ctx.body = null;
};
