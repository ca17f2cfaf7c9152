import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import type { Authenticated, Caller, Verdict } from '../kernel/caller';
import type { Database } from '../kernel/db/database';
import { CommitUnknown, DatabaseAway, isAway, isKeyTaken } from '../kernel/db/faults';
import {
  clientDisabled,
  forbidden,
  invalid,
  mismatch,
  notFound,
  outcomeUnknown,
  Problem,
  scopeMissing,
  unauthorized,
  unavailable,
} from '../kernel/errors';
import type { Permission } from '../kernel/permissions';
import { createRateLimiter, type RateLimit, type RateLimiter } from '../kernel/rate-limit';
import type { AddressList } from '../kernel/security/address-lists';
import { isTracing } from '../kernel/tracing/trace';
import { discardRest } from './body';
import { addressBehind } from './client-address';
import { compressReads } from './compress';
import { answerUnmodified } from './conditional-get';
import { type CrossOrigin, crossOrigin } from './cross-origin';
import { showErrorPage } from './error-page';
import type { AnswerSealers } from './kept-answer';
import { UPLOAD_LIMITS } from './multipart';
import { assertPermitted } from './permission';
import { createWaiting } from './prefer-wait';
import { problemBody } from './problem-body';
import type { Route } from './route';
import { createRouters } from './router';
import { type Admission, perform } from './run-operation';
import { tracedRequests } from './traced';
import { createUploadBudget, type UploadLimits } from './upload-budget';

/** What a request presents to be authenticated. */
export interface Presented {
  method: string;
  path: string;
  /** Empty where the request does not have the header. */
  header(name: string): string;
  /** The address that the request comes from. */
  address: string;
}

export interface AppDeps {
  database: Database;
  routes: Route[];
  /** Refuses routes whose capability or party is off. When absent, everything is on. */
  admission?: Admission;
  authenticate(request: Presented): Promise<Verdict>;
  /**
   * The permission that an operator's credential needs for a route. Admins' calls are audited, too. Absent where the routes
   * do both themselves.
   */
  permissionOf?(route: Route): Permission;
  log: Logger;
  /**
   * Called for each answered request, except for internal ones: probes, and the product's calls to the sandbox's
   * parties. `route` is the pattern, never the path. `seconds` is the duration.
   */
  observe(request: { method: string; route: string; status: number; seconds: number }): void;
  /** Called for each request for sensitive data. `refused`: beyond the limit of its tenant. */
  observeSensitive?(outcome: 'answered' | 'refused'): void;
  /** Proxies whose `X-Forwarded-For` tells where a request comes from. Default: none, so the socket tells it. */
  trustedProxies?: AddressList | undefined;
  /** Rate limiter of all tenants. Default: one for this process alone. */
  spend?: RateLimiter | undefined;
  /** Sealers of stored answers with personal data. Absent where no route has any. */
  answerSealers?: AnswerSealers;
  /** Bounds of the uploads under way, for tests. */
  uploadLimits?: UploadLimits | undefined;
  /** Default: pages of other origins may call nothing. */
  crossOrigin?: CrossOrigin;
  /** Middleware for pages and documents, tried where no route matches. */
  pages?: Koa.Middleware[];
}

/** Authenticates clients and admins by their two headers. */
export const byClientHeaders =
  (authenticate: (clientId: string, clientSecret: string, address: string) => Promise<Verdict>) =>
  ({ header, address }: Presented): Promise<Verdict> =>
    authenticate(header('x-client-id'), header('x-client-secret'), address);

/**
 * Creates the API. Checks run in the order of decisions part 1: credential, path, role, body, key, shapes. The
 * operation follows.
 */
