import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { z } from 'zod';
import { type Caller } from '../kernel/caller';
import { type Database, inOrder, type Tx } from '../kernel/db/database';
import { invalid, Problem } from '../kernel/errors';
import {
  checkedKey,
  fingerprint,
  type IdempotencyKey,
  type KeyedAnswer,
  keyIn,
  outcomeOf,
  type StoredAnswer,
  storedAnswer,
  withKey,
} from '../kernel/idempotency';
import { unstorableField } from '../kernel/wire/json';
import { parsedBy } from '../kernel/wire/schemas';
import { auditChange, auditGathered, auditReading } from './audit-admin';
import { readBytes, readJson } from './body';
import { type AnswerSealers, keptBody, openedAnswer, personNamed } from './kept-answer';
import { assertFiles, type Form, fileHashes, formOf, readForm } from './multipart';
import type { AwaitSettled } from './prefer-wait';
import { problemBody } from './problem-body';
import { parseQuery } from './query';
import {
  type ApiRequest,
  type GatheredRoute,
  hasNeeds,
  type Needs,
  type RawRequest,
  type ReadRoute,
  Reply,
  type Route,
  type WriteRoute,
} from './route';
import type { UploadBudget } from './upload-budget';

export interface PerformDeps {
  database: Database;
  awaitSettled: AwaitSettled;
  admission: Admission;
  uploads: UploadBudget;
  /** Absent where no route has personal answers. */
  answerSealers?: AnswerSealers | undefined;
  /** Whether changes and readings by admins are audited. False for the desk, whose decisions audit themselves. */
  auditsAdmins: boolean;
}

/** A request that is checked for admission. */
export interface Asking {
  params: Record<string, string>;
  caller: Caller;
  method: string;
  /**
   * Present in a second check of an admin's request, because the body may name the record, and so the tenant, for which
   * the admin acts.
   */
  body?: unknown;
}

/** Checks that everything needed is on for the caller. @throws Problem 403 `capability_disabled` */
export type Admission = (needs: Needs, asking: Asking) => Promise<void>;

/** Performs a matched request: reads and validates it, runs the handler under its idempotency key, sends the answer. */
export async function perform(
  ctx: Context,
  route: Route,
  params: Record<string, string>,
  caller: Caller,
  deps: PerformDeps,
): Promise<void> {
  if (hasNeeds(route)) await deps.admission(route, { params, caller, method: route.method });
  const form = await received(ctx, route, (bytes) => deps.uploads.reserve(caller.tenantId, bytes));
  try {
    await performReceived(ctx, route, params, caller, form, deps);
  } finally {
    await form.release();
  }
}

async function performReceived(
  ctx: Context,
  route: Route,
  params: Record<string, string>,
  caller: Caller,
  { body: rawBody, files, raw }: Received,
  deps: PerformDeps,
): Promise<void> {
  const keyText = route.method === 'GET' ? undefined : checkedKey(headerOf(ctx, 'x-idempotency-key'));
  if (keyText === undefined && 'write' in route && route.idempotency === 'required') {
    throw new Problem(
      400,
      'idempotency_key_required',
      'The header x-idempotency-key is required.',
      'x-idempotency-key',
    );
  }
  const query = parseQuery(ctx.querystring);
  const request: ApiRequest = {
    params,
    query: route.query ? parsed(route.query, query) : {},
    body: route.body ? parsed(route.body, rawBody) : noBody(rawBody),
    address: ctx.ip,
    files,
    ...(raw ? { raw } : {}),
    ...acceptedOf(ctx, route),
    caller,
    requestId: ctx.state['requestId'] as string,
    idempotencyKey: keyText,
  };
  if (hasNeeds(route) && caller.reach === null)
    await deps.admission(route, { params, caller, method: route.method, body: request.body });
  if (route.files) assertFiles(files, route.files);
  if (route.deprecated) ctx.set('Deprecation', deprecationOf(route.deprecated));
  if ('read' in route) return sendRead(ctx, route, request, deps);
  const key =
    keyText === undefined
      ? undefined
      : keyOf(route, request, keyText, fingerprint(rawBody, query, fileHashes(files)));
  if ('gathered' in route) return sendGathered(ctx, route, request, key, deps);
  return sendWritten(ctx, route, request, key, deps);
}

/** The preferred content type of an endpoint that has several (RFC 9110, 12.5.1). */
function acceptedOf(ctx: Context, { produces }: Route): { accepted?: string } {
  const accepted = produces ? ctx.accepts([...produces]) : false;
  return typeof accepted === 'string' ? { accepted } : {};
}

/** A structured date (RFC 9745): `@` and a Unix time. */
const deprecationOf = (since: Date): string => `@${Math.floor(since.getTime() / 1000)}`;

type Received = Form & { raw?: RawRequest };

async function received(
  ctx: Context,
  route: Route,
  reserve: (bytes: number) => Promise<() => void>,
): Promise<Received> {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') {
    const question = { bytes: Buffer.from(ctx.path), headers: ctx.headers };
    return { ...formOf({}), ...(route.raw ? { raw: question } : {}) };
  }
  if (route.raw) {
    const bytes = await readBytes(ctx, route.raw.limit);
    return { ...formOf({}), raw: { bytes, headers: ctx.headers } };
  }
  return route.files ? readForm(ctx, route.files, reserve) : formOf(await readJson(ctx));
}

