import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { StoredAnswer } from './idempotency';
import type { ApiRequest, WriteRoute } from './route';

const MAX_SECONDS = 30;
const LOOK_EVERY_MS = 100;

/**
 * Serves `Prefer: wait=N` (RFC 7240): holds the answer until the record is settled or N seconds (at most 30) have
 * passed. What is stored under the key stays the first state; only the waiting caller sees the later one.
 */
export async function awaitSettled(
  ctx: Context,
  route: WriteRoute,
  request: ApiRequest,
  answer: StoredAnswer,
): Promise<StoredAnswer> {
  const seconds = preferredWait(ctx.get('prefer'));
  const { settling } = route;
  if (seconds === undefined || !settling || answer.status >= 300) return answer;
  ctx.set('Preference-Applied', `wait=${seconds}`);
  const first = JSON.parse(answer.body) as { id: string };
  let record: unknown = first;
  const deadline = performance.now() + seconds * 1000;
  while (!settling.settled(record as never) && performance.now() < deadline) {
    await sleep(Math.min(LOOK_EVERY_MS, Math.max(1, deadline - performance.now())));
    record = await settling.read(request, first.id);
  }
  return record === first ? answer : { status: answer.status, body: JSON.stringify(record) };
}

/** The seconds of a `wait` preference, within our limit; nothing when there is none or it is malformed. */
export function preferredWait(header: string): number | undefined {
  const match = /(?:^|,|;)\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|,|;)/i.exec(header);
  return match ? Math.min(MAX_SECONDS, Number(match[1])) : undefined;
}
