import type { Context, Next } from 'koa';
import compress from 'koa-compress';

/** Bytes of an answer from which compressing pays. A page of twenty records has more, a record has less. */
const LARGE = 4 * 1024;

const compressing = compress({ threshold: LARGE });

/**
 * Compresses large answers of reads. A write answers one record, and an authorization has no millisecond to spare, so
 * every write passes at the cost of a comparison.
 */
export async function compressReads(ctx: Context, next: Next): Promise<void> {
  if (ctx.method !== 'GET') return void (await next());
  await compressing(ctx, next);
  // The tag was made from other bytes, so the compressed answer has a weak tag (RFC 9110, 8.8.1).
  const tag = ctx.response.get('etag') as string | undefined;
  if (tag?.startsWith('"') && ctx.response.get('content-encoding')) ctx.set('etag', `W/${tag}`);
}