function headerOf(ctx: Context, name: string): string | undefined {
  const value = ctx.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const result = parsedBy(schema, value);
  const unstorable = unstorableField(value, 'meta'); // stored as given (decisions part 1)
  if (unstorable !== undefined)
    throw invalid(`${unstorable} must not contain NUL or unpaired surrogates.`, unstorable);
  return result;
}

/** Accepts only an empty body, for endpoints without fields. */
function noBody(body: Record<string, unknown>): Record<string, unknown> {
  const [field] = Object.keys(body);
  if (field !== undefined)
    throw new Problem(400, 'invalid_request', `${field} is not a field of this request.`, field);
  return {};
}

function keyOf(route: Route, request: ApiRequest, key: string, print: Buffer): IdempotencyKey {
  return keyIn({
    tenantId: request.caller.tenantId,
    scope: `${route.method} ${canonicalPath(route.path, request.params)}`,
    key,
    fingerprint: print,
    permanent: 'write' in route && route.idempotency === 'required',
  });
}

/** The path with normalised encoding, so that each spelling names the same operation. */
export function canonicalPath(pattern: string, params: Record<string, string>): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

async function sendRead(
  ctx: Context,
  route: ReadRoute,
  request: ApiRequest,
  { database, auditsAdmins }: PerformDeps,
): Promise<void> {
  const answer = await route.read(request);
  if (auditsAdmins) await auditReading(database, route, request, answer);
  if (answer instanceof Reply) {
    ctx.set(answer.headers);
    if (Buffer.isBuffer(answer.body) || answer.body instanceof Readable)
      return sendBytes(ctx, answer.status, answer.body);
    return send(ctx, { status: answer.status, body: rendered(answer.body) }, answer.headers['content-type']);
  }
  send(ctx, { status: route.status ?? 200, body: rendered(answer) });
}

async function sendWritten(
  ctx: Context,
  route: WriteRoute,
  request: ApiRequest,
  key: IdempotencyKey | undefined,
  deps: PerformDeps,
): Promise<void> {
  const { awaitSettled } = deps;
  if (key === undefined || route.idempotency === 'ignored') {
    const prepared = await route.prepare?.(request);
    const { headers = {}, ...answer } = await deps.database.transaction((tx) =>
      written(tx, route, request, prepared, deps),
    );
    ctx.set(headers);
    await finished(route, answer);
    return send(ctx, revealed(route, await awaitSettled(ctx, route, request, answer)));
  }
  const answer = await writtenUnder(key, deps, route, request);
  if (answer.replayed) ctx.set('x-idempotent-replayed', 'true');
  await finished(route, answer);
  send(ctx, revealed(route, answer.replayed ? answer : await awaitSettled(ctx, route, request, answer)));
}

async function written(
  tx: Tx,
  route: WriteRoute,
  request: ApiRequest,
  prepared: unknown,
  { auditsAdmins }: PerformDeps,
): Promise<StoredAnswer & { headers?: Record<string, string> }> {
  const answer = await route.write(tx, request, prepared);
  if (auditsAdmins) await auditChange(tx, route, request);
  if (answer instanceof Reply)
    return { status: answer.status, body: rendered(answer.body), headers: answer.headers };
  return { status: route.status ?? 200, body: rendered(answer) };
}

/**
 * Runs a write under its key. A repeat skips `prepare`, because the stored answer stands even if the prepared data has
 * changed.
 */
async function writtenUnder(
  key: IdempotencyKey,
  deps: PerformDeps,
  route: WriteRoute,
  request: ApiRequest,
): Promise<KeyedAnswer> {
  const { database, answerSealers: sealers } = deps;
  const stored = route.prepare && (await storedAnswer(database, key));
  if (stored) return openedAnswer(sealers, database, route, key, stored);
  let fresh: { body: string; kept: string } | undefined;
  const prepared = await outcomeOf(async () => route.prepare?.(request));
  const answer = await withKey(
    database,
    key,
    async (tx) => {
      const given = prepared();
      const [person, { status, body }] = await inOrder([
        personNamed(sealers, tx, route, request),
        written(tx, route, request, given, deps),
      ]);
      const kept = await keptBody(sealers, tx, route, key, { status, body }, person);
      fresh = { body, kept };
      return { status, body: kept };
    },
    (problem) => ({ status: problem.status, body: problemBody(problem, request.requestId) }),
  );
  // The answer that was just made needs no opening.
  if (answer.body === fresh?.kept) return { ...answer, body: fresh.body };
  return openedAnswer(sealers, database, route, key, answer);
}

async function finished({ finish }: WriteRoute, { status }: StoredAnswer): Promise<void> {
  if (status < 300) await finish?.();
}

function revealed({ reveal }: WriteRoute, { status, body }: StoredAnswer): StoredAnswer {
  return { status, body: reveal && status < 300 ? reveal(body) : body };
}

async function sendGathered(
  ctx: Context,
  route: GatheredRoute,
  request: ApiRequest,
  key: IdempotencyKey | undefined,
  { database, auditsAdmins }: PerformDeps,
): Promise<void> {
  const answer = await route.gathered(request, key);
  if (auditsAdmins && !answer.replayed) await auditGathered(database, route, request, answer.status);
  if (answer.replayed) ctx.set('x-idempotent-replayed', 'true');
  if (answer.headers) ctx.set(answer.headers);
  send(ctx, answer);
}

/** Sends a file or a stream. Its type and disposition are in headers that are already set. */
function sendBytes(ctx: Context, status: number, bytes: Buffer | Readable): void {
  // A pipe passes on no error. The connection is cut, so that the caller takes the part for no whole.
  if (bytes instanceof Readable) bytes.once('error', () => ctx.res.destroy());
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
