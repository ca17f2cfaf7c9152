import type { Context } from 'koa';
import type { z } from 'zod';
import type { Database } from '../db/database';
import { Problem } from '../errors';
import { problemBody } from './app';
import { readBytes, readJson } from './body';
import { checkedKey, fingerprint, type IdempotencyKey, type StoredAnswer, withKey } from './idempotency';
import { assertFiles, type Form, fileHashes, readForm } from './multipart';
import {
  type ApiRequest,
  type Caller,
  type GatheredRoute,
  type RawRequest,
  type ReadRoute,
  Reply,
  type Route,
  type WriteRoute,
} from './route';
import { firstProblem } from './schemas';
import { awaitSettled } from './waiting';

/** Runs one matched request: reads and checks it, calls the handler under its key, sends the answer. */
export async function perform(
  ctx: Context,
  route: Route,
  params: Record<string, string>,
  caller: Caller,
  database: Database,
): Promise<void> {
  await route.admit?.({ params, caller });
  const { body: rawBody, files, raw } = await received(ctx, route);
  const keyText = route.method === 'GET' ? undefined : checkedKey(headerOf(ctx, 'x-idempotency-key'));
  if (keyText === undefined && 'write' in route && route.idempotency === 'required') {
    throw new Problem(
      400,
      'idempotency_key_required',
      'The header x-idempotency-key is required here.',
      'x-idempotency-key',
    );
  }
  const request: ApiRequest = {
    params,
    query: route.query ? parsed(route.query, { ...ctx.query }) : {},
    body: route.body ? parsed(route.body, rawBody) : noBody(rawBody),
    files,
    ...(raw ? { raw } : {}),
    caller,
    requestId: ctx.state['requestId'] as string,
    idempotencyKey: keyText,
  };
  if (route.files) assertFiles(files, route.files);
  if (route.deprecated) ctx.set('Deprecation', 'true');
  if ('read' in route) return sendRead(ctx, route, request);
  const key = keyText === undefined ? undefined : keyOf(ctx, route, request, keyText, rawBody);
  if ('gathered' in route) return sendGathered(ctx, route, request, key);
  return sendWritten(ctx, route, request, key, database);
}

async function received(ctx: Context, route: Route): Promise<Form & { raw?: RawRequest }> {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return { body: {}, files: {} };
  if (route.raw) {
    const bytes = await readBytes(ctx, route.raw.limit);
    return { body: {}, files: {}, raw: { bytes, headers: ctx.headers } };
  }
  return route.files ? readForm(ctx, route.files) : { body: await readJson(ctx), files: {} };
}

function headerOf(ctx: Context, name: string): string | undefined {
  const value = ctx.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw firstProblem(result.error);
  return result.data;
}

/** An endpoint without fields takes an empty body, and names the first field of any other. */
function noBody(body: Record<string, unknown>): Record<string, unknown> {
  const [field] = Object.keys(body);
  if (field !== undefined)
    throw new Problem(400, 'invalid_request', `${field} is not a field of this request.`, field);
  return {};
}

function keyOf(ctx: Context, route: Route, request: ApiRequest, key: string, body: unknown): IdempotencyKey {
  return {
    tenantId: request.caller.tenantId,
    scope: `${ctx.method} ${ctx.path}`,
    key,
    fingerprint: fingerprint(body, { ...ctx.query }, fileHashes(request.files)),
    permanent: 'write' in route && route.idempotency === 'required',
  };
}

async function sendRead(ctx: Context, route: ReadRoute, request: ApiRequest): Promise<void> {
  const answer = await route.read(request);
  if (answer instanceof Reply) {
    ctx.set(answer.headers);
    if (Buffer.isBuffer(answer.body)) return sendBytes(ctx, answer.status, answer.body);
    return send(ctx, { status: answer.status, body: rendered(answer.body) }, answer.headers['content-type']);
  }
  send(ctx, { status: route.status ?? 200, body: rendered(answer) });
}

async function sendWritten(
  ctx: Context,
  route: WriteRoute,
  request: ApiRequest,
  key: IdempotencyKey | undefined,
  database: Database,
): Promise<void> {
  const usual = route.status ?? 200;
  const prepared = await route.prepare?.(request);
  const work = async (tx: Parameters<WriteRoute['write']>[0]): Promise<StoredAnswer> => {
    const answer = await route.write(tx, request, prepared);
    if (answer instanceof Reply) return { status: answer.status, body: rendered(answer.body) };
    return { status: usual, body: rendered(answer) };
  };
  if (key === undefined || route.idempotency === 'ignored') {
    const answer = await database.transaction(work);
    return send(ctx, revealed(route, await awaitSettled(ctx, route, request, answer)));
  }
  const answer = await withKey(database, key, work, (problem) => ({
    status: problem.status,
    body: problemBody(problem, request.requestId),
  }));
  if (answer.replayed) ctx.set('x-idempotent-replayed', 'true');
  send(ctx, revealed(route, answer.replayed ? answer : await awaitSettled(ctx, route, request, answer)));
}

function revealed({ reveal }: WriteRoute, { status, body }: StoredAnswer): StoredAnswer {
  return { status, body: reveal && status < 300 ? reveal(body) : body };
}

async function sendGathered(
  ctx: Context,
  route: GatheredRoute,
  request: ApiRequest,
  key: IdempotencyKey | undefined,
): Promise<void> {
  const answer = await route.gathered(request, key);
  if (answer.replayed) ctx.set('x-idempotent-replayed', 'true');
  send(ctx, answer);
}

/** A file: its type and how it is to be taken are in the headers that were set. */
function sendBytes(ctx: Context, status: number, bytes: Buffer): void {
  ctx.status = status;
  ctx.body = bytes;
}

function rendered(body: unknown): string {
  return body === undefined ? '' : JSON.stringify(body);
}

function send(ctx: Context, answer: StoredAnswer, type = 'application/json'): void {
  ctx.status = answer.status;
  if (answer.status === 204) return;
  ctx.type = type;
  ctx.body = answer.body;
}