export function createApp(deps: AppDeps): Koa {
  const app = new Koa();
  app.silent = true;
  const { spend = createRateLimiter(), trustedProxies = [] } = deps;
  const routers = createRouters(deps.routes, serve);
  const { database, answerSealers, admission = async () => undefined } = deps;
  const uploads = createUploadBudget(deps.uploadLimits ?? UPLOAD_LIMITS);
  const needed = neededOf(deps);
  const auditsAdmins = deps.permissionOf !== undefined;
  const performing = {
    database,
    admission,
    auditsAdmins,
    uploads,
    answerSealers,
    awaitSettled: createWaiting(),
  };

  let held = 0;

  if (isTracing()) app.use(tracedRequests);
  app.use(compressReads);
  app.use(async (ctx, next) => {
    const started = performance.now();
    const id = ctx.get('x-request-id');
    const requestId = /^[\w.:-]{1,128}$/.test(id) ? id : randomUUID();
    ctx.res.setHeader('x-request-id', requestId);
    for (const [name, value] of SECURITY_HEADERS) ctx.res.setHeader(name, value);
    ctx.state['requestId'] = requestId;
    if (trustedProxies.length > 0) ctx.request.ip = addressBehind(ctx.req, trustedProxies);
    ctx.res.once('finish', () => discardRest(ctx.req));
    try {
      await next();
      answerUnmodified(ctx);
    } catch (error) {
      sendProblem(ctx, problemOf(error, deps.log, requestId), requestId);
    }
    showErrorPage(ctx, requestId);
    const seconds = (performance.now() - started) / 1000;
    const route = (ctx.state['route'] as string | undefined) ?? 'none';
    const internal = ctx.state['internal'] === true;
    if (!internal) deps.observe({ method: ctx.method, route, status: ctx.status, seconds });
    const tenantId = (ctx.state['tenantId'] as string | undefined) ?? null;
    deps.log[internal ? 'debug' : 'info'](
      {
        requestId,
        tenantId,
        method: ctx.method,
        route,
        status: ctx.status,
        ms: Math.round(seconds * 1e4) / 10,
      },
      'request',
    );
  });

  if (deps.crossOrigin) app.use(crossOrigin(deps.crossOrigin));
  // Routes first: each page is a middleware more, and an API request has no need of them.
  app.use(routers.dispatch);
  for (const page of deps.pages ?? []) app.use(page);
  app.use(async (ctx) => {
    const allowed = routers.allowed(ctx.path);
    if (ctx.method === 'OPTIONS' && allowed.length > 0) return options(ctx, allowed);
    if (API.test(ctx.path)) await admit(ctx);
    throw noRoute(ctx, allowed);
  });

  async function serve(ctx: Context, route: Route): Promise<void> {
    ctx.state['route'] = route.path;
    if (route.probe) ctx.state['internal'] = true;
    const params = ctx['params'] as Record<string, string>;
    const caller = route.role === 'public' ? PUBLIC : await permitted(ctx, route);
    // Postgres stores no NUL, so no id contains one.
    if (Object.values(params).some((value) => value.includes('\0'))) throw notFound('record');
    await perform(ctx, route, params, caller, performing);
  }

  async function permitted(ctx: Context, route: Route): Promise<Caller> {
    const { role, scope } = route;
    const { caller, scopes } = await admit(ctx);
    if (role === 'admin' && caller.role !== 'admin') throw forbidden();
    const permission = needed.get(route);
    if (permission) assertPermitted(caller, permission);
    if (scopes !== null && scope !== null && !scopes.includes(scope)) throw scopeMissing(scope);
    if (scope === 'sensitive') chargeSensitive(ctx, caller.tenantId);
    return caller;
  }

  async function admit(ctx: Context): Promise<Authenticated> {
    const known = await deps.authenticate({
      method: ctx.method,
      path: ctx.path,
      header: (name) => ctx.get(name),
      address: ctx.ip,
    });
    if (!known) throw unauthorized();
    if (known === 'disabled') throw clientDisabled();
    const { tenantId } = known.caller;
    ctx.state['tenantId'] = tenantId;
    if (isSpent(ctx, tenantId, known.rateLimit)) return known;
    // A caller that waits for each answer so slows itself down, and leaves the process to other tenants. The times differ,
    // because callers that are released together would come back as one wave.
    held = (held + 1) % HELD_MS.steps;
    if (!spend(`${tenantId} refused`, REFUSED_AT_ONCE).allowed)
      await sleep(HELD_MS.least + held * HELD_MS.step);
    throw rateLimited(ctx, 'Too many requests.');
  }

  function chargeSensitive(ctx: Context, tenantId: string): void {
    const allowed = isSpent(ctx, `${tenantId} sensitive`, SENSITIVE_LIMIT);
    deps.observeSensitive?.(allowed ? 'answered' : 'refused');
    if (!allowed) throw rateLimited(ctx, 'Too many requests for sensitive data.');
  }

  /** Takes a token and shows the bucket in the headers. */
  function isSpent({ res }: Context, bucket: string, limit: RateLimit): boolean {
    const { perSecond, burst } = limit;
    const spent = spend(bucket, limit);
    res.setHeader('RateLimit-Limit', String(burst));
    res.setHeader('RateLimit-Remaining', String(spent.remaining));
    res.setHeader('RateLimit-Reset', String(spent.reset));
    res.setHeader('RateLimit-Policy', `${burst};w=${Math.ceil(burst / perSecond)}`);
    return spent.allowed;
  }

  return app;
}

