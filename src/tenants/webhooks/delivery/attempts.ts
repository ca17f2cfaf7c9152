import type { Attempt } from './poster';

/** A recorded attempt of a delivery. The event's row keeps the newest 20 (`webhook_attempts` in the schema). */
export interface AttemptMade {
  /** When the attempt began, ISO 8601. */
  at: string;
  /** The endpoint's URL at that time: its id in `webhook_urls`, because an event is kept long and a URL may be long. */
  url: number;
  /** Status of the answer. Absent when none came. */
  status?: number;
  durationMs: number;
  /** Why the attempt failed. */
  error?: string;
}

/** An attempt that is to be recorded with an event. */
export interface EventAttempt {
  /** Number of the event. */
  number: string;
  made: AttemptMade;
}

export function attemptMade(url: number, { at, status, durationMs, ok, code }: Attempt): AttemptMade {
  return {
    at: at.toISOString(),
    url,
    ...(status === undefined ? {} : { status }),
    durationMs,
    ...(ok ? {} : { error: code }),
  };
}

/** Attempts as JSON by the number of their event, for one parameter of a statement. */
export const attemptsByNumber = (attempts: readonly EventAttempt[]): string =>
  JSON.stringify(Object.fromEntries(attempts.map(({ number, made }) => [number, made])));
