import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { StoredAnswer } from '../kernel/idempotency';
import type { ApiRequest, Settling, WriteRoute } from './route';

const MAX_SECONDS = 30;
const LOOK_EVERY_MS = 100;

/** Requests that a process delays at once. Each costs a connection and ten reads a second. */
const MAX_WAITING = 100;
/** Requests of one tenant among them, so that no tenant takes the places of all others. */
const MAX_WAITING_OF_TENANT = 25;

export type AwaitSettled = (
  ctx: Context,
  route: WriteRoute,
  request: ApiRequest,
  answer: StoredAnswer,
) => Promise<StoredAnswer>;

/**
 * Serves `Prefer: wait=N` (RFC 7240). Delays the answer until the record is settled, waits for a person or another
 * call, or N seconds (at most 30) have passed. The idempotency key keeps the first state, and only the waiting caller
 * sees the later one. The effect is already committed, so any failure here returns the first state (decisions part 1,
 * Waiting). Without a free place, the first state is the answer at once.
 */
export function createWaiting(most = MAX_WAITING, mostOfTenant = MAX_WAITING_OF_TENANT): AwaitSettled {
  let waiting = 0;
  const waitingOf = new Map<string, number>();
  return async function awaitSettled(ctx, route, request, answer) {
    const seconds = preferredWait(ctx.get('prefer'));
    const { settling } = route;
    if (seconds === undefined || !settling || answer.status >= 300 || waiting >= most) return answer;
    const { tenantId } = request.caller;
    const own = waitingOf.get(tenantId) ?? 0;
    if (own >= mostOfTenant) return answer;
    const gone = new AbortController();
    ctx.res.once('close', () => gone.abort()); // also fires after the answer, which does no harm
    waiting += 1;
    waitingOf.set(tenantId, own + 1);
    try {
      const settled = await settledWithin(seconds, settling, request, answer, gone.signal);
      ctx.set('Preference-Applied', `wait=${seconds}`);
      return settled;
    } catch {
      return answer; // a read failed or the caller hung up, so the preference was not honoured
    } finally {
      waiting -= 1;
      const left = (waitingOf.get(tenantId) ?? 1) - 1;
      if (left === 0) waitingOf.delete(tenantId);
      else waitingOf.set(tenantId, left);
    }
  };
}

async function settledWithin(
  seconds: number,
  settling: Settling,
  request: ApiRequest,
  answer: StoredAnswer,
  gone: AbortSignal,
): Promise<StoredAnswer> {
  const { idField = 'id' } = settling;
  const first = JSON.parse(answer.body) as Record<string, unknown>;
  const id = String(first[idField]);
  let record: unknown = first;
  const deadline = performance.now() + seconds * 1000;
  while (!settling.settled(record as never) && performance.now() < deadline) {
    if (await settling.awaitsPerson?.(request, id)) break;
    const ms = Math.min(LOOK_EVERY_MS, Math.max(1, deadline - performance.now()));
    await sleep(ms, undefined, { signal: gone });
    record = await settling.read(request, id);
  }
  return record === first ? answer : { status: answer.status, body: JSON.stringify(record) };
}

/** Seconds of a `wait` preference, capped. Undefined when the header is absent or malformed. */
export function preferredWait(header: string): number | undefined {
  const match = /(?:^|,|;)\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|,|;)/i.exec(header);
  return match ? Math.min(MAX_SECONDS, Number(match[1])) : undefined;
}