/** Limit of a tenant for sensitive data: thirty requests a minute. */
const SENSITIVE_LIMIT = { perSecond: 0.5, burst: 30 };

/** Refusals of a tenant beyond these are held back. */
const REFUSED_AT_ONCE = { perSecond: 10, burst: 100 };
const HELD_MS = { least: 500, step: 50, steps: 10 };

const rateLimited = ({ res }: Context, message: string): Problem =>
  new Problem(429, 'rate_limited', message, undefined, Number(res.getHeader('RateLimit-Reset')));
/** The permission of each route, so that a route without a permission stops the composition of the API. */
const neededOf = ({ routes, permissionOf }: AppDeps): Map<Route, Permission> =>
  new Map(
    permissionOf
      ? routes.filter(({ role }) => role !== 'public').map((route) => [route, permissionOf(route)])
      : [],
  );

const PUBLIC: Caller = { tenantId: '', role: 'client', reach: '', credentialId: '' };

const SECURITY_HEADERS = Object.entries({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
});

/** Paths that require a credential first, even if they do not exist. Unknown paths elsewhere are 404. */
const API = /^\/(?:v1|v2|sandbox)(?:\/|$)/;

function options(ctx: Context, allowed: readonly string[]): void {
  ctx.status = 204;
  ctx.set('Allow', allowed.join(', '));
}

function noRoute(ctx: Context, allowed: readonly string[]): Problem {
  if (allowed.length === 0) return new Problem(404, 'not_found', 'The path does not exist.');
  ctx.set('Allow', allowed.join(', '));
  return new Problem(405, 'method_not_allowed', `This path supports ${allowed.join(', ')}.`);
}

/** Postgres: character_not_in_repertoire. Only a NUL that no schema has refused causes it. */
const NUL_IN_TEXT = '22021';

/** Converts an error for the caller. Internal errors are logged with their stack and answered with a bare 500. */
function problemOf(error: unknown, log: Logger, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof CommitUnknown) return outcomeUnknown();
  if (isKeyTaken(error)) return mismatch();
  if (error instanceof DatabaseAway || isAway(error)) {
    log.warn({ requestId, err: error }, 'the database cannot be reached');
    return unavailable();
  }
  if ((error as { code?: unknown } | null)?.code === NUL_IN_TEXT)
    return invalid('Text must not contain NUL.');
  log.error({ requestId, err: error }, 'internal error');
  return new Problem(500, 'internal', 'An internal error occurred.');
}

function sendProblem(ctx: Context, problem: Problem, requestId: string): void {
  ctx.status = problem.status;
  ctx.type = 'application/json';
  if (problem.retryAfter !== undefined) ctx.set('Retry-After', String(problem.retryAfter));
  ctx.body = problemBody(problem, requestId);
}
