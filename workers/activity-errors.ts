import { CompleteAsyncError, Context } from '@temporalio/activity';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import { CommitUnknown, DatabaseAway, isAway } from '../src/kernel/db/faults';
import { Problem } from '../src/kernel/errors';

/**
 * What an activity throws, as it may stand in a history: a type and a code, and no message of its own, because a message
 * may quote what a person has entered. The log keeps what the error said.
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

/** Failures that are meant for the history, the end of a cancelled activity, and one that completes elsewhere. */
function passesThrough(error: unknown): boolean {
  if (error instanceof TemporalFailure || error instanceof CompleteAsyncError) return true;
  const aborted = error instanceof Error && error.name === 'AbortError';
  return aborted && Context.current().cancellationSignal.aborted;
}

/** A refusal stays one however often it is tried; what is away comes back, and a fault of ours may be mended. */
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
