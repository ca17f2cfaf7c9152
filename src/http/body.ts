import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { invalid, Problem } from '../kernel/errors';
import { parseObject } from '../kernel/wire/json';

const LIMIT = 1024 * 1024;

/**
 * Reads a JSON object of at most 1 MiB. An empty body is `{}`.
 * @throws Problem 413, 415, or 400 for a body that is not a JSON object within the bounds
 */
export async function readJson(ctx: Context): Promise<Record<string, unknown>> {
  const declared = ctx.get('content-length');
  if (Number(declared) > LIMIT) throw tooLarge(LIMIT);
  if (!hasBody(ctx)) return {};
  if (ctx.get('content-encoding') !== '' && ctx.get('content-encoding') !== 'identity') throw unsupported();
  if (!isJson(ctx.get('content-type'))) throw unsupported();
  return parseObject(await readBytes(ctx, LIMIT));
}

/** Whether the headers announce a body (RFC 9112, 6.3). */
export function hasBody(ctx: Context): boolean {
  return Number(ctx.get('content-length')) > 0 || ctx.get('transfer-encoding') !== '';
}

/** Whether the content type is JSON in UTF-8, the default charset of JSON (RFC 8259). */
function isJson(type: string): boolean {
  if (!/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type)) return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** The unchanged bytes of a body, for signatures. @throws Problem 413 above `limit` bytes */
export async function readBytes(ctx: Context, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { limit });
  } catch (error) {
    const type = (error as { type?: string }).type;
    if (type === 'entity.too.large') throw tooLarge(limit);
    throw invalid('The body could not be read.');
  }
}

/**
 * How much of a refused body is read and dropped, so that the connection can be reused. Beyond it the connection is
 * closed.
 */
const DISCARDED = { bytes: 16 * 1024 * 1024, ms: 5_000 };

/**
 * Drops the unread rest of an answered request. Unread bytes would precede the next request on the connection, and
 * closing at once could cost the client the answer.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let left = DISCARDED.bytes;
  const giveUp = () => void request.socket.destroy();
  const timer = setTimeout(giveUp, DISCARDED.ms).unref();
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) giveUp();
  });
  request.on('close', () => clearTimeout(timer));
  request.on('end', () => clearTimeout(timer));
  request.on('error', () => undefined);
  request.unpipe();
  request.resume();
}

const tooLarge = (limit: number) => {
  const size = limit < LIMIT ? `${limit / 1024} KiB` : `${limit / LIMIT} MiB`;
  return new Problem(413, 'payload_too_large', `The body may have at most ${size}.`);
};
const unsupported = () =>
  new Problem(
    415,
    'unsupported_media_type',
    'The body must be application/json in UTF-8, without a content encoding.',
  );
