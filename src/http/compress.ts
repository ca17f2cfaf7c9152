import { Readable } from 'node:stream';
import type { Context, Next } from 'koa';
import compress from 'koa-compress';

/** Bytes of an answer from which compressing pays. A page of twenty records has more, a record has less. */
const LARGE = 4 * 1024;

const compressing = compress({ threshold: LARGE });

/**
 * Compresses large answers of reads, so their entity tags are weak (RFC 9110, 8.8.1). A write answers one record, and an
 * authorization has no millisecond to spare, so every write passes at the cost of a comparison.
 */
export async function compressReads(ctx: Context, next: Next): Promise<void> {
  if (ctx.method !== 'GET') return void (await next());
  await compressing(ctx, async () => {
    await next();
    // A pipe passes on no error, so an answer that fails on its way would never end.
    if (ctx.body instanceof Readable) ctx.compress = false;
  });
}
