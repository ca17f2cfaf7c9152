import { CompleteAsyncError, Context } from '@temporalio/activity';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import { CommitUnknown, DatabaseAway, isAway } from '../src/kernel/db/faults';
import { Problem } from '../src/kernel/errors';

/**
 * Replaces an activity's error by a failure that holds only a type and a code. The message stays out of the history,
 * because it may quote what a person has entered. The log keeps the original error.
 */
export const activityErrors: ActivityInterceptorsFactory = () => {
  const inbound: ActivityInboundCallsInterceptor = {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        if (passesThrough(error)) throw error;
        const failure = failureOf(error);
        if (!(error instanceof Problem)) Context.current().log.warn('An activity threw', { error });
        throw failure;
      }
    },
  };
  return { inbound };
};

/**
 * Whether the error is Temporal's own: a failure made for the history, a cancellation, or an asynchronous completion.
 */
function passesThrough(error: unknown): boolean {
  if (error instanceof TemporalFailure || error instanceof CompleteAsyncError) return true;
  const aborted = error instanceof Error && error.name === 'AbortError';
  return aborted && Context.current().cancellationSignal.aborted;
}

/**
 * Makes the failure for the history. A refusal (4xx) is final. An outage (429, 5xx, the database) is retried, and so is
 * an unexpected error, because a new release may fix it.
 */
export function failureOf(error: unknown): ApplicationFailure {
  if (error instanceof Problem) {
    const { code, status, retryAfter } = error;
    const mayPass = status === 429 || status >= 500;
    return ApplicationFailure.create({
      type: code,
      message: code,
      nonRetryable: !mayPass,
      ...(mayPass && retryAfter ? { nextRetryDelay: retryAfter * 1000 } : {}),
    });
  }
  if (isAway(error)) {
    const type = error instanceof CommitUnknown ? CommitUnknown.name : DatabaseAway.name;
    return ApplicationFailure.create({ type, message: type });
  }
  const type = error instanceof Error ? error.name : 'Error';
  const code = (error as { code?: unknown } | null)?.code;
  return ApplicationFailure.create({ type, message: typeof code === 'string' ? code : type });
}
