import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { invalid, Problem } from '../errors';

const LIMIT = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON object of at most 1 MiB; an empty body is `{}`.
 * @throws Problem 413, 415, or 400 for what is not a JSON object
 */
export async function readJson(ctx: Context): Promise<Record<string, unknown>> {
  const declared = ctx.get('content-length');
  if (Number(declared) > LIMIT) throw tooLarge(LIMIT);
  const hasBody = Number(declared) > 0 || ctx.get('transfer-encoding') !== '';
  if (!hasBody) return {};
  if (ctx.get('content-encoding') !== '' && ctx.get('content-encoding') !== 'identity') throw unsupported();
  if (!/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(ctx.get('content-type'))) throw unsupported();
  return parseObject(await readBytes(ctx, LIMIT));
}

/** The bytes as they came, for what is signed. @throws Problem 413 for more than `limit` of them */
export async function readBytes(ctx: Context, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { limit });
  } catch (error) {
    const type = (error as { type?: string }).type;
    if (type === 'entity.too.large') throw tooLarge(limit);
    throw invalid('The body could not be read.');
  }
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw invalid('The body is not valid JSON in UTF-8.');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid('The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

const tooLarge = (limit: number) => {
  const size = limit < LIMIT ? `${limit / 1024} KiB` : `${limit / LIMIT} MiB`;
  return new Problem(413, 'payload_too_large', `The body may have at most ${size}.`);
};
const unsupported = () =>
  new Problem(
    415,
    'unsupported_media_type',
    'The body must be application/json in UTF-8, without an encoding.',
  );
